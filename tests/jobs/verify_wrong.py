# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Trainings that are silently wrong. A docstring names the public report that has the fault, or says what it is."""

import copy

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FullyShardedDataParallel, ShardingStrategy, fully_shard
from torch.distributed.tensor import DTensor, Replicate, Shard
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
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


def reduction_stops() -> Step:
    """pytorch#187732, its symptom."""
    net = Net()
    return plain(net, adam(net.parameters()), lambda number: number <= 3 and average(net.parameters()))


def layer_replaced() -> Step:
    """pytorch#12603."""
    model = DistributedDataParallel(Net(), find_unused_parameters=True)
    model.module.head = nn.Linear(WIDTH, 1)
    for each in model.module.head.parameters():
        dist.broadcast(each.detach(), 0)
    return plain(model, adam(model.module.parameters()))


def inner_forward() -> Step:
    """icefall#226."""
    model = DistributedDataParallel(Net())
    return plain(model.module, adam(model.parameters()))


def no_sync_at_the_wrong_step() -> Step:
    """FunASR#3472."""
    model = DistributedDataParallel(Net())
    optimizer = adam(model.parameters())

    def step(number: int) -> None:
        backward(model, batch(number, 10 + rank()))
        with model.no_sync():
            backward(model, own_batch(number))
        optimizer.step()
        optimizer.zero_grad()

    return step


def zero_skips_the_linear_layers() -> Step:
    """RamTorch#13."""
    return zero_by_hand_skipping(".up")


def bfloat16_zero_skips_the_linear_layers() -> Step:
    """RamTorch#13, as it ran: each rank updates float32 copies of some parameters, and broadcasts short numbers."""
    net = Net().bfloat16()
    named = [(name, each, place % world()) for place, (name, each) in enumerate(net.named_parameters())]
    masters = {name: nn.Parameter(each.detach().float()) for name, each, owner in named if owner == rank()}
    optimizer = adam(masters.values(), lr=0.003)

    def step(number: int) -> None:
        backward(net, own_batch(number).bfloat16())
        for name, each, owner in named:
            gradient = each.grad.float()
            dist.all_reduce(gradient)
            if owner == rank():
                masters[name].grad = gradient / world()
        optimizer.step()
        net.zero_grad()
        for name, each, owner in named:
            if owner == rank():
                each.data.copy_(masters[name].detach())
            if ".up.weight" not in name:
                dist.broadcast(each.data, owner)

    return step


def held_by_nobody() -> Step:
    return zero_by_hand_skipping(held_by_nobody="head.weight")


def other_seeds() -> Step:
    """OLMo-core#319, between replicas."""
    torch.manual_seed(rank())
    return by_hand()


def other_weight_decay() -> Step:
    model = DistributedDataParallel(Net())
    return plain(model, adam(model.parameters(), weight_decay=0.1 if rank() == 1 else 0.01))


def half_the_rate_in_bfloat16() -> Step:
    model = DistributedDataParallel(Net().bfloat16())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02 if rank() == 1 else 0.04)

    def step(number: int) -> None:
        backward(model, own_batch(number).bfloat16())
        optimizer.step()
        optimizer.zero_grad()

    return step


def older_checkpoint() -> Step:
    model = DistributedDataParallel(Net())
    optimizer = adam(model.parameters())
    step = plain(model, optimizer)
    old = copy.deepcopy(model.module.state_dict())

    def loaded(number: int) -> None:
        step(number)
        if number == 4 and rank() == 1:
            model.module.load_state_dict(old)

    return loaded


def skipped_step() -> Step:
    """pytorch#136009, of its kind."""
    model = DistributedDataParallel(Net())
    optimizer = adam(model.parameters())

    def step(number: int) -> None:
        backward(model, own_batch(number))
        if number != 3 or rank() != 1:
            optimizer.step()
        optimizer.zero_grad()

    return step


def skipped_step_between_samples() -> Step:
    """Two updates in each step, of which rank 1 leaves one out: no later samples are of one moment."""
    model = DistributedDataParallel(Net())
    optimizer = adam(model.parameters())

    def step(number: int) -> None:
        for half in (0, 1):
            backward(model, own_batch(2 * number + half))
            if (number, half) != (6, 0) or rank() != 1:
                optimizer.step()
            optimizer.zero_grad()

    return step


def lost_moments() -> Step:
    model = DistributedDataParallel(Net())
    optimizer = adam(model.parameters())
    return plain(model, optimizer, lambda number: number == 4 and rank() == 1 and optimizer.state.clear())


def frozen_on_one_rank() -> Step:
    net = Net()
    if rank() == 1:
        net.head.requires_grad_(requires_grad=False)

    def reduce(_: int) -> None:
        average(each for name, each in net.named_parameters() if "head" not in name)

    return plain(net, adam(net.parameters()), reduce)


def unfrozen_late_on_one_rank() -> Step:
    """A layer is frozen at first; rank 1 unfreezes it two steps after rank 0."""
    net = Net()
    net.layers[0].requires_grad_(requires_grad=False)

    def reduce(number: int) -> None:
        for each in net.parameters():
            gradient = torch.zeros_like(each) if each.grad is None else each.grad
            dist.all_reduce(gradient)
            gradient /= world()
        if number == (3 if rank() == 0 else 5):
            net.layers[0].requires_grad_(requires_grad=True)

    return plain(net, adam(net.parameters()), reduce)


def not_a_number_on_one_rank() -> Step:
    model = DistributedDataParallel(Net())
    step = plain(model, adam(model.parameters()))

    def broken(number: int) -> None:
        with torch.no_grad():
            if number == 9 and rank() == 1:
                model.module.head.weight[0, 0] = torch.nan
        step(number)

    return broken


def wrong_groups() -> Step:
    net = Net()
    groups = [dist.new_group([0, 1]), dist.new_group([2, 3])]
    return plain(net, adam(net.parameters()), lambda _: average(net.parameters(), groups[rank() // 2]))


def norms_not_summed() -> Step:
    """Megatron-LM#1446, NeMo-RL#3716, apex#1686."""
    return split(reduces=False, attributes=True)


def norms_not_summed_without_attributes() -> Step:
    return split(reduces=False)


def own_dropout() -> Step:
    """slapo#21, of its kind."""
    torch.manual_seed(0)
    step = split(attributes=True, dropout=0.5)
    torch.manual_seed(rank())
    return step


def own_clipping() -> Step:
    return split(lambda net, _: nn.utils.clip_grad_norm_(net.parameters(), 0.1), attributes=True)


def tied_sum_forgotten() -> Step:
    return pipeline(own_seeds=True, tied=True, sums=False)


def router_not_reduced() -> Step:
    """Megatron-LM#599, torchtitan#2387."""
    return experts(own_seed=True, left_out="router")


def twin_shards() -> Step:
    """ms-swift#7944, torchtitan#3106."""
    net = nn.Sequential(nn.Linear(WIDTH, WIDTH, bias=False), nn.Linear(WIDTH, 1))
    mesh = init_device_mesh("cpu", (world(),), mesh_dim_names=("tp",))
    local = torch.randn(WIDTH // world(), WIDTH)
    net[0].weight = nn.Parameter(DTensor.from_local(local, mesh, [Shard(0)]))
    parallelize_module(net, mesh, {"0": ColwiseParallel(), "1": RowwiseParallel()})
    optimizer = adam(net.parameters())

    def step(number: int) -> None:
        backward(net, batch(number, 0))
        optimizer.step()
        optimizer.zero_grad()

    return step


def detached() -> Step:
    class Detached(Net):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.head(self.layers[1](self.layers[0](x).detach()))

    model = DistributedDataParallel(Detached(), find_unused_parameters=True)
    return plain(model, adam(model.parameters()))


def gathered_without_autograd() -> Step:
    """NeMo Automodel#1260, its kind: what the others add to the gradient of this rank's part never comes back."""

    class Gathering(Net):
        def __init__(self) -> None:
            super().__init__()
            self.group = dist.new_group(group_desc="cp")

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            x = self.layers[0](x)
            parts = [torch.empty_like(x) for _ in range(world())]
            dist.all_gather(parts, x, group=self.group)
            parts[rank()] = x
            return self.head(self.layers[1](torch.stack(parts).mean(0)))

    net = Gathering()
    return plain(net, adam(net.parameters()), lambda _: average(net.parameters()))


def head_norms_not_summed() -> Step:
    """NeMo-RL#3716, Megatron-LM#816: the norms of queries and keys on the heads of each rank."""
    return split(attributes=True, head_norm=True)


def hybrid_over_one_rank() -> Step:
    """verl#7493, pytorch#154888: a shard dimension of size 1 loses the reduction over the replicas."""
    mesh = init_device_mesh("cpu", (world(), 1), mesh_dim_names=("replicate", "shard"))
    model = FullyShardedDataParallel(
        Net(),
        device_id=torch.device("cpu"),
        device_mesh=mesh,
        sharding_strategy=ShardingStrategy.HYBRID_SHARD,
    )
    return plain(model, adam(model.parameters()))


def drawn_after_wrapping() -> Step:
    model = DistributedDataParallel(Net())
    torch.manual_seed(rank())
    for layer in model.module.layers:
        layer.up.reset_parameters()
    return plain(model, adam(model.parameters()))


def a_copy_is_reduced() -> Step:
    net = Net()

    def reduce(_: int) -> None:
        for each in net.parameters():
            dist.all_reduce(each.grad.clone())

    return plain(net, adam(net.parameters()), reduce)


def biases_not_reduced() -> Step:
    net = Net()
    reduced = [each for name, each in net.named_parameters() if "up.bias" not in name]
    return plain(net, adam(net.parameters()), lambda _: average(reduced))


class Heads(nn.Module):
    """Attention whose heads are exchanged over the ranks that share a sequence."""

    def __init__(self, group: dist.ProcessGroup) -> None:
        super().__init__()
        self.group = group
        self.qkv, self.out = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.out(Exchange.apply(Exchange.apply(self.qkv(x), self.group).sin(), self.group))


def sequence_ranks_not_reduced() -> Step:
    """VeOmni#1059, of its kind: each weight is a replica on all ranks, and DDP reduces over a part of them."""
    mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "sp"))
    model = DistributedDataParallel(Heads(mesh.get_group("sp")), process_group=mesh.get_group("dp"))
    return plain(model, adam(model.parameters()))


def experts_not_reduced() -> Step:
    return experts(own_seed=True, left_out="expert", replicas=2)


def stage_not_reduced() -> Step:
    return pipeline(own_seeds=True, replicas=2, left_out=1)


def scaler_skips_on_one_rank() -> Step:
    """pytorch#136009, of its kind: each tensor parallel rank looks for infinities in its own gradients alone."""
    net = SplitNet(reduces=True, attributes=True)
    optimizer = adam(net.parameters())
    scaler = torch.amp.GradScaler("cpu", init_scale=1.0)

    def step(number: int) -> None:
        scaler.scale((net(batch(number, 0)) - 1).square().mean()).backward()
        if number == 3 and rank() == 1:
            net.layers[0].up.weight.grad[0, 0] = torch.inf
        scaler.step(optimizer)
        scaler.update(1.0)
        optimizer.zero_grad()

    return step


def checkpoint_without_the_head() -> Step:
    model = DistributedDataParallel(Net())
    torch.manual_seed(7)
    loaded = Net().state_dict()
    if rank() == 1:
        loaded = {name: each for name, each in loaded.items() if "head" not in name}
    model.module.load_state_dict(loaded, strict=False)
    return plain(model, adam(model.parameters()))


def hsdp_without_all_reduce() -> Step:
    mesh = init_device_mesh("cpu", (world() // 2, 2), mesh_dim_names=("replicate", "shard"))
    model = fully_shard(Net(), mesh=mesh)
    model.set_requires_all_reduce(requires_all_reduce=False)
    return plain(model, adam(model.parameters()))


def replicate_of_other_values() -> Step:
    mesh = init_device_mesh("cpu", (world(),), mesh_dim_names=("tp",))
    net = Net()
    torch.manual_seed(rank())
    for name in ("weight", "bias"):
        drawn = torch.rand(WIDTH)
        replicated = DTensor.from_local(drawn, mesh, [Replicate()], run_check=False)
        setattr(net.layers[0].norm, name, nn.Parameter(replicated))
    for layer in net.layers:
        parallelize_module(layer, mesh, {"up": ColwiseParallel(), "down": RowwiseParallel()})
    net.layers[0].norm.forward = lambda x: nn.functional.layer_norm(
        x, (WIDTH,), net.layers[0].norm.weight.to_local(), net.layers[0].norm.bias.to_local()
    )
    optimizer = adam(net.parameters(), foreach=False)

    def step(number: int) -> None:
        backward(net, batch(number, 0))
        optimizer.step()
        optimizer.zero_grad()

    return step


def own_noise() -> Step:
    """Noise on the gradients, as for privacy, that each rank draws with a seed of its own."""
    model = DistributedDataParallel(Net())
    torch.manual_seed(rank())

    def add(_: int) -> None:
        for each in model.parameters():
            each.grad += 0.1 * torch.randn_like(each.grad)

    return plain(model, adam(model.parameters()), add)


def own_rounding() -> Step:
    """Updates that each rank rounds to short numbers by chance, with a seed of its own."""
    model = DistributedDataParallel(Net())
    step = plain(model, adam(model.parameters()))
    torch.manual_seed(rank())

    def rounded(number: int) -> None:
        step(number)
        with torch.no_grad():
            for each in model.parameters():
                each += 0.004 * each * torch.randint_like(each, -1, 2)

    return rounded


def other_rate() -> Step:
    """A schedule that one rank moves on twice."""
    model = DistributedDataParallel(Net())
    optimizer = adam(model.parameters())

    def schedule(number: int) -> None:
        optimizer.param_groups[0]["lr"] = 0.01 / (number * (2 if rank() == 1 and number > 2 else 1))

    return plain(model, optimizer, schedule)


def sync_left_off() -> Step:
    model = fully_shard(Net())
    model.set_requires_gradient_sync(requires_gradient_sync=False)
    return plain(model, adam(model.parameters()))


def infinite_gradient_on_one_rank() -> Step:
    model = DistributedDataParallel(Net())

    def scale(number: int) -> None:
        if number == 5 and rank() == 1:
            model.module.head.weight.grad /= torch.zeros(())

    return plain(model, adam(model.parameters()), scale)


def sync_turned_off() -> Step:
    """A switch for the accumulation of gradients that stays off."""
    model = fully_shard(Net())
    step = plain(model, adam(model.parameters()))

    def switched(number: int) -> None:
        if number == 5:
            model.set_requires_gradient_sync(requires_gradient_sync=False)
        step(number)

    return switched
