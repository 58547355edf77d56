# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Fails in torchrun's first attempt, after two collectives, and succeeds in the second, after three."""

import os
import sys

import torch
import torch.distributed as dist
from common import finish, say


def join(attempt: int) -> None:
    """Joins with keys of this attempt.

    torchrun's store outlives an attempt, and torch 2.13 would let Gloo find the addresses of the exited ranks.
    """
    store, rank, world_size = next(dist.rendezvous("env://"))
    dist.init_process_group(
        "gloo", store=dist.PrefixStore(f"attempt-{attempt}", store), rank=rank, world_size=world_size
    )


def main() -> None:
    attempt = int(os.environ["TORCHELASTIC_RESTART_COUNT"])
    join(attempt)
    value = torch.ones(2)
    for _ in range(2 + attempt):
        dist.all_reduce(value)
    # Without the barrier a peer may still be waiting for the last result.
    dist.barrier()
    if attempt == 0:
        sys.exit(1)
    say(f"value {value.tolist()}")
    finish()


if __name__ == "__main__":
    main()
