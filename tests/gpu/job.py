# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""A job over NCCL. Its last line has its number of calls and their time by CUDA's own events."""

import json
import os
import statistics
import sys
import time

import torch
import torch.distributed as dist

SIZES = (1 << 12, 1 << 20, 1 << 24)
EACH = 20
CAPTURED = 3
LAUNCHES = 7
PACE_COUNT = 1000
PACE_CHUNKS = 30
PACE_SIZE = 1 << 8


class Reduce(torch.nn.Module):
    """All-reduces its input."""

    def forward(self, tensor: torch.Tensor) -> torch.Tensor:
        """All-reduces `tensor` in place."""
        dist.all_reduce(tensor)
        return tensor


def reduce_timed(model: Reduce, size: int) -> float:
    """Returns the milliseconds of EACH all_reduces of `size` floats, by events around each on the caller's stream."""
    tensor = torch.ones(size, device="cuda")
    model(tensor)
    torch.cuda.synchronize()
    total = 0.0
    for _ in range(EACH):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        model(tensor)
        end.record()
        torch.cuda.synchronize()
        total += begin.elapsed_time(end)
    return total


def replay(model: Reduce) -> None:
    """Captures CAPTURED all_reduces in a graph and launches it LAUNCHES times."""
    tensor = torch.ones(1 << 10, device="cuda")
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        model(tensor)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(CAPTURED):
            model(tensor)
    for _ in range(LAUNCHES):
        graph.replay()
    torch.cuda.synchronize()


def pace() -> float:
    """Returns the host time of one small all_reduce in microseconds: the median of PACE_CHUNKS loops."""
    tensor = torch.ones(PACE_SIZE, device="cuda")
    taken = []
    for _ in range(PACE_CHUNKS + 1):  # the first one warms up
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(PACE_COUNT):
            dist.all_reduce(tensor)
        taken.append(time.perf_counter() - begin)
    torch.cuda.synchronize()
    return statistics.median(taken[1:]) / PACE_COUNT * 1e6


def main() -> None:
    """Runs the job; with "pace" only the host-time measurement."""
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl")
    said: dict[str, object] = {}
    if sys.argv[1:] == ["pace"]:
        said["host_us"] = pace()
    else:
        model = Reduce()
        said["ms"] = {size: reduce_timed(model, size) for size in SIZES}
        replay(model)
    dist.destroy_process_group()
    if os.environ["RANK"] == "0":
        print(json.dumps(said))


if __name__ == "__main__":
    main()
