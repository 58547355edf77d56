# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""All_reduces of several sizes, each in a module of its own, whose kernels Kineto measures in the same run.

The last line has the kernels' time and the number of all_reduces by module.
"""

import json

import torch
import torch.distributed as dist
from place import DEVICE, finish, start
from torch.profiler import ProfilerActivity, profile

SIZES = {"Small": 1 << 14, "Middle": 1 << 20, "Large": 1 << 25}
COUNT = 20


class Reduce(torch.nn.Module):
    """All-reduces its input."""

    def forward(self, tensor: torch.Tensor) -> torch.Tensor:
        """All-reduces `tensor` in place."""
        dist.all_reduce(tensor)
        return tensor


def kernels_ns(model: torch.nn.Module, tensor: torch.Tensor) -> int:
    """Returns the sum of the times of NCCL's kernels for COUNT all_reduces."""
    with profile(activities=[ProfilerActivity.CUDA]) as profiler:
        for _ in range(COUNT):
            model(tensor)
            torch.cuda.synchronize()
    return sum(
        event.duration_ns()
        for event in profiler.profiler.kineto_results.events()
        if "nccl" in event.name().lower() and event.device_type() == torch.profiler.DeviceType.CUDA
    )


def main() -> None:
    """Runs the job. The first all_reduce, which connects the ranks, is in no module."""
    start()
    dist.all_reduce(torch.ones(1, device=DEVICE))
    torch.cuda.synchronize()
    kineto, counts = {}, {}
    for name, size in SIZES.items():
        model = type(name, (Reduce,), {})()
        kineto[name] = kernels_ns(model, torch.ones(size, device=DEVICE))
        counts[name] = COUNT
    finish()
    print(json.dumps({"kineto_ns": kineto, "counts": counts}))


if __name__ == "__main__":
    main()
