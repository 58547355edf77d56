# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the jobs of tests/jobs: bare, under the shim, or under PyTorch's own tools.

A rank is started with the environment that torchrun would give it: the same to the job, and quicker than a launcher in
between. Most ranks are forked from a process that has imported torch, under the shim if they run under it: two ranks
then take a third of the time. may_fork() says which are not.
"""

import contextlib
import fcntl
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import Any

import torch_forks
from binaries import BUILD, COMMAND, LIBRARY, PACKAGE, PYTHON_PARTS, SITE, TORCH_MINOR, TRACKER  # noqa: F401
from run_store import RunStore, facts_of_machine, hash_of_file, key_of, sources
from torch_forks import TorchForks

from report import REPOSITORY, Report

JOBS_FOLDER = REPOSITORY / "tests" / "jobs"

#: Bare runs and runs under PyTorch's own tools, which nothing of ours changes: of all sessions and build trees.
STORE = Path(os.environ.get("RUN_STORE", REPOSITORY / "build" / "runs"))

TIMEOUT_S = 180
ATTEMPTS = 4
#: How many processes to fork ranks from a worker keeps.
PARENTS = 6


#: The modules of torch that most jobs import, and those that jobs with torch.compile import too.
_MODULES = (
    "torch.distributed.fsdp",
    "torch.distributed.pipelining",
    "torch.distributed.tensor.debug",
    "torch.distributed.tensor.parallel",
)
_MODULES_TO_COMPILE = ("torch._inductor.compile_fx",)

TORCHS_ABORT = b"terminate called without an active exception"


class Mode(Enum):
    """The tool that a job runs under."""

    BARE = "bare"
    SHIM = "shim"
    ORACLE = "oracle"


class Launcher(Enum):
    """The program that starts the ranks."""

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
    oracle: bool = field(default=False, compare=False)
    #: More of the environment.
    variables: tuple[tuple[str, str], ...] = ()
    #: torchrun's own arguments.
    torchrun: tuple[str, ...] = ()
    #: Other preloaded libraries, before and after ours.
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    #: What the command is started by: a program that runs its arguments.
    wrapper: tuple[str, ...] = ()

    @property
    def compiled(self) -> bool:
        """Whether torch.compile takes part."""
        return "--compile" in self.arguments

    @property
    def imports_commtap(self) -> bool:
        """Whether the job uses the Python package, so that even a bare run depends on code of ours."""
        return any(name == "PYTHONPATH" for name, _ in self.variables)


#: Scripts whose subject is how a process starts or ends, what it says or costs at its start, or an import.
_DIRECT_SCRIPTS = (
    "children.py",
    "context.py",
    "endings.py",
    "last_tensor.py",
    "library_ops.py",
    "neighbours.py",
    "no_collective.py",
    "reuse.py",
)

#: One job of each mechanism, so that nothing is right only in a fork.
_DIRECT = {
    ("checkpointing.py", ()),
    ("collectives.py", ()),
    ("compiled.py", ("model", "--compile", "method", "--backend", "inductor")),
    ("ddp.py", ()),
    ("fsdp1.py", ()),
    ("fsdp2.py", ()),
    ("fsdp2.py", ("--compile", "method")),
    ("groups.py", ()),
    ("mlp_tp.py", ()),
    ("mlp_tp.py", ("--stacked", "--steps", "3", "--compile", "function")),
    ("pipeline.py", ()),
    ("sampled.py", ("ddp",)),
    ("steps.py", ()),
    ("threads.py", ()),
    ("timing.py", ()),
}


def _is_option(name: str) -> bool:
    """Whether the tracker reads a variable at the start, so that a parent must have it too."""
    return name.startswith("COMMTAP_") and name != "COMMTAP_OUT"


def may_fork(job: Job) -> bool:
    """Whether the ranks may be forked: a fork changes nothing that the job is about, and saves more than it costs."""
    starts_otherwise = job.launcher is not Launcher.DIRECT or job.before or job.after or job.wrapper
    is_direct = job.script in _DIRECT_SCRIPTS or (job.script, job.arguments) in _DIRECT
    others = [name for name, _ in job.variables if not _is_option(name) and name != "TORCHINDUCTOR_CACHE_DIR"]
    return job.script.endswith(".py") and job.ranks > 1 and not (starts_otherwise or is_direct or others)


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
        """The folder of the reports."""
        return self.folder / "reports"

    @cached_property
    def reports(self) -> list[Report]:
        """All reports, each checked against the schema; by attempt, rank and time."""
        found = [Report.read(path) for path in sorted(self.output_folder.rglob("*.json"))]
        return sorted(found, key=lambda report: (report.job["attempt"], report.job["rank"] or 0, report.job["pid"]))

    @property
    def ledgers(self) -> list[Path]:
        """The ledgers that killed processes left."""
        return sorted(self.output_folder.rglob("*.ledger"))

    def report(self, rank: int = 0) -> Report:
        """The one report of a rank."""
        found = [report for report in self.reports if report.job["rank"] == rank]
        assert len(found) == 1, f"rank {rank} has {len(found)} reports: {[str(report.path) for report in found]}"
        return found[0]

    @cached_property
    def oracles(self) -> list[dict[str, Any]]:
        """The oracle's records, by rank."""
        return [json.loads((self.folder / f"oracle.{rank}").read_text()) for rank in range(self.job.ranks)]

    def recover(self) -> None:
        """Has the command turn the ledgers of dead processes into reports, as the user would after a crash."""
        with open(self.folder / "recover.lock", "w", encoding="ascii") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # Another pytest worker may share this run.
            command = [COMMAND, "list", self.output_folder]
            subprocess.run(command, check=True, capture_output=True, timeout=TIMEOUT_S)
        self.__dict__.pop("reports", None)

    def ended_as_meant(self) -> bool:
        """Whether every process had the exit status that the job is written to have."""
        return all(outcome.status == self.job.status for outcome in self.outcomes)

    def ended_by_torch(self) -> bool:
        """Whether pytorch/pytorch#190489 ended a rank, and every other rank ended as meant.

        docs/reliability.md describes that abort.
        """
        others = [outcome for outcome in self.outcomes if outcome.status != self.job.status]
        return bool(others) and all(
            outcome.status == -signal.SIGABRT and TORCHS_ABORT in outcome.stderr for outcome in others
        )

    def has_torchs_abort(self) -> bool:
        """Returns whether that ended one of the ranks that a launcher started, whatever the launcher made of it."""
        return any(TORCHS_ABORT in outcome.stderr for outcome in self.outcomes)

    def set_outcomes(self, statuses: list[int]) -> None:
        """Adds what each process wrote to its exit status."""
        self.outcomes = [
            Outcome(status, (self.folder / f"stdout.{i}").read_bytes(), (self.folder / f"stderr.{i}").read_bytes())
            for i, status in enumerate(statuses)
        ]


def free_port() -> int:
    """Returns a port without a listener."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


#: What would reach into a job, and what differs from shell to shell.
_UNWANTED = ("LD_PRELOAD", "COMMTAP", "TORCH", "PYTHON", "PYTEST", "JOB_ORACLE", "RANK", "WORLD_SIZE", "LOCAL_RANK")
_OF_THE_SHELL = ("COLUMNS", "LINES", "OLDPWD", "PWD", "RUN_STORE", "SHLVL", "SSH_", "TERM", "TESTED_SITE", "XDG_", "_")


def environment(run: Run) -> dict[str, str]:
    """The environment of all processes of a run: what the tests were started with, less what would reach into them."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(_UNWANTED) and not name.startswith(_OF_THE_SHELL)
    }
    folders = [str(Path(sys.executable).parent), *kept.get("PATH", "").split(os.pathsep)]
    kept["PATH"] = os.pathsep.join(dict.fromkeys(folders))
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
    return BUILD / "tests" / "jobs" / "native" / name


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


def stacks_of(pid: int) -> str:
    """The stacks of all threads, from gdb."""
    command = ["gdb", "-nx", "-batch", "-p", str(pid), "-ex", "thread apply all backtrace 24"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=TIMEOUT_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"no stacks: {error}"
    return "\n".join(line for line in done.stdout.splitlines() if line.startswith(("Thread", "#")))


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

    def _show_stacks(self) -> None:
        """Prints where the processes are that do not end, for the report of the test."""
        for i, process in enumerate(self.started):
            if process.poll() is None:
                print(f"process {i}, {self.run.mode}, has not ended:\n{stacks_of(process.pid)}")

    def wait(self) -> Run:
        """Waits for all; ends them all if one takes too long."""
        deadline = time.monotonic() + TIMEOUT_S
        try:
            for process in self.started:
                process.wait(timeout=max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            self._show_stacks()
            raise
        finally:
            self._end_all()
        self.run.set_outcomes([process.returncode for process in self.started])
        return self.run


def wait_until(condition: Callable[[], bool], what: str) -> None:
    """Waits for something that a job does; fails if it does not."""
    deadline = time.monotonic() + TIMEOUT_S
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.02)


#: What starts a run.
HARNESS = (Path(__file__), Path(torch_forks.__file__))


def file_hashes(job: Job) -> list[str]:
    """Hashes of the files that a job consists of, with those that it gets as arguments and preloads."""
    own = sources(JOBS_FOLDER / job.script) if job.script.endswith(".py") else [program(job.script)]
    # The programs load substitutes of NVIDIA's libraries.
    folders = [] if job.script.endswith(".py") else [BUILD / "tests" / name for name in ("cuda", "nccl")]
    libraries = [path for folder in folders for path in sorted(folder.rglob("*.so"))]
    given = [path for each in (*job.arguments, *job.before, *job.after) if (path := Path(each)).is_file()]
    return [hash_of_file(path) for path in (*own, *libraries, *given, *HARNESS)]


def key_of_run(job: Job, mode: Mode) -> str:
    """A key that changes with everything that a bare run depends on."""
    facts = asdict(job)
    del facts["oracle"]
    variables = environment(Run(job, mode, Path("/run")))
    key = key_of([mode.value, facts, variables, file_hashes(job), facts_of_machine()])
    return f"{Path(job.script).stem}-{mode.value}-{key}"


class Runner:
    """Runs each job once per mode, however many tests and pytest workers ask for it.

    Runs under the shim are shared within a session, in `shared`. The others come from STORE, if they are there.
    """

    def __init__(self, folder: Path, shared: Path | None = None) -> None:
        self.folder = folder
        self.shared = RunStore(shared or folder / "shared")
        self.kept: dict[tuple[Job, Mode], Run] = {}
        self.forks: dict[tuple[Any, ...], TorchForks] = {}
        self.runs: list[Run] = []

    def _new_folder(self, job: Job, mode: Mode) -> Path:
        return self.folder / f"{len(self.runs):03d}-{Path(job.script).stem}-{mode.value}"

    def start(self, job: Job, mode: Mode) -> Processes:
        """Starts a job in a folder of its own."""
        return Processes(self._new_run(job, mode, self._new_folder(job, mode)))

    def _new_run(self, job: Job, mode: Mode, folder: Path) -> Run:
        if mode is Mode.SHIM:
            assert LIBRARY.is_file(), f"{LIBRARY} is missing: build commtap first, or set BUILD_DIR or TESTED_SITE"
        folder.mkdir(parents=True)
        self.runs.append(Run(job, mode, folder))
        return self.runs[-1]

    def run(self, job: Job, mode: Mode) -> Run:
        """One run, whatever comes of it."""
        return self._run(job, mode, self._new_folder(job, mode))

    def _run(self, job: Job, mode: Mode, folder: Path) -> Run:
        if mode is Mode.ORACLE or may_fork(job):
            return self._fork(job, mode, folder)
        return Processes(self._new_run(job, mode, folder)).wait()

    def _parent(self, run: Run) -> TorchForks:
        """The process that has imported torch in a run's environment; the one not used for longest ends for it."""
        compiles = run.job.compiled or run.job.script.startswith("compiled_")
        modules = _MODULES + (_MODULES_TO_COMPILE if compiles else ())
        options = tuple(each for each in run.job.variables if _is_option(each[0]))
        key = (run.mode, modules, options)
        forks = self.forks.pop(key, None)
        if forks is None:
            if len(self.forks) == PARENTS:
                self.forks.pop(next(iter(self.forks))).close()
            # A folder of its own: at its end it recovers ledgers, as a launcher does.
            out = {"COMMTAP_OUT": str(self.folder / "parents")} if run.mode is Mode.SHIM else {}
            forks = TorchForks(environment(run) | out, modules)
        self.forks[key] = forks
        return forks

    def _fork(self, job: Job, mode: Mode, folder: Path) -> Run:
        """One run whose ranks are forked."""
        run = self._new_run(job, mode, folder)
        ranks = [
            {
                "variables": variables,
                "folder": str(folder),
                "stdout": str(folder / f"stdout.{i}"),
                "stderr": str(folder / f"stderr.{i}"),
                "command": [str(JOBS_FOLDER / job.script), *job.arguments],
            }
            for i, variables in enumerate(rank_environments(run))
        ]

        def show(pid: int) -> None:
            print(f"process {pid}, {mode}, has not ended:\n{stacks_of(pid)}")

        run.set_outcomes(self._parent(run).run(ranks, TIMEOUT_S, show))
        return run

    def close(self) -> None:
        """Ends what the runs needed."""
        for forks in self.forks.values():
            forks.close()

    def _attempt(self, job: Job, mode: Mode, folder: Path) -> Run:
        """Runs a job, and again if PyTorch's own abort ended it: the only ending that is known not to be ours.

        tests/e2e/processes/test_aborts.py compares how often that happens with the shim and without.
        """
        for attempt in range(ATTEMPTS):
            if folder.exists():
                shutil.rmtree(folder)
            run = self._run(job, mode, folder)
            if not run.ended_by_torch():
                break
            print(f"{folder}: ended by pytorch#190489, attempt {attempt + 1}", file=sys.stderr)
        shutil.rmtree(folder / "inductor", ignore_errors=True)
        return run

    def _shared_run(self, job: Job, mode: Mode) -> Run:
        """The run that is in the store, or becomes so."""
        if (job, mode) in self.kept:
            return self.kept[job, mode]
        lasting = mode is not Mode.SHIM and not job.imports_commtap
        store, key = (RunStore(STORE) if lasting else self.shared), key_of_run(job, mode)
        with store.locked(key) as folder:
            statuses = store.read(key)
            if statuses is None:
                run = self._attempt(job, mode, folder)
                if not lasting or run.ended_as_meant():
                    store.write(key, [outcome.status for outcome in run.outcomes])
            else:
                run = Run(job, mode, folder)
                run.set_outcomes(statuses)
        self.kept[job, mode] = run
        return run

    def pair(self, job: Job) -> tuple[Run, Run]:
        """The job bare and under the shim."""
        return self.bare(job), self.shim(job)

    def bare(self, job: Job) -> Run:
        """The job as it is."""
        return self._shared_run(job, Mode.BARE)

    def shim(self, job: Job) -> Run:
        """The job with commtap preloaded."""
        return self._shared_run(job, Mode.SHIM)

    def oracle(self, job: Job) -> Run:
        """The job under PyTorch's own tools."""
        assert job.oracle, f"{job} is not for the oracle"
        return self._shared_run(job, Mode.ORACLE)

    def counts(self) -> dict[str, list[int]]:
        """By mode: how many runs this runner made, and how many of them PyTorch's own abort ended."""
        return {
            mode.value: [
                sum(run.mode is mode for run in self.runs),
                sum(run.mode is mode and run.ended_by_torch() for run in self.runs),
            ]
            for mode in Mode
        }


#: glog's prefix, in PyTorch's two spellings: level and date, time, thread id. They are of the moment, not of the job.
_LOG_PREFIX = re.compile(rb"([IWEF])\d{4} \d\d:\d\d:\d\d\.\d+( +\d+)?(?= )")


#: CPython 3.12 and later warn of os.fork() in a process that has threads, by its number.
_FORK_WARNING = re.compile(rb"(?<=This process \(pid=)\d+(?=\) is multi-threaded)")


def normalised(stderr: bytes) -> bytes:
    """stderr without the times, thread ids and process ids in lines of PyTorch and CPython."""
    return _FORK_WARNING.sub(b"<pid>", _LOG_PREFIX.sub(rb"\1<time>", stderr))


def assert_unchanged(bare: Run, shim: Run) -> None:
    """The promise that comes first: to the byte, the job did and said what it does without the shim."""
    for rank, (without, within) in enumerate(zip(bare.outcomes, shim.outcomes, strict=True)):
        assert without.status == bare.job.status, f"rank {rank} of the bare job: {without}"
        assert within.status == without.status, f"rank {rank}: {within}"
        assert within.stdout == without.stdout, f"rank {rank}"
        assert normalised(within.stderr) == normalised(without.stderr), f"rank {rank}"
