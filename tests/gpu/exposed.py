# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Training steps whose communication computation hides in part, and Kineto's trace: `exposed.py fsdp2|ddp|sync`.

The last line has, for each measured step, three sums in ns. `nccl`: the time in which kernels of NCCL run. `uncovered`:
the part of it in which no other kernel runs, which HolisticTraceAnalysis calls exposed. `waited`: the part of that in
gaps of the stream that computes which end when a kernel of NCCL has ended. What is in `uncovered` alone is time in which
the host had not launched the next kernel yet, or in which another stream computes nothing either.
"""

import json
import sys
import time
from collections.abc import Callable, Iterable

import torch
import torch.distributed as dist
from place import DEVICE, finish, start
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel
from torch.profiler import ProfilerActivity, profile

WIDTH, ROWS, LAYERS, REPEATS = 2048, 8192, 6, 6
WARM, MEASURED = 3, 4
#: Between a kernel of NCCL and the first kernel that waited for it, at most.
LAUNCH_NS = 100_000
#: Longer than the tracker takes to see that a collective is over, so that it counts in its own step.
PAUSE_S = 0.05

Span = tuple[int, int]


class Layer(nn.Module):
    """Multiplies by one weight several times."""

    def __init__(self, *, reduces: bool) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(WIDTH, WIDTH) / WIDTH**0.5)
        self.reduces = reduces

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Returns x of the same shape, in sync mode of all ranks."""
        for _ in range(REPEATS):
            x = torch.relu(x @ self.weight)
        if self.reduces:
            with torch.no_grad():
                shared = x[:512].clone()
                dist.all_reduce(shared)
            x = x + shared.mean()
        return x


def model_of(mode: str) -> nn.Module:
    """Returns the model, parallel as `mode` says."""
    torch.manual_seed(1)
    model = nn.Sequential(*(Layer(reduces=mode == "sync") for _ in range(LAYERS))).to(DEVICE)
    if mode == "ddp":
        return DistributedDataParallel(model)
    if mode == "fsdp2":
        for layer in model:
            fully_shard(layer)
        fully_shard(model)
    return model


def joined(spans: Iterable[Span]) -> list[Span]:
    """Returns the union of spans, in order."""
    union: list[Span] = []
    for begin, end in sorted(spans):
        if union and begin <= union[-1][1]:
            union[-1] = (union[-1][0], max(end, union[-1][1]))
        else:
            union.append((begin, end))
    return union


def common_ns(one: list[Span], other: list[Span]) -> int:
    """Returns the length of the intersection of two unions."""
    return sum(max(0, min(a[1], b[1]) - max(a[0], b[0])) for a in one for b in other)


def gaps(union: list[Span], begin: int, end: int) -> list[Span]:
    """Returns what a union leaves of a span."""
    edges = [begin, *(edge for span in union for edge in span), end]
    return [(a, b) for a, b in zip(edges[::2], edges[1::2], strict=True) if b > a]


def sums_of(profiler: profile) -> dict[str, int]:
    """Returns the sums of a step."""
    events = [
        (event.name().lower(), event.device_resource_id(), event.start_ns(), event.start_ns() + event.duration_ns())
        for event in profiler.profiler.kineto_results.events()
        if event.device_type() == torch.profiler.DeviceType.CUDA and event.duration_ns() > 0
    ]
    nccl = joined((begin, end) for name, _, begin, end in events if "nccl" in name)
    others = [event[1:] for event in events if not any(word in event[0] for word in ("nccl", "memcpy", "memset"))]
    by_stream = [stream for stream, *_ in others]
    computing = max(set(by_stream), key=by_stream.count)
    begin, end = min(event[2] for event in events), max(event[3] for event in events)
    own = joined((a, b) for stream, a, b in others if stream == computing)
    idle = [gap for gap in gaps(own, begin, end) if any(gap[0] < last <= gap[1] < last + LAUNCH_NS for _, last in nccl)]
    elsewhere = gaps(joined((a, b) for _, a, b in others), begin, end)
    total = sum(b - a for a, b in nccl)
    return {"nccl": total, "uncovered": common_ns(nccl, elsewhere), "waited": common_ns(nccl, idle)}


def measured(step: Callable[[], None]) -> list[dict[str, int]]:
    """Runs the steps; returns the sums of those that are measured."""
    sums = []
    for number in range(WARM + MEASURED):
        with profile(activities=[ProfilerActivity.CUDA]) as profiler:
            step()
            torch.cuda.synchronize()
        if number >= WARM:
            sums.append(sums_of(profiler))
        time.sleep(PAUSE_S)
    return sums


def main() -> None:
    """Runs the job."""
    start()
    model = model_of(sys.argv[1])
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-5)
    given = torch.randn(ROWS, WIDTH, device=DEVICE)

    def step() -> None:
        model(given).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()

    sums = measured(step)
    finish()
    print(json.dumps({"first": WARM, "steps": sums}))


if __name__ == "__main__":
    main()
