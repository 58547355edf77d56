# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""One process that exceeds every table's capacity, on the fake backend. Prints the memory and disk that this took."""

import argparse
import glob
import json
import os
import resource

import torch
import torch.distributed as dist
from torch.testing._internal.distributed.fake_pg import FakeStore

WORLD = 4096
GROUPS = 1000
STEPS = 100_000
NAMESAKES = 20_000
DEEP = 5000


class Tiny(torch.nn.Module):
    """Does nothing, or only communicates."""

    def __init__(self, communicates: bool = False) -> None:
        super().__init__()
        self.communicates = communicates

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.communicates:
            dist.all_reduce(x)
        return x


def distinct_modules(count: int) -> None:
    """Makes, calls and drops modules, each of its own class; the last one communicates."""
    x = torch.ones(1)
    kept = Tiny(communicates=True)
    kept(x)
    for i in range(count):
        Tiny.__name__ = f"Tiny{i}"
        Tiny()(x)
    Tiny(communicates=True)(x)
    kept(x)


def groups() -> None:
    """Makes groups of the whole world, so that their lists of ranks are long."""
    for i in range(GROUPS):
        group = dist.new_group(list(range(WORLD)), group_desc=f"group {i}", use_local_synchronization=True)
        dist.all_reduce(torch.ones(1), group=group)


def steps() -> None:
    parameter = torch.zeros(1, requires_grad=True)
    parameter.grad = torch.zeros(1)
    optimizer = torch.optim.SGD([parameter], lr=0.1)
    Tiny.__name__ = "Step"
    model = Tiny()
    for _ in range(STEPS):
        model(parameter)
        dist.all_reduce(parameter.grad)
        optimizer.step()
    model(parameter)  # the last step ends where the next one begins


def namesakes() -> None:
    """Makes modules of one class that are all alive at once."""
    Tiny.__name__ = "Same"
    alive = [Tiny() for _ in range(NAMESAKES)]
    for module in alive:
        module(torch.ones(1))


def deep() -> None:
    """Calls a deeply nested module."""
    Tiny.__name__ = "Deep"
    module = inner = Tiny()
    for _ in range(DEEP):
        inner.inside = Tiny()
        inner = inner.inside
    module(torch.ones(1))
    while (inner := getattr(module, "inside", None)) is not None:
        del module.inside  # from the outside in, so that destruction does not recurse
        module = inner


def on_disk() -> int:
    """Returns the ledger's allocated bytes on disk."""
    return sum(os.stat(path).st_blocks * 512 for path in glob.glob(os.environ.get("COMMTAP_OUT", "") + "/*.ledger"))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("modules", "rest"))
    parser.add_argument("--count", type=int, default=1_000_000)
    arguments = parser.parse_args()
    dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=WORLD)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    if arguments.what == "modules":
        distinct_modules(arguments.count)
    else:
        deep()
        namesakes()
        groups()
        steps()
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    with open("measured", "w", encoding="utf-8") as file:
        json.dump({"memory": grown * 1024, "disk": on_disk()}, file)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
