# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""One process that becomes many, and many threads: `multiplying.py LOG PART...`.

Every thread of every process writes the file LOG.<pid>.<thread> before each of its collectives: what the process's
report must hold. The process groups only pretend: Gloo's threads would not live in a forked child.
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
#: Kept for as long as native threads may call it.
_callbacks: list[object] = []


@contextlib.contextmanager
def log_of_this_thread() -> Iterator[TextIO]:
    """Which nobody else writes to."""
    with open(f"{LOG}.{os.getpid()}.{threading.get_native_id()}", "a", encoding="utf-8") as log:
        yield log


def early_thread(number: int) -> None:
    """Of Python's, and there before torch."""
    _torch_is_here.wait()
    communicate(f"EarlyThread{number}")


def start_native_thread(name: str, wait: threading.Event) -> ctypes.c_ulong:
    """A thread that the C library makes, as std::thread does."""

    def run(_: object) -> None:
        wait.wait()
        communicate(name)

    _callbacks.append(ctypes.CFUNCTYPE(None, ctypes.c_void_p)(run))
    thread = ctypes.c_ulong()
    ctypes.CDLL(None).pthread_create(ctypes.byref(thread), None, _callbacks[-1], None)
    return thread


def join_native_thread(thread: ctypes.c_ulong) -> None:
    """Without the GIL, as ctypes calls."""
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
    """Some collectives of this thread's, in a module of its own class and outside of any."""
    with log_of_this_thread() as log:
        net = new_net(name, log)
        for size in range(1, calls + 1):
            net(torch.ones(size))
            broadcast(log)


def join() -> None:
    """A process group of this process's own, unless it was born with one."""
    if not dist.is_initialized():
        dist.init_process_group("fake", store=dist.HashStore(), rank=0, world_size=2)


class Communicating(torch.utils.data.Dataset):
    """Whose workers issue a collective for each item."""

    def __len__(self) -> int:
        return 6

    def __getitem__(self, index: int) -> int:
        join()
        communicate("Worker", 1 + index)
        return index


def use_threads() -> None:
    """Of Python's and of others, from before torch and from after, and 64 at once."""
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
    """A child, its child, and one that becomes another program."""
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
    """Workers by each of the three ways to start them, and from now on by processes that are younger, by more than
    commtap's clock is coarse, than the reports of this job's first children."""
    time.sleep(1.5)
    for method in ("fork", "spawn", "forkserver"):
        workers = 2 if method == "fork" else 1
        loader = torch.utils.data.DataLoader(Communicating(), num_workers=workers, multiprocessing_context=method)
        print(f"{method} {sorted(int(item) for item in loader)}", flush=True)


def use_other_languages() -> None:
    """Programs that inherit everything and know nothing of torch; the last one has children of its own."""
    for command in (["sh", "-c", "echo shell"], ["perl", "-e", "fork // die; print qq(perl\n)"], ["true"]):
        with contextlib.suppress(FileNotFoundError):
            done = subprocess.run(command, capture_output=True, text=True)
            print(f"{command[0]} {done.returncode} {done.stdout!r} {done.stderr!r}", flush=True)


def use_interpreters() -> None:
    """A second one in the same process, which runs, and ends, with torch in the first."""
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
