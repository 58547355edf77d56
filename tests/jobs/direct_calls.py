# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Modules that are called although the module that registers them never is."""

import torch
import torch.distributed as dist
from common import finish, start
from torch import nn


class Reduce(nn.Module):
    """A layer that communicates."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.linear(x).detach()
        dist.all_reduce(y)
        return y


class Model(nn.Module):
    """Its forward is called directly."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Reduce() for _ in range(2))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            x = layer(x)
        return x


class Autoencoder(nn.Module):
    """Only its parts are called."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(Reduce())
        self.decoder = Reduce()


class Trainer:
    """Calls the parts of a model that it holds."""

    def __init__(self) -> None:
        self.model = Autoencoder()

    def step(self, x: torch.Tensor) -> torch.Tensor:
        return self.decode(self.model.encoder(x))

    def decode(self, x: torch.Tensor) -> torch.Tensor:
        return self.model.decoder(x)


class Stage:
    """Stands for a pipeline's stage, which calls its part's forward."""

    def __init__(self, part: nn.Module) -> None:
        self.submod = part

    def forward_one_chunk(self, x: torch.Tensor) -> torch.Tensor:
        return self.submod.forward(x)


class Tower(nn.Module):
    """A model of which a function has a local variable."""

    def __init__(self) -> None:
        super().__init__()
        self.block = Reduce()


def call_a_part(x: torch.Tensor) -> torch.Tensor:
    tower = Tower()
    parts = dict(tower.named_children())
    return parts["block"](x)


class Pipelined(Model):
    """A model of a stage."""


def main() -> None:
    start()
    x = torch.ones(1, 4)
    model = Model()
    model.forward(x)
    Trainer().step(x)
    Stage(Pipelined()).forward_one_chunk(x)
    call_a_part(x)
    functional = Tower()
    torch.func.functional_call(functional.block, dict(functional.block.named_parameters()), (x,))
    alone = [Reduce()]
    alone[0](x)
    finish()


if __name__ == "__main__":
    main()
