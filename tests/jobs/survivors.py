# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Two torchrun ranks, one of which outlives the other: `survivors.py LOG fail|outlive`.

Each rank writes LOG.<attempt>.<rank> before each of its collectives. With "fail", rank 1 fails in the first attempt,
and rank 0 does not notice. With "outlive", both wait until torchrun has exited and the file "go" exists. Then rank 1
kills itself, and rank 0 ends after it.
"""

import os
import signal
import sys
import time
from pathlib import Path

import torch
import torch.distributed as dist
from logged import new_net
from restart import join

PATIENCE_S = 120


def wait_until_exists(path: Path) -> None:
    """Waits until the file exists; fails after a timeout, because no parent would end this process."""
    deadline = time.monotonic() + PATIENCE_S
    while not path.exists():
        assert time.monotonic() < deadline, f"waited in vain for {path}"
        time.sleep(0.02)


def is_gone(pid: int) -> bool:
    """Returns whether the process has exited; a zombie has."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def main() -> None:
    log_name, way = sys.argv[1:]
    attempt = int(os.environ["TORCHELASTIC_RESTART_COUNT"])
    join(attempt)
    rank = dist.get_rank()
    with open(f"{log_name}.{attempt}.{rank}", "w", encoding="utf-8") as log:
        net = new_net("Net", log)
        for size in range(1, 4 + attempt):
            net(torch.ones(size))
        if way == "fail" and attempt == 0:
            if rank == 1:
                sys.exit(1)
            time.sleep(10 * PATIENCE_S)
        if way == "outlive":
            Path(f"pid.{rank}").write_text(str(os.getpid()), encoding="ascii")
            Path(f"ready.{rank}").touch()
            wait_until_exists(Path("go"))
            net(torch.ones(9))
            if rank == 1:
                os.kill(os.getpid(), signal.SIGKILL)
            other = int(Path("pid.1").read_text(encoding="ascii"))
            while not is_gone(other):
                time.sleep(0.02)
            Path("last").touch()
    if way == "fail":
        dist.barrier()
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
