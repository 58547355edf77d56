# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Forks again and again while threads make modules, groups and collectives: `fork_storm.py FORKS`.

Each child communicates in a group that was there before, calls a module of a class that is new, and ends; the parent
says how many of them did. The groups only pretend, and no child touches what the job's own threads may have locked.
"""

import ctypes
import os
import sys
import threading

import torch
import torch.distributed as dist
from torch.testing._internal.distributed.fake_pg import FakeStore

THREADS = 6
CHILD_SECONDS = 60


class Scale(torch.nn.Module):
    """With a parameter that is not drawn: a generator has a lock, which a thread may hold at the fork."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.weight


def new_module(name: str) -> torch.nn.Module:
    """Of a class of its own, with a child and a parameter."""
    return type(name, (torch.nn.Sequential,), {})(Scale())


def work(number: int, groups: list[dist.ProcessGroup], stop: threading.Event, calls: list[int]) -> None:
    """A thread's: every call has another group than the one before, and many have a row that is new."""
    while not stop.is_set():
        call = calls[number]
        if call % 16 == 0:
            new_module(f"Thread{number}Class{call // 16 % 32}")(torch.ones(1))
        dist.all_reduce(torch.ones(1 << (call % 12)), group=groups[call % len(groups)])
        calls[number] = call + 1


def child(number: int, group: dist.ProcessGroup) -> None:
    """A forked process's life."""
    ctypes.CDLL(None).alarm(CHILD_SECONDS)  # a child that hangs dies of it
    new_module(f"Child{number}")(torch.ones(1))
    for _ in range(3):
        dist.all_reduce(torch.ones(4), group=group)
    os._exit(0)


def main() -> None:
    forks = int(sys.argv[1])
    torch.set_num_threads(1)
    dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=2)
    groups = [dist.new_group([0, 1]) for _ in range(8)]
    stop = threading.Event()
    calls = [0] * THREADS
    threads = [threading.Thread(target=work, args=(i, groups, stop, calls)) for i in range(THREADS)]
    for thread in threads:
        thread.start()
    ended: dict[int, int] = {}
    for number in range(forks):
        pid = os.fork()
        if pid == 0:
            child(number, groups[0])
        _, status = os.waitpid(pid, 0)
        code = os.waitstatus_to_exitcode(status)
        ended[code] = ended.get(code, 0) + 1
    stop.set()
    for thread in threads:
        thread.join()
    print(f"children {ended}", flush=True)
    with open(f"calls.{os.getpid()}", "w", encoding="utf-8") as log:
        print(sum(calls), file=log)


if __name__ == "__main__":
    main()
