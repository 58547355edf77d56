# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""A job that hangs, for `commtap why`: `hang.py stopped | skip SECONDS`. SECONDS is the timeout of the process group.

stopped: rank 1 is stopped by a signal after some steps. skip: rank 1 leaves out a layer. Says "at work" before that.
"""

import os
import signal
import sys
import time

import torch
import torch.distributed as dist
from place import DEVICE, start, synchronize

STEPS = 4
LAYERS = ("a", "b", "c")
FOREVER_S = 600


class Layer(torch.nn.Module):
    """All-reduces a tensor of its own size."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.size = size

    def forward(self) -> None:
        """All-reduces, and waits."""
        dist.all_reduce(torch.ones(self.size, device=DEVICE))
        synchronize()


class Net(torch.nn.Module):
    """Some layers."""

    def __init__(self) -> None:
        super().__init__()
        for number, name in enumerate(LAYERS):
            setattr(self, name, Layer(64 << number))

    def forward(self, left_out: str = "") -> None:
        """Runs the layers in turn."""
        for name in LAYERS:
            if name != left_out:
                getattr(self, name)()


def main() -> None:
    """Hangs. A rank on Gloo that gets an error from it ends, as the watchdog of NCCL ends a process."""
    what, timeout_s = sys.argv[1], float(sys.argv[2])
    rank = start(timeout_s)
    net = Net()
    for _ in range(STEPS):
        net()
    print("at work", flush=True)
    if rank == 1 and what == "stopped":
        os.kill(os.getpid(), signal.SIGSTOP)
    if rank == 1:
        try:
            net(left_out="b")
        finally:
            time.sleep(FOREVER_S)
    net()
    time.sleep(FOREVER_S)


if __name__ == "__main__":
    main()
