# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs training code of public packages bare, under the shim and under torch.profiler, and compares the three.

The shim also takes samples for `commtap verify`. Exits with 1 if a job ends or prints otherwise under the shim, if
commtap counts otherwise than the profiler, or if the verdict is not the one that training_jobs.py expects. Jobs with a
fault run under the shim only.
"""

import importlib.metadata
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from common import Choice, environment, read_command_line
from counts import Amount, Amounts, absent, add, differences, read, reported, total, traced
from training_jobs import JOBS, Job
from verdicts import read_verdict, surprises

HERE = Path(__file__).resolve().parent
TIMEOUT_S = 900
ATTEMPTS = 5
_TORCHS_ABORT = b"terminate called without an active exception"
#: What DeepSpeed's logger begins a line with.
_LOG_TIME = re.compile(r"^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d+\] ")


class Mode(Enum):
    """The surroundings of a job."""

    BARE = "bare"
    SHIM = "shim"
    PROFILER = "profiler"


@dataclass
class Run:
    """The exit statuses and the output of all ranks."""

    folder: Path
    statuses: list[int]

    def ranks(self) -> range:
        """Returns the numbers of the ranks."""
        return range(len(self.statuses))

    def output(self, job: Job, rank: int) -> list[str]:
        """Returns the lines that a rank printed, without the times of log lines and without the job's own times."""
        lines = (self.folder / f"stdout-{rank}").read_text(encoding="utf-8").splitlines()
        return [_LOG_TIME.sub("", line) for line in lines if not any(part in line for part in job.of_the_moment)]

    def ended_by_torch(self) -> bool:
        """Whether pytorch/pytorch#190489, which docs/reliability.md describes, is the only thing that ended a rank."""
        failed = [rank for rank in self.ranks() if self.statuses[rank] != 0]
        return bool(failed) and all(
            self.statuses[rank] == -signal.SIGABRT and _TORCHS_ABORT in (self.folder / f"stderr-{rank}").read_bytes()
            for rank in failed
        )


def free_port() -> int:
    """Returns a port that nothing listens on."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return server.getsockname()[1]


def variables_of(mode: Mode, folder: Path, library: Path, job: Job) -> dict[str, str]:
    """Returns the environment that all ranks have."""
    own = {
        "HF_HUB_OFFLINE": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "WORLD_SIZE": str(job.ranks),
        "LOCAL_WORLD_SIZE": str(job.ranks),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(free_port()),
    }
    if mode is Mode.SHIM:
        own["COMMTAP_VERIFY"] = "1"
    return environment(library if mode is Mode.SHIM else None, folder) | own | dict(job.variables)


def run(job: Job, mode: Mode, folder: Path, library: Path) -> Run:
    """Runs a job, and again if PyTorch's own abort ended it."""
    for _ in range(ATTEMPTS):
        result = run_once(job, mode, folder, library)
        if not result.ended_by_torch():
            break
        print(f"{job.name}: {mode.value}: ended by pytorch#190489", file=sys.stderr, flush=True)
    return result


def run_once(job: Job, mode: Mode, folder: Path, library: Path) -> Run:
    """Runs a job's ranks and returns how they ended."""
    # One working directory for all runs: some libraries broadcast its name.
    working = folder.parent / "work"
    for path in (folder, working):
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir(parents=True)
    variables = variables_of(mode, folder, library, job)
    # A script's folder is where its Python looks for modules, and -m looks in the working directory.
    script = HERE / "jobs" / f"{job.program}.py"
    program = str(script) if script.is_file() else job.program
    ranks = []
    for rank in range(job.ranks):
        before = [] if script.is_file() else ["-m"]
        if mode is Mode.PROFILER:
            before = [str(HERE / "profiled.py"), str(folder / f"trace-{rank}.json")]
        command = [sys.executable, *before, program, *job.arguments]
        own = variables | {"RANK": str(rank), "LOCAL_RANK": str(rank)}
        with open(folder / f"stdout-{rank}", "wb") as stdout, open(folder / f"stderr-{rank}", "wb") as stderr:
            streams = {"stdin": subprocess.DEVNULL, "stdout": stdout, "stderr": stderr}
            ranks.append(subprocess.Popen(command, cwd=working, env=own, **streams))
    return Run(folder, wait(ranks))


def wait(ranks: list[subprocess.Popen]) -> list[int]:
    """Waits for all ranks; kills those that take too long."""
    end = time.monotonic() + TIMEOUT_S
    for rank in ranks:
        try:
            rank.wait(max(0.0, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            rank.kill()
    return [rank.wait() for rank in ranks]


def changes(job: Job, bare: Run, other: Run) -> list[str]:
    """Returns one line for each rank that ended or printed otherwise than in the bare run."""
    found = []
    for rank in bare.ranks():
        if bare.statuses[rank] != 0 or other.statuses[rank] != 0:
            found.append(f"rank {rank}: status {bare.statuses[rank]}, {other.folder.name} {other.statuses[rank]}")
        elif not (lines := bare.output(job, rank)) or lines != other.output(job, rank):
            found.append(f"rank {rank}: the output of {other.folder.name} differs, or is empty")
    return found


@dataclass
class Comparison:
    """The counts of commtap and the profiler, over all ranks."""

    amount: Amount
    at_global: Amounts
    found: list[str]


def report_of(shim: Run, rank: int) -> Path:
    """Returns commtap's report of a rank."""
    return shim.folder / f"rank-{rank:05}.json"


def trace_of(profiler: Run, rank: int) -> Path:
    """Returns the profiler's trace of a rank."""
    return profiler.folder / f"trace-{rank}.json"


def compare(job: Job, shim: Run, profiler: Run) -> Comparison:
    """Compares the ranks' reports with their traces."""
    result = Comparison(Amount(), {}, [])
    for rank in shim.ranks():
        report = read(report_of(shim, rank))
        counted = reported(report)
        result.amount += total(counted)
        for op, amount in reported(report, "Global").items():
            add(result.at_global, op, amount)
        trace = traced(read(trace_of(profiler, rank)), job.ranks)
        lines = differences(counted, trace) + absent(job.ops, counted)
        result.found += [f"rank {rank}: {line}" for line in lines]
        unseen = [entry for entry in report["not_seen"] if entry["reason"] not in job.not_seen]
        result.found += [f"rank {rank}: not_seen: {entry}" for entry in unseen]
    return result


def share(part: int, whole: int) -> str:
    """Returns a percentage."""
    return f"{100 * part / whole:.0f} %" if whole else "0 %"


def verdict_of(job: Job, shim: Run, command: Path) -> tuple[str, list[str]]:
    """Returns the verdict on the samples in a word, and one line for each difference from the expected one."""
    document = read_verdict(command, shim.folder)
    return document["status"], surprises(job.verdict, document)


def ask_of_fault(job: Job, choice: Choice, folder: Path) -> bool:
    """Runs a job with a fault once, prints one line, and returns whether the verdict is the expected one."""
    started = time.monotonic()
    shim = run(job, Mode.SHIM, folder / Mode.SHIM.value, choice.shim)
    status, found = verdict_of(job, shim, choice.command)
    if any(shim.statuses):
        found.append(f"statuses {shim.statuses}")
    print(f"{job.name}: verify: {status}; {time.monotonic() - started:.0f} s", *found, sep="\n  ", flush=True)
    return not found


def ask(job: Job, choice: Choice) -> bool:
    """Runs a job three times, or once if it has a fault, prints one line, and returns whether nothing differs."""
    folder = choice.folder / "jobs" / job.name
    shutil.rmtree(folder, ignore_errors=True)
    if job.has_fault:
        return ask_of_fault(job, choice, folder)
    started = time.monotonic()
    bare, shim, profiler = (run(job, mode, folder / mode.value, choice.shim) for mode in Mode)
    found = changes(job, bare, shim)
    if any(profiler.statuses):
        found.append(f"profiler: statuses {profiler.statuses}")
    files = [path for rank in shim.ranks() for path in (report_of(shim, rank), trace_of(profiler, rank))]
    found += [f"{path} is missing" for path in files if not path.is_file()]
    if found:
        print(f"{job.name}: not compared, {time.monotonic() - started:.0f} s", *found, sep="\n  ", flush=True)
        return False
    result = compare(job, shim, profiler)
    status, verdict = verdict_of(job, shim, choice.command)
    amount, at_global = result.amount, total(result.at_global)
    print(
        f"{job.name}: {amount.count} collectives, {amount.bytes} bytes, {'differ' if result.found else 'equal'}; "
        f"output equal; at Global {share(at_global.count, amount.count)} of collectives, "
        f"{share(at_global.bytes, amount.bytes)} of bytes; verify: {status}; {time.monotonic() - started:.0f} s",
        *result.found,
        *verdict,
        sep="\n  ",
        flush=True,
    )
    return not result.found and not verdict


def main() -> int:
    """Runs the jobs named on the command line, or all."""
    names = [job.name for job in JOBS]
    choice = read_command_line("Public training code bare, under the shim and under torch.profiler.", "JOB", names)
    packages = sorted({package for job in JOBS for package in job.packages} | {"torch"})
    print(", ".join(f"{package} {importlib.metadata.version(package)}" for package in packages), flush=True)
    chosen = [job for job in JOBS if job.name in choice.names]
    return 0 if all([ask(job, choice) for job in chosen]) else 1


if __name__ == "__main__":
    sys.exit(main())
