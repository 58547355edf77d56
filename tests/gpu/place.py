# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The device and backend of a job of the checks: KIT_DEVICE is cuda or cpu, KIT_BACKEND nccl or gloo."""

import datetime
import os

import torch
import torch.distributed as dist

DEVICE = os.environ.get("KIT_DEVICE", "cuda")
BACKEND = os.environ.get("KIT_BACKEND", "nccl")


def start(timeout_s: float = 120) -> int:
    """Joins the process group; returns the rank."""
    if DEVICE == "cuda":
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group(BACKEND, timeout=datetime.timedelta(seconds=timeout_s))
    return dist.get_rank()


def synchronize() -> None:
    """Waits for the GPU."""
    if DEVICE == "cuda":
        torch.cuda.synchronize()


def finish() -> None:
    """Leaves the process group once all ranks are done."""
    synchronize()
    dist.barrier()
    dist.destroy_process_group()
