# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Collectives that are logged before they are made, one line per call: "module phase kind bytes"."""

from typing import TextIO

import torch
import torch.distributed as dist


def log_call(log: TextIO, module: str, kind: str, tensor: torch.Tensor) -> None:
    """Logs a call, unbuffered, so that the line survives a crash in the call."""
    print(f"{module} {'other' if module == 'Global' else 'forward'} {kind} {tensor.nbytes}", file=log, flush=True)


def broadcast(log: TextIO) -> None:
    """Broadcasts outside any module."""
    tensor = torch.ones(2)
    log_call(log, "Global", "broadcast", tensor)
    dist.broadcast(tensor, 0)


class Block(torch.nn.Module):
    """Communicates in its forward."""

    def __init__(self, parent: str, log: TextIO) -> None:
        super().__init__()
        self.parent, self.log = parent, log

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        log_call(self.log, f"{self.parent}.block", "all_reduce", x)
        dist.all_reduce(x)
        return x


class Net(torch.nn.Module):
    """A module with a child."""

    def __init__(self, log: TextIO) -> None:
        super().__init__()
        self.block = Block(type(self).__name__, log)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.block(x)


def new_net(name: str, log: TextIO) -> Net:
    """Returns a net whose class has that name."""
    return type(name, (Net,), {})(log)
