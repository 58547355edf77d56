# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The parts of the trainings in verify_right.py and verify_wrong.py.

A training is a function that makes a job and returns the function that makes a step of it.
"""

from collections.abc import Callable, Iterable

import torch
import torch.distributed as dist
from torch import nn

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
    """A block over tensor parallel ranks, with biases of zeros.

    `reduces`: its backward sums as it must. `head_norm`: a norm of each rank's own part, like that of queries and keys.
    `flips`: rank 1 adds up the rows of its batch in another order.
    """

    def __init__(
        self, *, reduces: bool, attributes: bool, dropout: float = 0, head_norm: bool = False, flips: bool = False
    ) -> None:
        super().__init__()
        self.reduces = reduces
        self.flips = flips
        self.norm = nn.LayerNorm(WIDTH)
        self.dropout = nn.Dropout(dropout)
        self.up = nn.Linear(WIDTH, WIDTH)
        self.down = nn.Linear(WIDTH, WIDTH, bias=False)
        self.bias = nn.Parameter(torch.zeros(WIDTH))
        self.heads = nn.LayerNorm(WIDTH) if head_norm else nn.Identity()
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
        inner = self.norm(x.flip(0)).flip(0) if self.flips and rank() == 1 else self.norm(x)
        inner = self.dropout(inner)
        inner = Enter.apply(inner) if self.reduces else inner
        return x + Leave.apply(self.down(self.heads(torch.relu(self.up(inner))))) + self.bias


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
    **options: float,
) -> Step:
    net = SplitNet(**({"reduces": True, "attributes": False} | options))
    optimizer = adam(net.parameters())

    def step(number: int) -> None:
        backward(net, batch(number, 0))
        before(net, number)
        optimizer.step()
        optimizer.zero_grad()

    return step


class Stage(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.word = nn.Linear(WIDTH, WIDTH, bias=False)
        self.block = Block()


def replica_groups(replicas: int) -> list[dist.ProcessGroup]:
    """Returns the groups of neighbouring ranks, of so many each."""
    return [dist.new_group(list(range(first, first + replicas))) for first in range(0, world(), replicas)]


def pipeline(
    *,
    own_seeds: bool = False,
    tied: bool = False,
    sums: bool = True,
    replicas: int = 1,
    left_out: int | None = None,
) -> Step:
    """Two stages, of which each replica sends to one of the other stage. All start equal, or with a seed per stage.

    `tied`: the `word` of the stages starts equal, and its gradients are added up if `sums`. `left_out`: the stage whose
    replicas do not reduce.
    """
    stage_number = rank() // replicas
    group = replica_groups(replicas)[stage_number]
    pair = [dist.new_group([place, place + replicas]) for place in range(replicas)][rank() % replicas]
    stage = Stage()
    word = stage.word
    if own_seeds:
        torch.manual_seed(50 + stage_number)
        stage = Stage()
    if tied:
        stage.word = word
    optimizer = adam(stage.parameters())

    def step(number: int) -> None:
        if stage_number == 0:
            x = stage.block(stage.word(batch(number, rank())))
            dist.send(x.detach(), rank() + replicas, pair)
            gradient = torch.empty_like(x)
            dist.recv(gradient, rank() + replicas, pair)
            x.backward(gradient)
        else:
            x = torch.empty(4, WIDTH, requires_grad=True)
            dist.recv(x.detach(), rank() - replicas, pair)
            backward(lambda given: stage.word(stage.block(given)), x)
            dist.send(x.grad, rank() - replicas, pair)
        if replicas > 1 and stage_number != left_out:
            average(stage.parameters(), group)
        if tied and sums:
            dist.all_reduce(stage.word.weight.grad)
        optimizer.step()
        optimizer.zero_grad()

    return step


class Exchange(torch.autograd.Function):
    @staticmethod
    def forward(ctx: torch.autograd.function.FunctionCtx, x: torch.Tensor, group: dist.ProcessGroup) -> torch.Tensor:
        ctx.group = group
        out = torch.empty_like(x)
        dist.all_to_all_single(out, x.contiguous(), group=group)
        return out

    @staticmethod
    def backward(ctx: torch.autograd.function.FunctionCtx, gradient: torch.Tensor) -> tuple[torch.Tensor, None]:
        out = torch.empty_like(gradient)
        dist.all_to_all_single(out, gradient.contiguous(), group=ctx.group)
        return out, None


class Expert(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH)
        self.up = nn.Linear(WIDTH, WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.up(self.norm(x)))


class Moe(nn.Module):
    def __init__(self, seed: int, group: dist.ProcessGroup) -> None:
        super().__init__()
        self.group = group
        self.router = nn.Linear(WIDTH, 1)
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            self.expert = Expert()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        exchanged = Exchange.apply(self.expert(Exchange.apply(x, self.group)), self.group)
        return torch.sigmoid(self.router(x)) * exchanged


class MoeNet(nn.Module):
    def __init__(self, seed: int, group: dist.ProcessGroup) -> None:
        super().__init__()
        self.dense = nn.Linear(WIDTH, WIDTH)
        self.moe = Moe(seed, group)
        self.head = nn.Linear(WIDTH, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.moe(self.dense(x)))


def experts(*, own_seed: bool, left_out: str = "none", replicas: int = 1) -> Step:
    """One expert per rank of a group, and `replicas` such groups. `left_out`: parameters that are not reduced."""
    size = world() // replicas
    group = replica_groups(size)[rank() // size]
    same_place = [dist.new_group(list(range(place, world(), size))) for place in range(size)][rank() % size]
    net = MoeNet(60 + (rank() % size if own_seed else 0), group)
    named = [(name, each) for name, each in net.named_parameters() if left_out not in name]

    def reduce(_: int) -> None:
        average(each for name, each in named if "expert" not in name)
        if replicas > 1:
            average((each for name, each in named if "expert" in name), same_place)

    return plain(net, adam(net.parameters()), reduce)


def zero_by_hand_skipping(skipped: str = "", held_by_nobody: str = "") -> Step:
    net = Net()
    owned = [
        each
        for number, (name, each) in enumerate(net.named_parameters())
        if number % world() == rank() and name != held_by_nobody
    ]
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


def by_hand() -> Step:
    model = Net()
    return plain(model, torch.optim.SGD(model.parameters(), lr=0.1), lambda _: average(model.parameters()))
