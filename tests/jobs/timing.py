# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""A straggler, overlapped computation and queued collectives, to check durations.

Rank 0 issues its collective, computes for COMPUTE_S and waits; rank 1 joins LATE_S later than rank 0.
"""

import time

import torch
import torch.distributed as dist
from common import finish, start

ROUNDS = 5
LATE_S = 0.1
COMPUTE_S = 0.05
MANY = 60


class Late(torch.nn.Module):
    """The collective with the late peer."""

    def forward(self, tensor: torch.Tensor) -> torch.Tensor:
        if dist.get_rank() == 1:
            time.sleep(LATE_S)
        work = dist.all_reduce(tensor, async_op=True)
        if dist.get_rank() == 0:
            time.sleep(COMPUTE_S)
        work.wait()
        return tensor


class Many(torch.nn.Module):
    """Queued collectives, more than the backend has threads."""

    def forward(self, tensor: torch.Tensor) -> torch.Tensor:
        works = [dist.broadcast(tensor, src=0, async_op=True) for _ in range(MANY)]
        for work in works:
            work.wait()
        return tensor


def main() -> None:
    start()
    late, many = Late(), Many()
    for _ in range(ROUNDS):
        dist.barrier()
        late(torch.ones(1000))
    many(torch.ones(1 << 16))
    finish()


if __name__ == "__main__":
    main()
