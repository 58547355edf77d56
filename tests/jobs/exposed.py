# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Waits of a known length: each case communicates in the module Issues and waits in a module of its own.

Rank 1 joins each collective PEER_S after rank 0, except in DDP. So on rank 0 a collective runs for PEER_S, of which the
rank computes for a part.
"""

import time

import torch
import torch.distributed as dist
from common import finish, start

ROUNDS = 5
PEER_S = 0.08
#: How long rank 0 computes between the call and the wait, by case.
COMPUTE_S = {"hides_all": 2 * PEER_S, "hides_half": PEER_S / 2, "hides_none": 0.0}


class Issues(torch.nn.Module):
    """Begins a collective that another module waits for."""

    def forward(self, tensor: torch.Tensor) -> dist.Work:
        if dist.get_rank() == 1:
            time.sleep(PEER_S)
        return dist.all_reduce(tensor, async_op=True)


class Waits(torch.nn.Module):
    """Computes, and waits for the collective of Issues."""

    def __init__(self, compute_s: float) -> None:
        super().__init__()
        self.compute_s = compute_s

    def forward(self, work: dist.Work) -> None:
        if dist.get_rank() == 0:
            time.sleep(self.compute_s)
        work.wait()


class Sync(torch.nn.Module):
    """A synchronous call."""

    def forward(self, tensor: torch.Tensor) -> torch.Tensor:
        if dist.get_rank() == 1:
            time.sleep(PEER_S)
        dist.all_reduce(tensor)
        return tensor


class Cases(torch.nn.Module):
    """All cases, one after the other; a barrier before each lets the ranks begin together."""

    def __init__(self) -> None:
        super().__init__()
        self.sync = Sync()
        for name, compute_s in COMPUTE_S.items():
            self.add_module(f"{name}_issues", Issues())
            self.add_module(name, Waits(compute_s))

    def forward(self, tensor: torch.Tensor) -> torch.Tensor:
        dist.barrier()
        self.sync(tensor.clone())
        for name in COMPUTE_S:
            dist.barrier()
            self.get_submodule(name)(self.get_submodule(f"{name}_issues")(tensor.clone()))
        return tensor


class Sleeps(torch.autograd.Function):
    """The identity, whose backward takes longer on rank 1."""

    @staticmethod
    def forward(context: object, tensor: torch.Tensor) -> torch.Tensor:
        return tensor.view_as(tensor)

    @staticmethod
    def backward(context: object, gradient: torch.Tensor) -> torch.Tensor:
        if dist.get_rank() == 1:
            time.sleep(PEER_S)
        return gradient


class Net(torch.nn.Module):
    """A model for DDP: rank 1 is late with its only bucket."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)

    def forward(self, tensor: torch.Tensor) -> torch.Tensor:
        return Sleeps.apply(self.layer(tensor))


def main() -> None:
    start()
    cases = Cases()
    model = torch.nn.parallel.DistributedDataParallel(Net())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(ROUNDS):
        cases(torch.ones(8))
        dist.barrier()
        model(torch.ones(2, 4)).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
    finish()


if __name__ == "__main__":
    main()
