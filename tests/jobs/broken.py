# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""A collective that fails because its peer exits; the job catches its exception."""

import os

import torch
import torch.distributed as dist
from common import start


def main() -> None:
    rank = start()
    dist.all_reduce(torch.ones(3))
    if rank == 1:
        os._exit(0)
    try:
        dist.all_reduce(torch.ones(3))
    except RuntimeError as error:
        print(type(error).__name__, flush=True)


if __name__ == "__main__":
    main()
