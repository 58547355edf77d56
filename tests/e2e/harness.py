# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the jobs of tests/jobs: bare, under the shim, or under PyTorch's own tools.

A rank is started as a process of its own with the environment that torchrun would give it: the same to the job, and
quicker than a launcher in between.
"""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import Any

from report import REPOSITORY, Report

JOBS_FOLDER = REPOSITORY / "tests" / "jobs"
BUILD = Path(os.environ.get("BUILD_DIR", REPOSITORY / "build")).resolve()
LIBRARY = BUILD / "shim" / "libcommtap.so"
COMMAND = BUILD / "tools" / "commtap"

TIMEOUT_S = 180
ATTEMPTS = 4


class Mode(Enum):
    """What a job runs under."""

    BARE = "bare"
    SHIM = "shim"
    ORACLE = "oracle"


class Launcher(Enum):
    """Who starts the ranks."""

    DIRECT = "direct"
    TORCHRUN = "torchrun"
    #: The job itself: it is one process without a rank.
    SELF = "self"


@dataclass(frozen=True)
class Job:
    """A script of tests/jobs, or a program that is built from it, with its arguments, and how it is to end."""

    script: str
    arguments: tuple[str, ...] = ()
    ranks: int = 2
    status: int = 0
    launcher: Launcher = Launcher.DIRECT
    #: Whether the main thread issues all collectives in eager code, so that a dispatch mode there sees them.
    oracle: bool = False
    #: More of the environment.
    variables: tuple[tuple[str, str], ...] = ()
    #: torchrun's own arguments.
    torchrun: tuple[str, ...] = ()
    #: Other preloaded libraries, in front of ours and behind it.
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    #: What the command is started by: a program that runs its arguments.
    wrapper: tuple[str, ...] = ()

    @property
    def compiled(self) -> bool:
        """Whether torch.compile takes part."""
        return "--compile" in self.arguments


@dataclass
class Outcome:
    """How one process ended and what it said."""

    status: int
    stdout: bytes
    stderr: bytes


@dataclass
class Run:
    """One run of a job."""

    job: Job
    mode: Mode
    folder: Path
    outcomes: list[Outcome] = field(default_factory=list)

    @property
    def output_folder(self) -> Path:
        """Where the reports are."""
        return self.folder / "reports"

    @cached_property
    def reports(self) -> list[Report]:
        """All reports, each checked against the schema; by attempt, rank and time."""
        found = [Report.read(path) for path in sorted(self.output_folder.rglob("*.json"))]
        return sorted(found, key=lambda report: (report.job["attempt"], report.job["rank"] or 0, report.job["pid"]))

    @property
    def ledgers(self) -> list[Path]:
        """What processes left that did not end in their own time."""
        return sorted(self.output_folder.rglob("*.ledger"))

    def report(self, rank: int = 0) -> Report:
        """The one report of a rank."""
        found = [report for report in self.reports if report.job["rank"] == rank]
        assert len(found) == 1, f"rank {rank} has {len(found)} reports: {[str(report.path) for report in found]}"
        return found[0]

    @cached_property
    def oracles(self) -> list[dict[str, Any]]:
        """What the oracle noted, by rank."""
        return [json.loads((self.folder / f"oracle.{rank}").read_text()) for rank in range(self.job.ranks)]

    def recover(self) -> None:
        """Has the command turn the ledgers of dead processes into reports, as the user would after a crash."""
        subprocess.run([COMMAND, "recover", self.output_folder], check=True, capture_output=True, timeout=TIMEOUT_S)
        self.__dict__.pop("reports", None)

    def ended_as_meant(self) -> bool:
        """Whether every process had the exit status that the job is written to have."""
        return all(outcome.status == self.job.status for outcome in self.outcomes)


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def environment(run: Run) -> dict[str, str]:
    """The environment of all processes of a run: what the tests were started with, less what would reach into them."""
    unwanted = ("LD_PRELOAD", "COMMTAP", "TORCH", "PYTHON", "PYTEST", "JOB_ORACLE", "RANK", "WORLD_SIZE", "LOCAL_RANK")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(unwanted)}
    kept |= {
        "OMP_NUM_THREADS": "1",
        # Of its own for each run: a kernel that an earlier run left there would be one compilation less in this one.
        "TORCHINDUCTOR_CACHE_DIR": str(run.folder / "inductor"),
    }
    if run.job.launcher is Launcher.TORCHRUN:
        # Else the ranks of a second attempt may find the first attempt's addresses in the launcher's store and hang.
        kept["TORCH_DISABLE_SHARE_RDZV_TCP_STORE"] = "1"
    if run.mode is Mode.SHIM:
        kept["COMMTAP_OUT"] = str(run.output_folder)
    if preloads := [*run.job.before, *([str(LIBRARY)] if run.mode is Mode.SHIM else []), *run.job.after]:
        kept["LD_PRELOAD"] = ":".join(preloads)
    return kept | dict(run.job.variables)


def program(name: str) -> Path:
    """A job that is written in C++."""
    return BUILD / "tests" / "jobs" / name


def command_line(job: Job) -> list[str]:
    """The job as its user would start it."""
    if not job.script.endswith(".py"):
        return [str(program(job.script)), *job.arguments]
    rendezvous = ["--rdzv-backend=c10d", "--rdzv-endpoint=127.0.0.1:0", "--rdzv-id=e2e"]
    launcher = ["-m", "torch.distributed.run", *rendezvous, f"--nproc-per-node={job.ranks}", *job.torchrun]
    prefix = launcher if job.launcher is Launcher.TORCHRUN else []
    return [*job.wrapper, sys.executable, *prefix, str(JOBS_FOLDER / job.script), *job.arguments]


def rank_environments(run: Run) -> Iterator[dict[str, str]]:
    """The environment of each process that the harness starts."""
    common = environment(run)
    if run.job.launcher is not Launcher.DIRECT:
        yield common
        return
    port = free_port()
    for rank in range(run.job.ranks):
        place = {"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(run.job.ranks)}
        oracle = {"JOB_ORACLE": str(run.folder / f"oracle.{rank}")} if run.mode is Mode.ORACLE else {}
        yield common | place | oracle | {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}


class Processes:
    """The processes of a run, from their start until all of them have ended."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.command = command_line(run.job)
        self.started: list[subprocess.Popen] = []
        for i, variables in enumerate(rank_environments(run)):
            with open(run.folder / f"stdout.{i}", "wb") as stdout, open(run.folder / f"stderr.{i}", "wb") as stderr:
                # A session of its own, so that a job that hangs can be ended with all its children.
                process = subprocess.Popen(
                    self.command,
                    env=variables,
                    cwd=run.folder,
                    stdin=subprocess.DEVNULL,
                    stdout=stdout,
                    stderr=stderr,
                    start_new_session=True,
                )
            self.started.append(process)

    def kill(self, rank: int) -> None:
        """SIGKILL to one rank."""
        self.started[rank].send_signal(signal.SIGKILL)

    def _end_all(self) -> None:
        running = [process for process in self.started if process.poll() is None]
        for process in running:
            # A launcher passes it on to its workers, which are in sessions of their own.
            process.terminate()
        for process in running:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=TIMEOUT_S / 10)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def wait(self) -> Run:
        """Waits for all; ends them all if one takes too long."""
        deadline = time.monotonic() + TIMEOUT_S
        try:
            for process in self.started:
                process.wait(timeout=max(0.1, deadline - time.monotonic()))
        finally:
            self._end_all()
        self.run.outcomes = [
            Outcome(
                process.returncode,
                (self.run.folder / f"stdout.{i}").read_bytes(),
                (self.run.folder / f"stderr.{i}").read_bytes(),
            )
            for i, process in enumerate(self.started)
        ]
        return self.run


def wait_until(condition: Callable[[], bool], what: str) -> None:
    """Waits for something that a job does; fails if it does not."""
    deadline = time.monotonic() + TIMEOUT_S
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.02)


class Runner:
    """Runs each job once a session and mode, however many tests ask for it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.pairs: dict[Job, tuple[Run, Run]] = {}
        self.oracle_runs: dict[Job, Run] = {}
        self.runs: list[Run] = []

    def start(self, job: Job, mode: Mode) -> Processes:
        """Starts a job in a folder of its own."""
        if mode is Mode.SHIM:
            assert LIBRARY.is_file(), f"{LIBRARY} is missing: build commtap first, or set BUILD_DIR"
        folder = self.folder / f"{len(self.runs):03d}-{Path(job.script).stem}-{mode.value}"
        folder.mkdir(parents=True)
        run = Run(job, mode, folder)
        self.runs.append(run)
        return Processes(run)

    def run(self, job: Job, mode: Mode) -> Run:
        """One run, whatever comes of it."""
        return self.start(job, mode).wait()

    def pair(self, job: Job) -> tuple[Run, Run]:
        """The job bare and under the shim.

        A job on Gloo aborts at its tear-down now and then, without any shim: a peer that has left closes sockets that
        a thread still reads. A run with an exit status that the job is not written to have is therefore done again,
        always both ways, and a shim that breaks a job more than now and then is found by the last attempt.
        """
        if job not in self.pairs:
            for _ in range(ATTEMPTS):
                self.pairs[job] = self.run(job, Mode.BARE), self.run(job, Mode.SHIM)
                if all(run.ended_as_meant() for run in self.pairs[job]):
                    break
        return self.pairs[job]

    def bare(self, job: Job) -> Run:
        """The job as it is."""
        return self.pair(job)[0]

    def shim(self, job: Job) -> Run:
        """The job with commtap preloaded."""
        return self.pair(job)[1]

    def oracle(self, job: Job) -> Run:
        """The job under PyTorch's own tools."""
        assert job.oracle, f"{job} is not for the oracle"
        if job not in self.oracle_runs:
            for _ in range(ATTEMPTS):
                self.oracle_runs[job] = self.run(job, Mode.ORACLE)
                if self.oracle_runs[job].ended_as_meant():
                    break
        return self.oracle_runs[job]

    def aborts(self) -> dict[str, int]:
        """How many runs did not end as meant, by mode: to see whether the shim has more of them."""
        return {
            mode.value: sum(1 for run in self.runs if run.mode is mode and run.outcomes and not run.ended_as_meant())
            for mode in Mode
        }


#: glog's prefix, in PyTorch's two spellings: level and date, time, thread id. They are of the moment, not of the job.
_LOG_PREFIX = re.compile(rb"([IWEF])\d{4} \d\d:\d\d:\d\d\.\d+( +\d+)?(?= )")


def normalised(stderr: bytes) -> bytes:
    """stderr without the times and thread ids that PyTorch's log lines begin with."""
    return _LOG_PREFIX.sub(rb"\1<time>", stderr)


def assert_unchanged(bare: Run, shim: Run) -> None:
    """The promise that comes first: to the byte, the job did and said what it does without the shim."""
    for rank, (without, within) in enumerate(zip(bare.outcomes, shim.outcomes, strict=True)):
        assert without.status == bare.job.status, f"rank {rank} of the bare job: {without}"
        assert within.status == without.status, f"rank {rank}: {within}"
        assert within.stdout == without.stdout, f"rank {rank}"
        assert normalised(within.stderr) == normalised(without.stderr), f"rank {rank}"
