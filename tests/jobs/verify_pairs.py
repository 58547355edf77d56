# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Trainings with a fault, which are right if `wrong` is False. A docstring names the public report of the fault."""

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks.post_localSGD_hook import PostLocalSGDState, post_localSGD_hook
from torch.distributed.algorithms.model_averaging.averagers import PeriodicModelAverager
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.optim import PostLocalSGDOptimizer
from torch.nn.parallel import DistributedDataParallel
from verify_parts import (
    WIDTH,
    Exchange,
    Net,
    SplitNet,
    Step,
    adam,
    average,
    backward,
    batch,
    own_batch,
    plain,
    rank,
    split,
    world,
)


def tied_names(*, wrong: bool) -> Step:
    """The embedding of the first stage and the head of the last one start as one matrix."""
    weight = nn.Linear(WIDTH, WIDTH).weight.detach()

    class Stage(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.block = nn.Linear(WIDTH, WIDTH)
            if rank() == 0:
                self.embed = nn.Parameter(weight.clone())
            else:
                self.head = nn.Parameter(weight.clone())

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.block(x @ self.embed) if rank() == 0 else self.block(x) @ self.head.T

    torch.manual_seed(50 + rank())
    stage = Stage()
    optimizer = adam(stage.parameters())

    def step(number: int) -> None:
        if rank() == 0:
            x = stage(batch(number, 0))
            dist.send(x.detach(), 1)
            gradient = torch.empty_like(x)
            dist.recv(gradient, 1)
            x.backward(gradient)
        else:
            x = torch.empty(4, WIDTH, requires_grad=True)
            dist.recv(x.detach(), 0)
            backward(stage, x)
            dist.send(x.grad, 0)
        if not wrong:
            dist.all_reduce((stage.embed if rank() == 0 else stage.head).grad)
        optimizer.step()
        optimizer.zero_grad()

    return step


def one_layer_not_summed(*, wrong: bool) -> Step:
    """The fault begins in the last layer, and the gradients of all before it are wrong too."""

    def before(net: SplitNet, _: int) -> None:
        net.layers[1].reduces = not wrong

    return split(before=before)


def own_rounding_in_bfloat16(*, wrong: bool) -> Step:
    """Updates that are rounded by chance, with a seed of each rank."""
    model = DistributedDataParallel(Net().bfloat16())
    masters = [nn.Parameter(each.detach().float()) for each in model.parameters()]
    optimizer = adam(masters, lr=0.003)
    torch.manual_seed(rank() if wrong else 0)

    def step(number: int) -> None:
        backward(model, own_batch(number).bfloat16())
        for each, master in zip(model.parameters(), masters, strict=True):
            master.data.copy_(each.detach())
            master.grad = each.grad.float()
        optimizer.step()
        model.zero_grad()
        for each, master in zip(model.parameters(), masters, strict=True):
            chance = torch.randint(0, 1 << 16, master.shape, dtype=torch.int32)
            bits = (master.detach().view(torch.int32) + chance) & -(1 << 16)
            each.data.copy_(bits.view(torch.float32))

    return step


def rarely_averaged(*, wrong: bool) -> Step:
    """Local SGD, which is right. If `wrong`, the samples meet no average."""
    model = DistributedDataParallel(Net())
    state = PostLocalSGDState(process_group=None, subgroup=dist.new_subgroups(1)[0], start_localSGD_iter=2)
    model.register_comm_hook(state, post_localSGD_hook)
    averager = PeriodicModelAverager(period=2 if wrong else 5, warmup_steps=2)
    return plain(model, PostLocalSGDOptimizer(torch.optim.SGD(model.parameters(), lr=0.1), averager))


def new_wrapper_each_epoch(*, wrong: bool) -> Step:
    """TrainCheck's x-jxmnop: the inner model is called, and each epoch's new wrapper broadcasts that of rank 0."""
    net = Net()
    wrapped = [DistributedDataParallel(net)]
    optimizer = adam(net.parameters())

    def step(number: int) -> None:
        if number % 4 == 1:
            wrapped[0] = DistributedDataParallel(net)
        backward(net if wrong else wrapped[0], own_batch(number))
        optimizer.step()
        optimizer.zero_grad()

    return step


def shard_lost_once(*, wrong: bool) -> Step:
    """pytorch#84803: a gather of updated shards loses one on a rank, and the next gather mends it."""
    net = Net()
    parameters = list(net.parameters())
    flat = torch.cat([each.detach().flatten() for each in parameters])
    size = -(-len(flat) // world())

    def padded(values: torch.Tensor) -> torch.Tensor:
        return torch.cat([values, torch.zeros(size * world() - len(values))])

    shard = nn.Parameter(padded(flat)[rank() * size : (rank() + 1) * size].clone())
    optimizer = adam([shard])

    def step(number: int) -> None:
        backward(net, own_batch(number))
        gradient = torch.cat([each.grad.flatten() for each in parameters]) / world()
        shard.grad = torch.empty_like(shard)
        dist.reduce_scatter_tensor(shard.grad, padded(gradient))
        optimizer.step()
        net.zero_grad()
        shards = [torch.empty_like(shard) for _ in range(world())]
        dist.all_gather(shards, shard.detach())
        if wrong and rank() == 1 and number == 4:
            shards[0].zero_()
        nn.utils.vector_to_parameters(torch.cat(shards)[: len(flat)], parameters)

    return step


class Swapping(nn.Module):
    """Attention over a part of the sequence, after VeOmni#1059."""

    def __init__(self, group: dist.ProcessGroup) -> None:
        super().__init__()
        self.group = group
        self.norm, self.qkv = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        inner = torch.sin(Exchange.apply(self.qkv(self.norm(x)), self.group))
        return x + self.out(Exchange.apply(inner, self.group))


def reduced_over_one_rank(*, wrong: bool) -> Step:
    """VeOmni#1059: all ranks are of the sequence, and DistributedDataParallel gets the data parallel group of one."""
    mesh = init_device_mesh("cpu", (1, world()), mesh_dim_names=("dp", "sp"))
    embed, block, head = nn.Linear(WIDTH, WIDTH), Swapping(mesh.get_group("sp")), nn.Linear(WIDTH, 1)
    embed.requires_grad_(requires_grad=False)
    head.requires_grad_(requires_grad=False)
    net = nn.Sequential(embed, block, head)
    model = DistributedDataParallel(net, process_group=mesh.get_group("dp") if wrong else None)
    return plain(model, adam(block.parameters()))


def frozen_layer_lost(*, wrong: bool) -> Step:
    """DeepSpeed#5489: a checkpoint without the frozen layer, which each rank has drawn for itself."""
    checkpoint = Net().state_dict()
    if wrong:
        checkpoint = {name: value for name, value in checkpoint.items() if "layers.0.up" not in name}
    torch.manual_seed(100 + rank())
    net = Net()
    net.load_state_dict(checkpoint, strict=False)
    net.layers[0].up.requires_grad_(requires_grad=False)
    trained = [each for each in net.parameters() if each.requires_grad]
    return plain(net, adam(trained), lambda _: average(trained))


def own_adapters(*, wrong: bool) -> Step:
    """Adapters that each rank draws for itself, next to a replicated model."""
    model = DistributedDataParallel(Net())
    if wrong:
        torch.manual_seed(100 + rank())
    adapter = nn.Linear(WIDTH, WIDTH)
    parameters = [*model.parameters(), *adapter.parameters()]
    own = [] if wrong else list(adapter.parameters())
    return plain(nn.Sequential(adapter, model), adam(parameters), lambda _: average(own))


def held_by_nobody_in_shards(*, wrong: bool) -> Step:
    model = fully_shard(Net())
    held = [each for name, each in model.named_parameters() if not wrong or "head" not in name]
    return plain(model, adam(held))


def never_cleared(*, wrong: bool) -> Step:
    """DeepSpeed#7839."""
    model = DistributedDataParallel(Net())
    optimizer = adam(model.parameters(), lr=0.001)

    def step(number: int) -> None:
        if not wrong:
            optimizer.zero_grad()
        backward(model, own_batch(number))
        optimizer.step()

    return step


class Biased(Net):
    """A model with a buffer that is changed after each step by what a rank saw."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("bias", torch.zeros(WIDTH))
        self.register_buffer("mask", torch.ones(WIDTH))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.seen = x.detach().sum(0)
        return super().forward(x + self.bias * self.mask)


def own_bias_of_a_router(*, wrong: bool) -> Step:
    """torchtitan#4154."""
    model = DistributedDataParallel(Biased(), broadcast_buffers=False)
    step = plain(model, adam(model.parameters()))

    def biased(number: int) -> None:
        step(number)
        seen = model.module.seen
        if not wrong:
            dist.all_reduce(seen)
        model.module.bias += 0.02 * seen.sign()

    return biased


def mesh_dimension_unused(*, wrong: bool) -> Step:
    """The ranks of a mesh's second dimension hold one model, and its gradients are reduced over the first only."""
    mesh = init_device_mesh("cpu", (2, world() // 2), mesh_dim_names=("dp", "cp"))
    group = mesh.get_group("dp") if wrong else mesh._flatten("dp_cp").get_group()
    model = DistributedDataParallel(Net(), process_group=group)
    return plain(model, adam(model.parameters()))
