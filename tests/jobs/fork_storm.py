# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Forks repeatedly while threads make modules, groups and collectives: `fork_storm.py FORKS`.

Each child communicates in an existing group, calls a module of a new class, and ends. The parent prints the number of
children that did. The groups use the fake backend, and no child touches locks of the job's own threads.
"""

import ctypes
import functools
import os
import sys
import threading

import torch
import torch.distributed as dist
from torch.testing._internal.distributed.fake_pg import FakeStore

THREADS = 6
CLASSES = 4  # of each thread: commtap looks a limited time for the owners of a class's modules
CHILD_SECONDS = 60


class Scale(torch.nn.Module):
    """Has a parameter that is not random: a generator has a lock, which a thread may hold at the fork."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.weight


@functools.cache
def class_named(name: str) -> type[torch.nn.Module]:
    return type(name, (torch.nn.Sequential,), {})


def new_module(name: str) -> torch.nn.Module:
    """Returns a module of the class of that name, with a child and a parameter."""
    return class_named(name)(Scale())


def work(number: int, groups: list[dist.ProcessGroup], stop: threading.Event, calls: list[int]) -> None:
    """Runs on a thread: every call uses another group than the previous one, and many have a new row."""
    while not stop.is_set():
        call = calls[number]
        if call % 16 == 0:
            new_module(f"Thread{number}Class{call // 16 % CLASSES}")(torch.ones(1))
        dist.all_reduce(torch.ones(1 << (call % 12)), group=groups[call % len(groups)])
        calls[number] = call + 1


def child(number: int, group: dist.ProcessGroup) -> None:
    """Runs in a forked child."""
    ctypes.CDLL(None).alarm(CHILD_SECONDS)  # ends a child that hangs
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
