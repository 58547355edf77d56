# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Trainings that are right, and trainings that are silently wrong: what `commtap verify` must and must not say of them.

Each function makes one job: it returns the function that makes a step. tests/e2e/tools/test_verify.py has the verdicts.
"""

import argparse
import copy
from collections.abc import Callable, Iterable

import torch
import torch.distributed as dist
from common import finish, start
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.distributed.tensor import DTensor, Shard
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    RowwiseParallel,
    SequenceParallel,
    parallelize_module,
)
from torch.nn.parallel import DistributedDataParallel

WIDTH = 8
STEPS = 9
Step = Callable[[int], None]


def rank() -> int:
    return dist.get_rank()


def world() -> int:
    return dist.get_world_size()


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH)
        self.up = nn.Linear(WIDTH, 2 * WIDTH)
        self.down = nn.Linear(2 * WIDTH, WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.down(torch.relu(self.up(self.norm(x))))


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Block() for _ in range(2))
        self.head = nn.Linear(WIDTH, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


def batch(step: int, seed: int) -> torch.Tensor:
    return torch.randn(4, WIDTH, generator=torch.Generator().manual_seed(1000 * step + seed))


def own_batch(step: int) -> torch.Tensor:
    return batch(step, rank())


def adam(parameters: Iterable[nn.Parameter], **options: float) -> torch.optim.Optimizer:
    return torch.optim.AdamW(parameters, **({"lr": 0.01} | options))


def backward(model: Callable[[torch.Tensor], torch.Tensor], x: torch.Tensor) -> None:
    (model(x) - 1).square().mean().backward()


def plain(model: nn.Module, optimizer: torch.optim.Optimizer, before: Step = lambda _: None) -> Step:
    """Returns a step that calls `before` between backward and update."""

    def step(number: int) -> None:
        backward(model, own_batch(number))
        before(number)
        optimizer.step()
        optimizer.zero_grad()

    return step


def average(parameters: Iterable[nn.Parameter], group: dist.ProcessGroup | None = None) -> None:
    for each in parameters:
        if each.grad is not None:
            dist.all_reduce(each.grad, group=group)
            each.grad /= dist.get_world_size(group)


# Right.


def ddp() -> Step:
    model = DistributedDataParallel(Net())
    return plain(model, adam(model.parameters()))


def ddp_sgd_by_hand() -> Step:
    model = Net()
    return plain(model, torch.optim.SGD(model.parameters(), lr=0.1), lambda _: average(model.parameters()))


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
    step = plain(model, adam(model.parameters()))

    def both(number: int) -> None:
        step(number)
        copied(own_batch(number))
        if rank() == 0:
            for old, new in zip(copied.parameters(), model.module.parameters(), strict=True):
                old.lerp_(new.detach(), 0.1)

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


def zero_by_hand(skipped: str = "") -> Step:
    net = Net()
    owned = [each for number, each in enumerate(net.parameters()) if number % world() == rank()]
    optimizer = adam(owned)

    def step(number: int) -> None:
        backward(net, own_batch(number))
        average(net.parameters())
        optimizer.step()
        net.zero_grad()
        for place, (name, each) in enumerate(net.named_parameters()):
            if not skipped or skipped not in name:
                dist.broadcast(each.detach(), place % world())

    return step


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


def dtensor_parallel(*, sequence: bool) -> Step:
    net = Net()
    mesh = init_device_mesh("cpu", (world(),), mesh_dim_names=("tp",))
    for layer in net.layers:
        plan = {"up": ColwiseParallel(), "down": RowwiseParallel()}
        parallelize_module(layer, mesh, plan | ({"norm": SequenceParallel()} if sequence else {}))
    optimizer = adam(net.parameters())

    def step(number: int) -> None:
        backward(net, batch(number, 0))
        optimizer.step()
        optimizer.zero_grad()

    return step


def tp() -> Step:
    return dtensor_parallel(sequence=False)


def sp() -> Step:
    return dtensor_parallel(sequence=True)


class Enter(torch.autograd.Function):
    """The identity, whose backward sums over the ranks."""

    @staticmethod
    def forward(_: object, x: torch.Tensor) -> torch.Tensor:
        return x.clone()

    @staticmethod
    def backward(_: object, gradient: torch.Tensor) -> torch.Tensor:
        gradient = gradient.clone()
        dist.all_reduce(gradient)
        return gradient


class Leave(torch.autograd.Function):
    """The sum over the ranks, whose backward is the identity."""

    @staticmethod
    def forward(_: object, x: torch.Tensor) -> torch.Tensor:
        x = x.clone()
        dist.all_reduce(x)
        return x

    @staticmethod
    def backward(_: object, gradient: torch.Tensor) -> torch.Tensor:
        return gradient


class SplitBlock(nn.Module):
    """A block over tensor parallel ranks, with biases of zeros. `reduces`: its backward sums as it must."""

    def __init__(self, *, reduces: bool, attributes: bool, dropout: float = 0) -> None:
        super().__init__()
        self.reduces = reduces
        self.norm = nn.LayerNorm(WIDTH)
        self.dropout = nn.Dropout(dropout)
        self.up = nn.Linear(WIDTH, WIDTH)
        self.down = nn.Linear(WIDTH, WIDTH, bias=False)
        self.bias = nn.Parameter(torch.zeros(WIDTH))
        nn.init.zeros_(self.up.bias)
        with torch.random.fork_rng():
            torch.manual_seed(100 + rank())
            nn.init.normal_(self.up.weight)
            nn.init.normal_(self.down.weight)
        if attributes:
            for each in self.parameters():
                each.tensor_model_parallel = False
            for each in (self.up.weight, self.up.bias, self.down.weight):
                each.tensor_model_parallel = True

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        inner = self.dropout(self.norm(x))
        inner = Enter.apply(inner) if self.reduces else inner
        return x + Leave.apply(self.down(torch.relu(self.up(inner)))) + self.bias


class SplitNet(nn.Module):
    def __init__(self, **options: float) -> None:
        super().__init__()
        self.layers = nn.ModuleList(SplitBlock(**options) for _ in range(2))
        self.head = nn.Linear(WIDTH, 1)
        if options["attributes"]:
            for each in self.head.parameters():
                each.tensor_model_parallel = False

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


def split(
    before: Callable[[nn.Module, int], object] = lambda *_: None,
    *,
    reduces: bool = True,
    attributes: bool = False,
    dropout: float = 0,
) -> Step:
    net = SplitNet(reduces=reduces, attributes=attributes, dropout=dropout)
    optimizer = adam(net.parameters())

    def step(number: int) -> None:
        backward(net, batch(number, 0))
        before(net, number)
        optimizer.step()
        optimizer.zero_grad()

    return step


def tp_by_hand() -> Step:
    return split()


def tp_by_hand_with_attributes() -> Step:
    return split(attributes=True)


class Stage(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.word = nn.Linear(WIDTH, WIDTH, bias=False)
        self.block = Block()


def pipeline(*, tied: bool = False, sums: bool = True) -> Step:
    """Two stages that start equal, seed and all. `tied`: their `word` is one tensor, drawn apart from the stages."""
    stage = Stage()
    if tied:
        with torch.random.fork_rng():
            torch.manual_seed(50 + rank())
            stage.block = Block()
    optimizer = adam(stage.parameters())

    def step(number: int) -> None:
        if rank() == 0:
            x = stage.block(stage.word(batch(number, 0)))
            dist.send(x.detach(), 1)
            gradient = torch.empty_like(x)
            dist.recv(gradient, 1)
            x.backward(gradient)
        else:
            x = torch.empty(4, WIDTH, requires_grad=True)
            dist.recv(x.detach(), 0)
            backward(lambda given: stage.word(stage.block(given)), x)
            dist.send(x.grad, 0)
        if tied and sums:
            dist.all_reduce(stage.word.weight.grad)
        optimizer.step()
        optimizer.zero_grad()

    return step


def pp() -> Step:
    return pipeline()


def pp_tied() -> Step:
    return pipeline(tied=True)


class Exchange(torch.autograd.Function):
    @staticmethod
    def forward(_: object, x: torch.Tensor) -> torch.Tensor:
        out = torch.empty_like(x)
        dist.all_to_all_single(out, x.contiguous())
        return out

    @staticmethod
    def backward(_: object, gradient: torch.Tensor) -> torch.Tensor:
        out = torch.empty_like(gradient)
        dist.all_to_all_single(out, gradient.contiguous())
        return out


class Expert(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH)
        self.up = nn.Linear(WIDTH, WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.up(self.norm(x)))


class Moe(nn.Module):
    def __init__(self, *, own_seed: bool) -> None:
        super().__init__()
        self.router = nn.Linear(WIDTH, 1)
        with torch.random.fork_rng():
            torch.manual_seed(60 + (rank() if own_seed else 0))
            self.expert = Expert()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.sigmoid(self.router(x)) * Exchange.apply(self.expert(Exchange.apply(x)))


class MoeNet(nn.Module):
    def __init__(self, *, own_seed: bool) -> None:
        super().__init__()
        self.dense = nn.Linear(WIDTH, WIDTH)
        self.moe = Moe(own_seed=own_seed)
        self.head = nn.Linear(WIDTH, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.moe(self.dense(x)))


def experts(*, own_seed: bool, left_out: str = "expert") -> Step:
    net = MoeNet(own_seed=own_seed)
    shared = [each for name, each in net.named_parameters() if "expert" not in name and left_out not in name]
    return plain(net, adam(net.parameters()), lambda _: average(shared))


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


# Wrong.


def reduction_stops() -> Step:
    net = Net()
    return plain(net, adam(net.parameters()), lambda number: number <= 3 and average(net.parameters()))


def layer_replaced() -> Step:
    model = DistributedDataParallel(Net(), find_unused_parameters=True)
    model.module.head = nn.Linear(WIDTH, 1)
    for each in model.module.head.parameters():
        dist.broadcast(each.detach(), 0)
    return plain(model, adam(model.module.parameters()))


def inner_forward() -> Step:
    model = DistributedDataParallel(Net())
    return plain(model.module, adam(model.parameters()))


def no_sync_at_the_wrong_step() -> Step:
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
    return zero_by_hand(skipped=".up")


def other_seeds() -> Step:
    torch.manual_seed(rank())
    return ddp_sgd_by_hand()


def other_weight_decay() -> Step:
    model = DistributedDataParallel(Net())
    return plain(model, adam(model.parameters(), weight_decay=0.1 if rank() == 1 else 0.01))


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
    model = DistributedDataParallel(Net())
    optimizer = adam(model.parameters())

    def step(number: int) -> None:
        backward(model, own_batch(number))
        if number != 3 or rank() != 1:
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
    return split(reduces=False, attributes=True)


def norms_not_summed_without_attributes() -> Step:
    return split(reduces=False)


def own_dropout() -> Step:
    torch.manual_seed(0)
    step = split(attributes=True, dropout=0.5)
    torch.manual_seed(rank())
    return step


def own_clipping() -> Step:
    return split(lambda net, _: nn.utils.clip_grad_norm_(net.parameters(), 0.1), attributes=True)


def tied_sum_forgotten() -> Step:
    return pipeline(tied=True, sums=False)


def router_not_reduced() -> Step:
    return experts(own_seed=True, left_out="router")


def twin_shards() -> Step:
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


RIGHT = [
    ddp,
    ddp_sgd_by_hand,
    ddp_accumulates,
    ddp_clips,
    ddp_warms_up,
    ddp_lora,
    ddp_ema,
    ddp_ema_on_one_rank,
    ddp_and_two_optimizers,
    zero,
    zero_by_hand,
    fsdp1,
    fsdp2,
    hsdp,
    tp,
    sp,
    tp_by_hand,
    tp_by_hand_with_attributes,
    pp,
    pp_tied,
    ep,
    ep_same_seed,
    local_sgd,
    own_head,
]
WRONG = [
    reduction_stops,
    layer_replaced,
    inner_forward,
    no_sync_at_the_wrong_step,
    zero_skips_the_linear_layers,
    other_seeds,
    other_weight_decay,
    older_checkpoint,
    skipped_step,
    lost_moments,
    frozen_on_one_rank,
    not_a_number_on_one_rank,
    wrong_groups,
    norms_not_summed,
    norms_not_summed_without_attributes,
    own_dropout,
    own_clipping,
    tied_sum_forgotten,
    router_not_reduced,
    twin_shards,
    detached,
]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("job", choices=[each.__name__ for each in RIGHT + WRONG])
    name = parser.parse_args().job
    start()
    step = next(each for each in RIGHT + WRONG if each.__name__ == name)()
    for number in range(1, STEPS + 1):
        step(number)
    finish()


if __name__ == "__main__":
    main()
