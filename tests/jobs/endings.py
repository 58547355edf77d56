# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""A few all-reduces, then one of the ways to end a process."""

import argparse
import os
import signal
import sys

import torch
import torch.distributed as dist
from common import say, start


def end(how: str) -> None:
    """Ends the process."""
    if how == "raise":
        raise ValueError("the job's own mistake")
    if how == "exit":
        sys.exit(3)
    if how == "_exit":
        os._exit(4)
    if how == "abort":
        os.abort()
    if how == "terminate":
        signal.raise_signal(signal.SIGTERM)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("how", choices=("raise", "exit", "_exit", "abort", "terminate"))
    arguments = parser.parse_args()
    start()
    value = torch.ones(16)
    for _ in range(3):
        dist.all_reduce(value)
    say(f"value {value.tolist()}")
    # Neither rank ends before both have all results.
    dist.barrier()
    try:
        end(arguments.how)
    finally:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
