# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Trainings that are right: `commtap verify` must not call any of them wrong."""

import copy
from collections.abc import Iterable

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks import powerSGD_hook
from torch.distributed.algorithms.ddp_comm_hooks.post_localSGD_hook import PostLocalSGDState, post_localSGD_hook
from torch.distributed.algorithms.join import Join
from torch.distributed.algorithms.model_averaging.averagers import PeriodicModelAverager
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FullyShardedDataParallel, MixedPrecisionPolicy, ShardingStrategy, fully_shard
from torch.distributed.optim import PostLocalSGDOptimizer, ZeroRedundancyOptimizer
from torch.distributed.tensor import Replicate, Shard
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    PrepareModuleInput,
    PrepareModuleOutput,
    RowwiseParallel,
    SequenceParallel,
    parallelize_module,
)
from torch.nn.parallel import DistributedDataParallel
from verify_parts import (
    STEPS,
    WIDTH,
    Block,
    Net,
    Step,
    adam,
    average,
    backward,
    batch,
    by_hand,
    experts,
    own_batch,
    pipeline,
    plain,
    rank,
    split,
    world,
    zero_by_hand_skipping,
)


def ddp() -> Step:
    model = DistributedDataParallel(Net())
    return plain(model, adam(model.parameters()))


def ddp_by_hand() -> Step:
    return by_hand()


def ddp_accumulates() -> Step:
    model = DistributedDataParallel(Net())
    optimizer = adam(model.parameters())

    def step(number: int) -> None:
        with model.no_sync():
            backward(model, batch(number, 10 + rank()))
        backward(model, own_batch(number))
        optimizer.step()
        optimizer.zero_grad()

    return step


def ddp_clips() -> Step:
    model = DistributedDataParallel(Net())
    return plain(model, adam(model.parameters()), lambda _: nn.utils.clip_grad_norm_(model.parameters(), 0.1))


def ddp_warms_up() -> Step:
    model = DistributedDataParallel(Net())
    optimizer = adam(model.parameters(), lr=0.0)

    def set_rate(number: int) -> None:
        optimizer.param_groups[0]["lr"] = 0.01 if number > 1 else 0.0

    return plain(model, optimizer, set_rate)


def ddp_lora() -> Step:
    net = Net().requires_grad_(requires_grad=False)
    for layer in net.layers:
        layer.up.adapter = nn.Linear(WIDTH, 2, bias=False)
        layer.norm.requires_grad_(requires_grad=True)
    model = DistributedDataParallel(net, find_unused_parameters=True)
    return plain(model, adam(each for each in model.parameters() if each.requires_grad))


def ddp_ema() -> Step:
    model = DistributedDataParallel(Net())
    average_of = torch.optim.swa_utils.AveragedModel(model.module)
    step = plain(model, adam(model.parameters()))

    def both(number: int) -> None:
        step(number)
        average_of.update_parameters(model.module)

    return both


def ddp_ema_on_one_rank() -> Step:
    model = DistributedDataParallel(Net())
    copied = copy.deepcopy(model.module).requires_grad_(requires_grad=False)
    copied(own_batch(0))  # a model is known by its calls
    step = plain(model, adam(model.parameters()))

    def both(number: int) -> None:
        step(number)
        copied(own_batch(number))
        if rank() == 0:
            for old, new in zip(copied.parameters(), model.module.parameters(), strict=True):
                old.lerp_(new.detach(), 0.1)

    return both


def ddp_in_bfloat16() -> Step:
    model = DistributedDataParallel(Net().bfloat16())
    optimizer = adam(model.parameters())

    def step(number: int) -> None:
        backward(model, own_batch(number).bfloat16())
        optimizer.step()
        optimizer.zero_grad()

    return step


def ddp_ema_on_one_rank_from_the_start() -> Step:
    """The copy is known only after its first update, by the forward that evaluates it."""
    model = DistributedDataParallel(Net())
    copied = copy.deepcopy(model.module)
    step = plain(model, adam(model.parameters()))

    def both(number: int) -> None:
        step(number)
        with torch.no_grad():
            if rank() == 0:
                for old, new in zip(copied.parameters(), model.module.parameters(), strict=True):
                    old.lerp_(new, 0.1)
            copied(own_batch(number))

    return both


def ddp_and_two_optimizers() -> Step:
    one, other = DistributedDataParallel(Net()), DistributedDataParallel(nn.Linear(WIDTH, 1))
    steps = plain(one, adam(one.parameters())), plain(other, torch.optim.SGD(other.parameters(), lr=0.1))

    def both(number: int) -> None:
        for step in steps:
            step(number)

    return both


def zero() -> Step:
    model = DistributedDataParallel(Net())
    return plain(model, ZeroRedundancyOptimizer(model.parameters(), torch.optim.AdamW, lr=0.01))


def zero_by_hand() -> Step:
    return zero_by_hand_skipping("")


def fsdp1() -> Step:
    model = FullyShardedDataParallel(Net(), device_id=torch.device("cpu"))
    return plain(model, adam(model.parameters()))


def fsdp2() -> Step:
    model = fully_shard(Net())
    return plain(model, adam(model.parameters()))


def hsdp() -> Step:
    mesh = init_device_mesh("cpu", (world() // 2, 2), mesh_dim_names=("replicate", "shard"))
    model = fully_shard(Net(), mesh=mesh)
    return plain(model, adam(model.parameters()))


def tp() -> Step:
    net = Net()
    mesh = init_device_mesh("cpu", (world(),), mesh_dim_names=("tp",))
    for layer in net.layers:
        parallelize_module(layer, mesh, {"up": ColwiseParallel(), "down": RowwiseParallel()})
    optimizer = adam(net.parameters())

    def step(number: int) -> None:
        backward(net, batch(number, 0))
        optimizer.step()
        optimizer.zero_grad()

    return step


def sp() -> Step:
    """Activations between the layers are split along the sequence; the head has all of it."""
    net = Net()
    mesh = init_device_mesh("cpu", (world(),), mesh_dim_names=("tp",))
    split_sequence = Shard(1)
    for layer in net.layers:
        plan = {
            "norm": SequenceParallel(),
            "up": ColwiseParallel(input_layouts=split_sequence),
            "down": RowwiseParallel(output_layouts=split_sequence),
        }
        parallelize_module(layer, mesh, plan)
    enter = PrepareModuleInput(
        input_layouts=(Replicate(),), desired_input_layouts=(split_sequence,), use_local_output=True
    )
    leave = PrepareModuleOutput(output_layouts=(split_sequence,), desired_output_layouts=(Replicate(),))
    parallelize_module(net.layers[0], mesh, enter)
    parallelize_module(net.layers[1], mesh, leave)
    optimizer = adam(net.parameters())

    def step(number: int) -> None:
        backward(net, torch.stack([batch(number, 0), batch(number, 1)]))
        optimizer.step()
        optimizer.zero_grad()

    return step


def tp_by_hand() -> Step:
    return split()


def tp_by_hand_with_attributes() -> Step:
    return split(attributes=True)


def pp() -> Step:
    return pipeline()


def pp_tied() -> Step:
    return pipeline(own_seeds=True, tied=True)


def ep() -> Step:
    return experts(own_seed=True)


def ep_same_seed() -> Step:
    return experts(own_seed=False)


def local_sgd() -> Step:
    net = Net()
    step = plain(net, torch.optim.SGD(net.parameters(), lr=0.1))

    def averaged(number: int) -> None:
        step(number)
        if number % 4 == 0:
            with torch.no_grad():
                for each in net.parameters():
                    dist.all_reduce(each)
                    each /= world()

    return averaged


def own_head() -> Step:
    body, head = DistributedDataParallel(Block()), nn.Linear(WIDTH, 1)
    return plain(nn.Sequential(body, head), adam([*body.parameters(), *head.parameters()]))


def ddp_unused() -> Step:
    class Unused(Net):
        def __init__(self) -> None:
            super().__init__()
            self.unused = nn.Linear(WIDTH, 1)

    model = DistributedDataParallel(Unused(), find_unused_parameters=True)
    return plain(model, adam(model.parameters()))


def ddp_batch_norm() -> Step:
    net = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.BatchNorm1d(WIDTH), nn.ReLU(), nn.Linear(WIDTH, 1))
    model = DistributedDataParallel(net)
    return plain(model, adam(model.parameters()))


def ddp_dropout() -> Step:
    net = nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.Dropout(0.5), nn.Linear(WIDTH, 1))
    model = DistributedDataParallel(net)
    torch.manual_seed(rank())
    return plain(model, adam(model.parameters()))


def ddp_power_sgd() -> Step:
    model = DistributedDataParallel(Net())
    state = powerSGD_hook.PowerSGDState(None, matrix_approximation_rank=1, start_powerSGD_iter=3)
    model.register_comm_hook(state, powerSGD_hook.powerSGD_hook)
    return plain(model, adam(model.parameters()))


def ddp_masters() -> Step:
    """The optimizer has copies in float32 of a model in bfloat16."""
    net = Net().to(torch.bfloat16)
    masters = [each.detach().float() for each in net.parameters()]
    optimizer = adam(masters)

    def step(number: int) -> None:
        backward(net, own_batch(number).to(torch.bfloat16))
        average(net.parameters())
        for master, each in zip(masters, net.parameters(), strict=True):
            master.grad = each.grad.float()
        optimizer.step()
        with torch.no_grad():
            for master, each in zip(masters, net.parameters(), strict=True):
                each.copy_(master)
        net.zero_grad()

    return step


def ddp_gan() -> Step:
    one, other = DistributedDataParallel(Net()), DistributedDataParallel(nn.Linear(1, 1))
    of_one, of_other = adam(one.parameters()), adam(other.parameters())

    def step(number: int) -> None:
        backward(other, one(own_batch(number)).detach())
        of_other.step()
        of_other.zero_grad()
        backward(lambda x: other(one(x)), own_batch(number))
        of_one.step()
        of_one.zero_grad()
        of_other.zero_grad()

    return step


def ddp_join() -> Step:
    """Rank 1 has fewer batches than the others."""
    model = DistributedDataParallel(Net())
    step = plain(model, adam(model.parameters()))

    def all_steps(number: int) -> None:
        if number == 1:
            with Join([model]):
                for each in range(1, 6 if rank() == 1 else STEPS + 1):
                    step(each)

    return all_steps


def ddp_closure() -> Step:
    model = DistributedDataParallel(Net())
    optimizer = torch.optim.LBFGS(model.parameters(), lr=0.1, max_iter=2)

    def step(number: int) -> None:
        def closure() -> torch.Tensor:
            optimizer.zero_grad()
            loss = (model(own_batch(number)) - 1).square().mean()
            loss.backward()
            return loss

        optimizer.step(closure)

    return step


def ddp_scaler() -> Step:
    model = DistributedDataParallel(Net())
    optimizer = adam(model.parameters())
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)

    def step(number: int) -> None:
        loss = (model(own_batch(number)) - 1).square().mean()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()

    return step


def ddp_tied() -> Step:
    first, last = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)
    last.weight = first.weight
    model = DistributedDataParallel(nn.Sequential(first, nn.ReLU(), last))
    return plain(model, adam(model.parameters()))


def ddp_own_optimizer() -> Step:
    class Signs(torch.optim.Optimizer):
        def __init__(self, parameters: Iterable[nn.Parameter]) -> None:
            super().__init__(parameters, {"lr": 0.01})

        @torch.no_grad()
        def step(self) -> None:
            for group in self.param_groups:
                for each in group["params"]:
                    each.sub_(each.grad.sign(), alpha=group["lr"])

    model = DistributedDataParallel(Net())
    return plain(model, Signs(model.parameters()))


def post_local_sgd() -> Step:
    """The first step is reduced; then each rank trains alone, and every second step averages."""
    model = DistributedDataParallel(Net())
    state = PostLocalSGDState(process_group=None, subgroup=dist.new_subgroups(1)[0], start_localSGD_iter=1)
    model.register_comm_hook(state, post_localSGD_hook)
    averager = PeriodicModelAverager(period=2, warmup_steps=1)
    return plain(model, PostLocalSGDOptimizer(torch.optim.SGD(model.parameters(), lr=0.1), averager))


def fsdp1_with_original_parameters() -> Step:
    model = FullyShardedDataParallel(Net(), device_id=torch.device("cpu"), use_orig_params=True)
    return plain(model, adam(model.parameters()))


def fsdp1_hybrid() -> Step:
    mesh = init_device_mesh("cpu", (world() // 2, 2), mesh_dim_names=("replicate", "shard"))
    model = FullyShardedDataParallel(
        Net(),
        device_id=torch.device("cpu"),
        device_mesh=mesh,
        sharding_strategy=ShardingStrategy.HYBRID_SHARD,
    )
    return plain(model, adam(model.parameters()))


def fsdp2_clips() -> Step:
    model = fully_shard(Net(), mp_policy=MixedPrecisionPolicy(param_dtype=torch.bfloat16))
    return plain(model, adam(model.parameters()), lambda _: nn.utils.clip_grad_norm_(model.parameters(), 0.1))


def fsdp2_and_tp() -> Step:
    net = Net()
    mesh = init_device_mesh("cpu", (world() // 2, 2), mesh_dim_names=("dp", "tp"))
    for layer in net.layers:
        parallelize_module(layer, mesh["tp"], {"up": ColwiseParallel(), "down": RowwiseParallel()})
        fully_shard(layer, mesh=mesh["dp"])
    model = fully_shard(net, mesh=mesh["dp"])
    optimizer = adam(model.parameters())

    def step(number: int) -> None:
        backward(model, batch(number, rank() // 2))
        optimizer.step()
        optimizer.zero_grad()

    return step


class Pass(torch.autograd.Function):
    """Sends a tensor to the next rank of a ring; the backward sends the gradient back."""

    @staticmethod
    def passed(x: torch.Tensor, by: int) -> torch.Tensor:
        out = torch.empty_like(x)
        sends = dist.P2POp(dist.isend, x.contiguous(), (rank() + by) % world())
        receives = dist.P2POp(dist.irecv, out, (rank() - by) % world())
        for work in dist.batch_isend_irecv([sends, receives]):
            work.wait()
        return out

    @staticmethod
    def forward(_: object, x: torch.Tensor) -> torch.Tensor:
        return Pass.passed(x, 1)

    @staticmethod
    def backward(_: object, gradient: torch.Tensor) -> torch.Tensor:
        return Pass.passed(gradient, -1)


def ring() -> Step:
    """Context parallelism: each rank has a part of the sequence, and what it needs of others comes around."""
    net = Net()

    def model(x: torch.Tensor) -> torch.Tensor:
        x = net.layers[0](x)
        around = x
        for _ in range(world() - 1):
            around = Pass.apply(around)
            x = x + around.mean(0)
        return net.head(net.layers[1](x))

    optimizer = adam(net.parameters())

    def step(number: int) -> None:
        backward(model, own_batch(number))
        average(net.parameters())
        optimizer.step()
        optimizer.zero_grad()

    return step


def tp_rounds() -> Step:
    return split(flips=True)


def sum_head_norms(net: nn.Module, _: int) -> None:
    for layer in net.layers:
        for each in layer.heads.parameters():
            dist.all_reduce(each.grad)


def tp_with_head_norms() -> Step:
    return split(sum_head_norms, attributes=True, head_norm=True)


def ep_with_replicas() -> Step:
    return experts(own_seed=True, replicas=2)


def pp_with_replicas() -> Step:
    return pipeline(replicas=2)
