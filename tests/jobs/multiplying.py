# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""One process that starts many processes and threads: `multiplying.py LOG PART...`.

Every thread of every process writes the file LOG.<pid>.<thread> before each of its collectives: the process's report
must hold these lines. The process groups use the fake backend, because a forked child has no Gloo threads.
"""

import contextlib
import ctypes
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.pool import ThreadPool
from typing import TextIO

LOG, *PARTS = sys.argv[1:] if len(sys.argv) > 1 else ("log",)

_torch_is_here = threading.Event()
_early: list[threading.Thread] = []
#: Kept alive while native threads may call them.
_callbacks: list[object] = []


@contextlib.contextmanager
def log_of_this_thread() -> Iterator[TextIO]:
    """Opens the log that only this thread writes."""
    with open(f"{LOG}.{os.getpid()}.{threading.get_native_id()}", "a", encoding="utf-8") as log:
        yield log


def early_thread(number: int) -> None:
    """Runs on a Python thread that is older than the import of torch."""
    _torch_is_here.wait()
    communicate(f"EarlyThread{number}")


def start_native_thread(name: str, wait: threading.Event) -> ctypes.c_ulong:
    """Starts a thread by pthread_create(), as std::thread does."""

    def run(_: object) -> None:
        wait.wait()
        communicate(name)

    _callbacks.append(ctypes.CFUNCTYPE(None, ctypes.c_void_p)(run))
    thread = ctypes.c_ulong()
    ctypes.CDLL(None).pthread_create(ctypes.byref(thread), None, _callbacks[-1], None)
    return thread


def join_native_thread(thread: ctypes.c_ulong) -> None:
    """Joins a native thread; ctypes releases the GIL for the call."""
    ctypes.CDLL(None).pthread_join(thread, None)


if __name__ == "__main__" and "threads" in PARTS:
    _early = [threading.Thread(target=early_thread, args=(i,)) for i in range(2)]
    for each in _early:
        each.start()
    _early_native = start_native_thread("EarlyNativeThread", _torch_is_here)

import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402
import torch.testing._internal.distributed.fake_pg  # noqa: E402
from logged import broadcast, new_net  # noqa: E402


def communicate(name: str, calls: int = 3) -> None:
    """Makes collectives on this thread, in a module of its own class and outside any module."""
    with log_of_this_thread() as log:
        net = new_net(name, log)
        for size in range(1, calls + 1):
            net(torch.ones(size))
            broadcast(log)


def join() -> None:
    """Joins a process group of this process, unless it inherited one."""
    if not dist.is_initialized():
        dist.init_process_group("fake", store=dist.HashStore(), rank=0, world_size=2)


class Communicating(torch.utils.data.Dataset):
    """A dataset whose workers issue a collective per item."""

    def __len__(self) -> int:
        return 6

    def __getitem__(self, index: int) -> int:
        join()
        communicate("Worker", 1 + index)
        return index


def use_threads() -> None:
    """Communicates on Python and native threads, from before and after torch's import, and on 64 at once."""
    _torch_is_here.set()
    for each in _early:
        each.join()
    join_native_thread(_early_native)
    at_once = threading.Barrier(65)
    late = [threading.Thread(target=lambda i=i: (at_once.wait(), communicate(f"Thread{i}", 20))) for i in range(64)]
    for each in late:
        each.start()
    at_once.wait()
    for each in late:
        each.join()
    join_native_thread(start_native_thread("LateNativeThread", _torch_is_here))
    with ThreadPoolExecutor(3) as executor:
        list(executor.map(communicate, [f"InExecutor{i}" for i in range(6)]))
    with ThreadPool(3) as pool:
        pool.map(communicate, [f"InPool{i}" for i in range(6)])
    print("threads done", flush=True)


def use_forks() -> None:
    """Forks a child, a grandchild, and a child that calls exec()."""
    child = os.fork()
    if child == 0:
        communicate("Child", 4)
        grandchild = os.fork()
        if grandchild == 0:
            communicate("Grandchild", 5)
            os._exit(0)
        os._exit(os.waitstatus_to_exitcode(os.waitpid(grandchild, 0)[1]))
    print(f"child {os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}", flush=True)
    becoming = os.fork()
    if becoming == 0:
        communicate("Becoming", 2)
        os.execv(sys.executable, [sys.executable, __file__, LOG, "become"])
    print(f"becoming {os.waitstatus_to_exitcode(os.waitpid(becoming, 0)[1])}", flush=True)


def use_loaders() -> None:
    """Starts workers by each of the three start methods.

    Sleeps first: these processes must be younger than the reports of this job's first children by more than the
    resolution of commtap's clock.
    """
    time.sleep(1.5)
    for method in ("fork", "spawn", "forkserver"):
        workers = 2 if method == "fork" else 1
        loader = torch.utils.data.DataLoader(Communicating(), num_workers=workers, multiprocessing_context=method)
        print(f"{method} {sorted(int(item) for item in loader)}", flush=True)


def use_other_languages() -> None:
    """Runs programs that inherit the environment but not torch; the last one forks."""
    for command in (["sh", "-c", "echo shell"], ["perl", "-e", "fork // die; print qq(perl\n)"], ["true"]):
        with contextlib.suppress(FileNotFoundError):
            done = subprocess.run(command, capture_output=True, text=True)
            print(f"{command[0]} {done.returncode} {done.stdout!r} {done.stderr!r}", flush=True)


def use_interpreters() -> None:
    """Runs and ends a second interpreter in this process, with torch in the first."""
    import _xxsubinterpreters as interpreters

    second = interpreters.create()
    interpreters.run_string(second, "import json; answer = json.dumps({'second': 1}); print(answer, flush=True)")
    communicate("BesideInterpreter")
    interpreters.destroy(second)
    communicate("AfterInterpreter")


def main() -> None:
    join()
    communicate("Main")
    uses = {
        "threads": use_threads,
        "forks": use_forks,
        "loaders": use_loaders,
        "languages": use_other_languages,
        "interpreters": use_interpreters,
        "become": lambda: None,
    }
    for part in PARTS:
        uses[part]()
        communicate(f"After{part.capitalize()}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
