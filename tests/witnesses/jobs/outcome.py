# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The common part of all jobs: its model, its data, and the lines that the runner compares."""

from collections.abc import Iterable

import torch
from torch import nn

WIDTH = 64
STEPS = 4
BATCH = 4
VOCABULARY = 128
LENGTH = 16


def perceptron() -> nn.Module:
    """Returns two hidden layers, the same on each rank."""
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, 1))


def samples(count: int) -> torch.utils.data.TensorDataset:
    """Returns inputs and targets, the same on each rank."""
    generator = torch.Generator().manual_seed(1)
    inputs = torch.randn(count, WIDTH, generator=generator)
    return torch.utils.data.TensorDataset(inputs, inputs.sum(1, keepdim=True))


def print_outcome(losses: Iterable[float], parameters: Iterable[torch.Tensor]) -> None:
    """Prints the losses and a sum over each parameter without rounding."""
    print("losses", [float(loss) for loss in losses])
    print("parameters", [local(each).detach().double().sum().item() for each in parameters])


def local(tensor: torch.Tensor) -> torch.Tensor:
    """Returns this rank's part of a sharded parameter, so that printing communicates nothing."""
    return tensor.to_local() if isinstance(tensor, torch.distributed.tensor.DTensor) else tensor
