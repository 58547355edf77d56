# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Training steps whose communication computation hides in part, and Kineto's trace: `exposed.py fsdp2|ddp|sync`.

The last line has, for each measured step, four sums in ns. `nccl`: the time in which kernels of NCCL run. `uncovered`:
the part of it in which no other kernel runs, which HolisticTraceAnalysis calls exposed. `gaps`: the part of that in
gaps of the stream that computes which end when a kernel of NCCL has ended. `waited`: of that, kernels on the stream of
the last one, from when the host has made the stream wait. What `gaps` has more is time in which the host was late, or a
copy had to wait because streams share a queue of the device; `uncovered` also has kernels that nothing waited for.
"""

import json
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

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


def waits_of(events: list[Any]) -> dict[int, int]:
    """Returns by a kernel's number when the host last made a stream wait before it launched the kernel."""
    calls = sorted(
        (event.start_ns(), event.name(), event.correlation_id(), event.device_resource_id())
        for event in events
        if event.device_type() == torch.profiler.DeviceType.CPU and event.name().startswith("cuda")
    )
    waits: dict[int, int] = {}
    last: dict[int, int] = {}
    for begin, name, number, thread in calls:
        if name.startswith("cudaStreamWaitEvent"):
            last[thread] = begin
        elif thread in last:
            waits[number] = last[thread]
    return waits


@dataclass
class Work:
    """Work of the device: an event of the trace."""

    begin: int
    end: int
    name: str
    stream: int
    number: int


def work_of(events: list[Any]) -> list[Work]:
    """Returns the device's kernels, copies and fillings."""
    return [
        Work(
            event.start_ns(),
            event.start_ns() + event.duration_ns(),
            event.name().lower(),
            event.device_resource_id(),
            event.correlation_id(),
        )
        for event in events
        if event.device_type() == torch.profiler.DeviceType.CUDA and event.duration_ns() > 0
    ]


def spans_of(works: list[Work]) -> list[Span]:
    """Returns the union of the works' spans."""
    return joined((work.begin, work.end) for work in works)


def sums_of(events: list[Any]) -> dict[str, int]:
    """Returns the sums of a step."""
    works = work_of(events)
    nccl = [work for work in works if "nccl" in work.name]
    others = [work for work in works if "nccl" not in work.name]
    kernels = [work for work in others if not work.name.startswith(("memcpy", "memset"))]
    streams = [work.stream for work in kernels]
    own = [work for work in others if work.stream == max(set(streams), key=streams.count)]
    begin, end = min(work.begin for work in works), max(work.end for work in works)
    waits, numbers = waits_of(events), {work.begin: work.number for work in own}
    in_gaps = waited = 0
    for gap in gaps(spans_of(own), begin, end):
        last = max((work for work in nccl if gap[0] < work.end <= gap[1]), key=lambda work: work.end, default=None)
        if last is None or gap[1] >= last.end + LAUNCH_NS:
            continue
        in_gaps += common_ns(spans_of(nccl), [gap])
        since = max(gap[0], min(waits.get(numbers.get(gap[1], 0), gap[0]), gap[1]))
        waited += common_ns(spans_of([work for work in nccl if work.stream == last.stream]), [(since, gap[1])])
    return {
        "nccl": sum(b - a for a, b in spans_of(nccl)),
        "uncovered": common_ns(spans_of(nccl), gaps(spans_of(kernels), begin, end)),
        "gaps": in_gaps,
        "waited": waited,
    }


def measured(step: Callable[[], None]) -> list[dict[str, int]]:
    """Runs the steps; returns the sums of those that are measured. What ends the job counts in one more step."""
    sums = []
    for number in range(WARM + MEASURED + 1):
        with profile(activities=[ProfilerActivity.CUDA]) as profiler:
            step()
            torch.cuda.synchronize()
        if WARM <= number < WARM + MEASURED:
            sums.append(sums_of(list(profiler.profiler.kineto_results.events())))
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
