# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Parameters that get other memory after their model's first call: one by one, and as views of flat buffers."""

from collections.abc import Callable

import torch
import torch.distributed as dist
from common import finish, start
from torch import nn

STEPS = 3


class Net(nn.Module):
    """Three layers of the same size."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b, self.c = (nn.Linear(8, 8) for _ in range(3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.c(self.b(self.a(x)))


class Averaged(Net):
    """Rank 0 alone replaces the memory of each parameter, in every round, between two collectives."""


class Late(Net):
    """Its parameters become views of two buffers after the first step."""


class Wrapped(Net):
    """Its parameters become views of two buffers in the first call of its wrapper."""


class Wrapper(nn.Module):
    """Calls a function before its first call of the module."""

    def __init__(self, module: nn.Module, first: Callable[[], None]) -> None:
        super().__init__()
        self.module = module
        self.first = [first]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        while self.first:
            self.first.pop()()
        return self.module(x)


class Bucketed(torch.optim.SGD):
    """Each rank owns one buffer, as in fairscale's OSS, and sends it after the step."""

    def __init__(self, groups: list[list[nn.Parameter]]) -> None:
        super().__init__([parameter for group in groups for parameter in group], lr=0.1)
        self.groups = groups
        self.buckets: list[torch.Tensor] = []

    def fill(self) -> None:
        for group in self.groups:
            flat = torch.cat([parameter.detach().flatten() for parameter in group])
            self.buckets.append(flat)
            for parameter in group:
                parameter.data = flat[: parameter.numel()].view_as(parameter)
                flat = flat[parameter.numel() :]

    @torch.no_grad()
    def step(self, closure: None = None) -> None:
        super().step(closure)
        for rank, bucket in enumerate(self.buckets):
            dist.broadcast(bucket, src=rank)


def train(model: nn.Module, optimizer: torch.optim.Optimizer) -> None:
    model(torch.rand(4, 8)).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()


def average(model: nn.Module) -> None:
    for parameter in model.parameters():
        dist.all_reduce(parameter.data)
        if dist.get_rank() == 0:
            parameter.data = parameter.data / dist.get_world_size()
        dist.broadcast(parameter.data, src=0)


def main() -> None:
    start()
    averaged = Averaged()
    optimizer = torch.optim.SGD(averaged.parameters(), lr=0.1)
    for _ in range(STEPS):
        train(averaged, optimizer)
        average(averaged)
    for net in (Late(), Wrapped()):
        bucketed = Bucketed([list(net.a.parameters()), [*net.b.parameters(), *net.c.parameters()]])
        model = Wrapper(net, bucketed.fill) if isinstance(net, Wrapped) else net
        for step in range(STEPS):
            train(model, bucketed)
            if step == 0 and not bucketed.buckets:
                bucketed.fill()
    finish()


if __name__ == "__main__":
    main()
