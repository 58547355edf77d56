# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a small job in hostile surroundings, bare and under the shim: both must end alike and print the same."""

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from attempts import Attempt, Verdict

JOB = Path(__file__).parent.parent / "jobs" / "children.py"
TIMEOUT_S = 120
#: Imports of torch swallow a SIGINT now and then, bare too, and a loaded machine moves the moment of a signal.
PAIRS_PER_SIGNAL = 5


@dataclass(frozen=True)
class Surroundings:
    """The changes of one case."""

    name: str
    variables: dict[str, str] = field(default_factory=dict)
    prepare: Callable[[], None] | None = None  # in the job's process, before it begins
    signal: int | None = None
    after_s: float = 0


def limit(what: int, value: int) -> None:
    resource.setrlimit(what, (value, value))


def close(*descriptors: int) -> None:
    for descriptor in descriptors:
        os.close(descriptor)


def cases() -> Iterator[Surroundings]:
    """Returns every case."""
    for what, values in {
        "RLIMIT_NOFILE": (16, 32, 64),
        "RLIMIT_FSIZE": (0, 4096, 1 << 20),
        "RLIMIT_STACK": (1 << 20,),
        "RLIMIT_CORE": (0,),
        "RLIMIT_MEMLOCK": (0,),
        "RLIMIT_AS": (4 << 30, 8 << 30),
    }.items():
        for value in values:
            yield Surroundings(f"{what} {value}", prepare=partial(limit, getattr(resource, what), value))
    for closed in ((0,), (1,), (2,), (0, 1, 2)):
        yield Surroundings(f"closed descriptors {closed}", prepare=partial(close, *closed))
    for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGKILL", "SIGABRT", "SIGSEGV", "SIGUSR1"):
        for after_s in (0.05, 0.5, 1.5):
            yield Surroundings(f"{name} after {after_s} s", signal=getattr(signal, name), after_s=after_s)
    for out in ("", "/dev/null", "/dev/full", "/proc/self", "x" * 5_000, "\udcff\udcfe", "%r/%p/%h", "../..", "a\nb"):
        yield Surroundings(f"COMMTAP_OUT={out[:20]!r}", {"COMMTAP_OUT": out})
    for name, value in {
        "HOME": "",
        "PATH": "",
        "TMPDIR": "/proc",
        "RANK": "-1",
        "WORLD_SIZE": "many",
        "TORCHELASTIC_RUN_ID": "\x1b[2J",
        "LD_DEBUG": "statistics",
        "MALLOC_PERTURB_": "77",
        "PYTHONDEVMODE": "1",
        "LC_ALL": "tr_TR.UTF-8",
    }.items():
        yield Surroundings(f"{name}={value!r}", {name: value})
    yield Surroundings("umask 0777", prepare=partial(os.umask, 0o777))


@dataclass(frozen=True)
class End:
    """How a process ended and what it printed."""

    status: int | None
    out: bytes


def run(case: Surroundings, folder: Path, preload: str) -> End:
    """Runs the job once."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("COMMTAP", "LD_PRELOAD"))}
    variables |= {"OMP_NUM_THREADS": "1", "COMMTAP_OUT": str(folder / "out"), **case.variables}
    if preload:
        variables["LD_PRELOAD"] = preload
    job = subprocess.Popen(
        [sys.executable, JOB, "helper"],
        env=variables,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        preexec_fn=case.prepare,
    )
    if case.signal is not None:
        time.sleep(case.after_s)
        job.send_signal(case.signal)
    try:
        out, _ = job.communicate(timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        job.kill()
        job.communicate()
        return End(None, b"")
    return End(job.returncode, out)


def pair(case: Surroundings, folder: Path, library: Path) -> Attempt:
    """Runs the job bare and under the shim."""
    ends = []
    for kind, preload in (("bare", ""), ("shim", str(library))):
        place = folder / kind
        place.mkdir(parents=True)
        ends.append(run(case, place, preload))
    return judged(f"process: {case.name}", *ends, only_status=case.signal is not None)


def attack(library: Path, folder: Path) -> Iterator[Attempt]:
    """Tries every case. A signal may find the two runs at different points, so that only its status counts, and a pair
    of which the statuses differ is run again: a harm of the shim's makes all pairs differ."""
    for number, case in enumerate(cases()):
        for again in range(1 if case.signal is None else PAIRS_PER_SIGNAL):
            attempt = pair(case, folder / f"{number}-{again}", library)
            if attempt.verdict is Verdict.WITHSTOOD:
                break
        yield attempt


def judged(name: str, bare: End, shim: End, *, only_status: bool) -> Attempt:
    """Compares the two ends."""
    if shim.status is None and bare.status is not None:
        return Attempt(name, Verdict.HANG, f"no end after {TIMEOUT_S} s")
    if shim.status != bare.status:
        return Attempt(name, Verdict.CRASH, f"status {shim.status}, bare {bare.status}")
    if not only_status and shim.out != bare.out:
        return Attempt(name, Verdict.SILENT, f"printed {shim.out[:100]!r}, bare {bare.out[:100]!r}")
    return Attempt(name)
