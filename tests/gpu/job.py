# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""All_reduces, as the argument says: `job.py sum | graph | pace`. The last line of each rank is JSON.

sum: that the sum over the ranks is right, and which NCCL is loaded. graph: eager, and in a CUDA graph of the job's own.
pace: the host time of a small one.
"""

import ctypes
import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import torch
import torch.distributed as dist
from place import DEVICE, finish, start, synchronize

SIZES = (1 << 4, 1 << 12, 1 << 20, 1 << 24)
EACH = 5
GRAPH_SIZE = 1 << 10
CAPTURED = 3
LAUNCHES = 7
PACE_COUNT = int(os.environ.get("PACE_COUNT", "1000"))
PACE_CHUNKS = int(os.environ.get("PACE_CHUNKS", "30"))
PACE_SIZE = 1 << 8


class Reduce(torch.nn.Module):
    """All-reduces its input."""

    def forward(self, tensor: torch.Tensor) -> torch.Tensor:
        """All-reduces `tensor` in place."""
        dist.all_reduce(tensor)
        return tensor


def loaded_libraries() -> list[str]:
    """Returns the paths of the libnccl that this process has mapped."""
    lines = Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
    return sorted({line.split()[-1] for line in lines if "libnccl.so" in line})


def used_library() -> str:
    """Returns the path of the libnccl whose functions torch calls: a preloaded one comes before torch's own."""
    libraries = loaded_libraries()
    preloaded = os.environ.get("LD_PRELOAD", "").split(":")
    return next((library for library in libraries if library in preloaded), libraries[0])


def nccl_version() -> str:
    """Returns the version of that library; torch itself only knows the one that it was built with."""
    code = ctypes.c_int()
    ctypes.CDLL(used_library()).ncclGetVersion(ctypes.byref(code))
    return f"{code.value // 10000}.{code.value // 100 % 100}.{code.value % 100}"


def sums() -> dict[str, object]:
    """Returns the least and the most of all elements of sums of the ranks' numbers, which are from 1."""
    model, values = Reduce(), []
    for size in SIZES if DEVICE == "cuda" else SIZES[:2]:
        tensor = torch.full((size,), float(dist.get_rank() + 1), device=DEVICE)
        values += [model(tensor).min().item(), tensor.max().item()]
    version = nccl_version() if DEVICE == "cuda" else None
    return {"least": min(values), "most": max(values), "version": version, "libraries": loaded_libraries()}


def graph() -> dict[str, object]:
    """Captures CAPTURED all_reduces in a graph and launches it LAUNCHES times, after eager ones.

    Each all_reduce of ones multiplies by the number of ranks.
    """
    model = Reduce()
    for size in SIZES:
        for _ in range(EACH):
            model(torch.ones(size, device=DEVICE))
    tensor = torch.ones(GRAPH_SIZE, device=DEVICE)
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        model(tensor)
    torch.cuda.synchronize()
    tensor.fill_(1)
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured):
        for _ in range(CAPTURED):
            model(tensor)
    for _ in range(LAUNCHES):
        captured.replay()
    torch.cuda.synchronize()
    made = len(SIZES) * EACH + 1 + CAPTURED * LAUNCHES
    size = sum(SIZES) * EACH + GRAPH_SIZE * (1 + CAPTURED * LAUNCHES)
    is_right = tensor.min().item() == float(dist.get_world_size() ** (CAPTURED * LAUNCHES))
    return {"count": made, "bytes": 4 * size, "captured": CAPTURED, "launches": LAUNCHES, "right": is_right}


def pace() -> dict[str, object]:
    """Returns the host time of one small all_reduce in microseconds: the median of PACE_CHUNKS loops."""
    tensor = torch.ones(PACE_SIZE, device=DEVICE)
    taken = []
    for _ in range(PACE_CHUNKS + 1):  # the first one warms up
        synchronize()
        begin = time.perf_counter()
        for _ in range(PACE_COUNT):
            dist.all_reduce(tensor)
        taken.append(time.perf_counter() - begin)
    return {"host_us": statistics.median(taken[1:]) / PACE_COUNT * 1e6}


JOBS: dict[str, Callable[[], dict[str, object]]] = {"sum": sums, "graph": graph, "pace": pace}


def main() -> None:
    """Runs one of the jobs."""
    start()
    said = JOBS[sys.argv[1]]()
    finish()
    print(json.dumps(said))


if __name__ == "__main__":
    main()
