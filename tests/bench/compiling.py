# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Compiles one training step with collectives inside the graphs, on the backend that does nothing.

With a counter (counter.c) under callgrind, the compilation is counted in instructions, without the C++ compiler that
Inductor starts. `--size` prints the bytes of commtap's side files and the number of graphs instead.
"""

import argparse
import ctypes
import os
import sys
from pathlib import Path

import torch
import torch.distributed as dist
from torch.testing._internal.distributed.fake_pg import FakeStore

sys.path.insert(0, str(Path(__file__).parent.parent / "jobs"))

from compiled import Model

DIM = 64
TOKENS = 32


def step(model: torch.nn.Module) -> None:
    model(torch.rand(TOKENS, DIM, requires_grad=True)).square().mean().backward()


def side_files() -> list[Path]:
    """commtap's files in Inductor's cache folder, one for each generated file."""
    return [path for path in Path(os.environ["TORCHINDUCTOR_CACHE_DIR"]).glob("commtap-*/**/*") if path.is_file()]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--counter")
    parser.add_argument("--size", action="store_true")
    arguments = parser.parse_args()
    dist.init_process_group("fake", rank=0, world_size=2, store=FakeStore())
    model = Model(DIM, breaks=False, recompute=False)
    step(model)
    # What the first compilation of a process imports and prepares is no part of a model's own.
    torch.compile(torch.nn.Linear(DIM, DIM))(torch.rand(TOKENS, DIM, requires_grad=True)).sum().backward()
    compiled = torch.compile(model)
    if arguments.counter:
        counter = ctypes.CDLL(arguments.counter)
        counter.counter_begin()
        step(compiled)
        counter.counter_end(int(os.environ.get("COMMTAP", "1")))
    else:
        step(compiled)
    if arguments.size:
        files = side_files()
        print(sum(path.stat().st_size for path in files), len(files))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
