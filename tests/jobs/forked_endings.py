# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""One process that imports torch and forks a rank for each way to end: `forked_endings.py LOG WAY...`.

Every rank appends a line to LOG.<rank> before each collective, and "ends" after its last one: its report must hold
these lines. The process groups use the fake backend, because a forked child has no Gloo threads. Prints how each rank
ended.
"""

import ctypes
import os
import resource
import shutil
import signal
import sys
import time
from typing import TextIO

import torch
import torch.distributed as dist
import torch.testing._internal.distributed.fake_pg
from logged import Net, broadcast

#: Way: the signal that the parent sends to a rank that waits for it.
SENT = {
    "sigterm": signal.SIGTERM,
    "sigterm-handled": signal.SIGTERM,
    "sigint": signal.SIGINT,
    "sigkill": signal.SIGKILL,
}


def communicate(log: TextIO, rank: int) -> None:
    """Makes collectives, more in each rank than in the previous one."""
    net = Net(log)
    for size in range(4, 8 + rank):
        net(torch.ones(size))
        broadcast(log)


def limit_memory() -> None:
    """Limits the memory to the current use plus 64 MiB."""
    with open("/proc/self/statm", encoding="ascii") as statm:
        used = int(statm.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + (64 << 20), resource.RLIM_INFINITY))


def hold_memory() -> None:
    """Allocates memory without end, in pieces of a page."""
    held = []
    while True:
        held.append(b"x" * 4096 + len(held).to_bytes(8))


def abort_in_a_thread_of_its_own() -> None:
    """Aborts on a native thread, as a library's watchdog does."""
    libc = ctypes.CDLL(None)
    thread = ctypes.c_ulong()
    libc.pthread_create(ctypes.byref(thread), None, ctypes.cast(libc.abort, ctypes.c_void_p), None)
    time.sleep(600)


def fill_disk(folder: str) -> None:
    """Fills the disk to the last byte."""
    with open(os.path.join(folder, "ballast"), "wb", buffering=0) as ballast:
        while True:
            try:
                ballast.write(bytes(1 << 10))
            except OSError:
                return


def before(way: str, folder: str) -> None:
    """Sets up a way to end, before the first collective."""
    if way == "file-size-limit":
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, resource.RLIM_INFINITY))
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # Python ignores it by default
    elif way == "no-descriptors":
        resource.setrlimit(resource.RLIMIT_NOFILE, (3, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    elif way == "folder-is-a-file":
        os.makedirs(os.path.dirname(folder), exist_ok=True)
        with open(folder, "wb"):
            pass


def end(way: str, folder: str) -> None:
    """Ends the process, or returns, which is one of the ways."""
    if way == "exception":
        raise ValueError("the job's own mistake")
    if way == "sys.exit":
        sys.exit(3)
    if way == "os._exit":
        os._exit(4)
    if way == "sigsegv":
        ctypes.string_at(0)
    if way == "abort":
        abort_in_a_thread_of_its_own()
    if way == "exec":
        os.execv("/bin/true", ["true"])
    if way == "out-of-memory":
        limit_memory()
        hold_memory()
    if way == "folder-vanishes":
        shutil.rmtree(folder, ignore_errors=True)
    if way == "no-descriptors":
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    if way == "oom-killed":
        with open(os.environ["JOB_MEMORY_GROUP"], "w", encoding="ascii") as group:
            print(os.getpid(), file=group)
        hold_memory()
    if way in SENT:
        time.sleep(600)


def be_rank(rank: int, ways: list[str], log_path: str) -> None:
    """Runs in a forked child."""
    way = ways[rank]
    folder = os.environ.get("COMMTAP_OUT", "/nowhere/%r").replace("%r", str(rank))
    if way == "sigterm-handled":
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(5))
    with open(f"{log_path}.{rank}", "w", encoding="utf-8") as log:
        before(way, folder)
        dist.init_process_group("fake", store=dist.HashStore(), rank=rank, world_size=len(ways))
        communicate(log, rank)
        if way == "disk-fills-up":
            fill_disk(folder)
            communicate(log, rank)
        print("ends", file=log, flush=True)
        end(way, folder)


def wait_for_end_of_log(path: str) -> None:
    """Waits until the rank has made its last collective."""
    while True:
        with open(path, encoding="utf-8") as log:
            if log.read().endswith("ends\n"):
                return
        time.sleep(0.01)


def main() -> None:
    log_path, *ways = sys.argv[1:]
    children = []
    for rank in range(len(ways)):
        with open(f"{log_path}.{rank}", "w", encoding="utf-8"):
            child = os.fork()
        if child == 0:
            be_rank(rank, ways, log_path)
            return
        children.append(child)
    for rank, (way, child) in enumerate(zip(ways, children, strict=True)):
        if way in SENT:
            wait_for_end_of_log(f"{log_path}.{rank}")
            os.kill(child, SENT[way])
        _, status = os.waitpid(child, 0)
        print(f"{way} {os.waitstatus_to_exitcode(status)}", flush=True)


if __name__ == "__main__":
    main()
