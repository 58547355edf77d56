# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Every way to end a process: its report has each call that it logged, and it ends as it does without commtap.

tests/jobs/forked_endings.py has the ways; test_processes.py has more of them, with real ranks on Gloo.
"""

import contextlib
import os
import resource
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness import ATTEMPTS, COMMAND, LIBRARY, TIMEOUT_S, Job, Launcher, Mode, Run, Runner, wait_until
from job_log import logged, of_report
from mounts import namespaces_refused

from report import Report

#: Way: the ending in the report, the signal, of which the parent sends some, and the exit status.
WAYS: dict[str, tuple[str, int | None, int | None]] = {
    "return": ("normal", None, 0),
    "exception": ("normal", None, 1),
    "sys.exit": ("normal", None, 3),
    "os._exit": ("_exit", None, 4),
    "sigterm": ("killed", signal.SIGTERM, None),
    "sigterm-handled": ("normal", None, 5),
    "sigint": ("signal", signal.SIGINT, None),
    "sigkill": ("killed", signal.SIGKILL, None),
    "sigsegv": ("signal", signal.SIGSEGV, None),
    "abort": ("signal", signal.SIGABRT, None),
    "exec": ("killed", None, None),
    "out-of-memory": ("normal", None, 1),
    "folder-vanishes": ("normal", None, 0),
    "folder-is-a-file": ("normal", None, 0),
    "file-size-limit": ("normal", None, 0),
    "no-descriptors": ("normal", None, 0),
}
ORPHANS = ("sigkill", "sigsegv", "abort", "sigterm", "sigkill", "exec")


def say(*words: str | Path) -> subprocess.CompletedProcess[str]:
    """Runs commtap."""
    return subprocess.run([COMMAND, *words], capture_output=True, text=True, timeout=TIMEOUT_S)


def job_of(*ways: str, out: str, wrapper: tuple[str, ...] = (), **variables: str) -> Job:
    """Returns a job of one process that forks a rank for each way."""
    settings = {"COMMTAP_OUT": out, "TMPDIR": ".", **variables}
    return Job(
        "forked_endings.py",
        ("log", *ways),
        ranks=1,
        launcher=Launcher.SELF,
        variables=tuple(settings.items()),
        wrapper=wrapper,
    )


def report_of(run: Run, rank: int) -> Report:
    """Returns the only report of a rank, from any folder."""
    found = [Report.read(path) for path in run.folder.rglob("*.json")]
    [report] = [each for each in found if each.job["rank"] == rank]
    return report


def assert_complete(run: Run, rank: int) -> Report:
    """Asserts that the rank's report has every logged call and lists nothing as not seen."""
    report = report_of(run, rank)
    assert of_report(report) == logged(run.folder / f"log.{rank}")
    assert report.not_seen == []
    return report


@pytest.fixture(scope="module")
def ended(runner: Runner) -> Run:
    """Runs a rank for each way in its own folder, where no other process recovers its ledger."""
    job = job_of(*WAYS, out="reports/%r")
    bare, run = runner.pair(job)
    assert run.outcomes[0].status == bare.outcomes[0].status == 0, run.outcomes[0].stderr
    # The job prints how each rank ended.
    assert run.outcomes[0].stdout == bare.outcomes[0].stdout
    run.recover()
    return run


@pytest.mark.parametrize("way", WAYS)
def test_nothing_is_lost(ended: Run, way: str) -> None:
    """The report has all calls and the ending."""
    rank = list(WAYS).index(way)
    report = assert_complete(ended, rank)
    assert (report.job["exit"], report.job["exit_signal"], report.job["exit_status"]) == WAYS[way]


def test_no_temporary_files_stay(ended: Run) -> None:
    """No ledger and no partial report stay."""
    left = [path for path in (ended.folder / "reports").rglob("*") if path.is_file() and path.suffix != ".json"]
    assert left == [ended.folder / "reports" / str(list(WAYS).index("folder-is-a-file"))]


def test_who_ends_last_makes_the_reports(runner: Runner) -> None:
    """In one folder, the parent that outlives its ranks, as torchrun does, leaves no ledger."""
    run = runner.run(job_of(*ORPHANS, "return", out="reports"), Mode.SHIM)
    assert run.ledgers == []
    assert len(run.reports) == len(ORPHANS) + 1
    for rank in range(len(ORPHANS) + 1):
        assert_complete(run, rank)


def test_first_to_look_makes_the_reports(runner: Runner) -> None:
    """Each of several concurrent commands lists all reports, as a later command does."""
    run = runner.run(job_of(*ORPHANS, out="reports/%r"), Mode.SHIM)
    assert len(run.ledgers) == len(ORPHANS)
    looks = (["export", "--all", "--format", "csv"], ["show", "--last", "--format", "table"])

    def start(look: list[str]) -> subprocess.Popen[bytes]:
        return subprocess.Popen([COMMAND, *look, run.output_folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    seen = [process.communicate(timeout=TIMEOUT_S) for process in [start(look) for look in looks * 2]]
    assert run.ledgers == []
    assert len(list(run.output_folder.rglob("*.json"))) == len(ORPHANS)
    for rank in range(len(ORPHANS)):
        assert_complete(run, rank)
    assert seen == [start(look).communicate(timeout=TIMEOUT_S) for look in looks * 2]


@pytest.fixture
def memory_group() -> Iterator[Path]:
    """Yields the file that adds processes to a control group of 64 MiB."""
    groups = [line.split(":", 2)[1:] for line in Path("/proc/self/cgroup").read_text(encoding="ascii").splitlines()]
    [place] = [path for names, path in groups if "memory" in names.split(",")] or [None]
    old = place is not None
    base = Path("/sys/fs/cgroup/memory" if old else "/sys/fs/cgroup") / (place or groups[-1][1]).lstrip("/")
    folder = base / f"commtap-test-{os.getpid()}"
    try:
        folder.mkdir()
        limits = ("memory.limit_in_bytes",) if old else ("memory.max", "memory.swap.max")
        for limit in limits:
            (folder / limit).write_text("0" if "swap" in limit else str(64 << 20))
    except OSError as error:
        with contextlib.suppress(OSError):
            folder.rmdir()
        pytest.skip(f"no control group for memory can be made here: {error}")
    yield folder / "cgroup.procs"
    wait_until(lambda: (folder / "cgroup.procs").read_text() == "", "the control group's last process")
    folder.rmdir()


def test_killed_for_memory(runner: Runner, memory_group: Path) -> None:
    """The kernel kills the rank at its control group's limit."""
    run = runner.run(job_of("oom-killed", out="reports", JOB_MEMORY_GROUP=str(memory_group)), Mode.SHIM)
    assert run.outcomes[0].stdout == b"oom-killed -9\n"
    job = assert_complete(run, 0).job
    assert (job["exit"], job["exit_signal"]) == ("signal", signal.SIGKILL)


#: Mounts the folders of three ranks in a mount namespace, runs its arguments there, and saves the folders' contents.
IN_NAMESPACE = """
mkdir -p mounted/0 mounted/1 mounted/2 || exit 99
mount -t tmpfs -o size=64k full mounted/0 && mount -t tmpfs -o size=512k fills mounted/1 || exit 99
mount -t tmpfs -o ro read-only mounted/2 || exit 99
"$@"
status=$?
cp -r mounted reports
exit $status
"""


@pytest.fixture(scope="module")
def on_bad_disks(runner: Runner) -> Run:
    """Runs a rank on a full disk, one on a disk that fills up, and one on a read-only disk."""
    if reason := namespaces_refused():
        pytest.skip(f"no file system can be mounted here: {reason}")
    ways = ("return", "disk-fills-up", "return")
    job = job_of(*ways, out="mounted/%r", wrapper=("unshare", "-m", "sh", "-c", IN_NAMESPACE, "sh"))
    run = runner.run(job, Mode.SHIM)
    assert run.outcomes[0].status == 0, run.outcomes[0].stderr
    assert run.outcomes[0].stdout == b"return 0\ndisk-fills-up 0\nreturn 0\n"
    return run


@pytest.mark.parametrize("rank", [0, 2], ids=["full", "read-only"])
def test_disk_cannot_be_written_to(on_bad_disks: Run, rank: int) -> None:
    """The report goes to the temporary folder, and a line says so."""
    report = assert_complete(on_bad_disks, rank)
    assert (on_bad_disks.folder / f"commtap-{os.getuid()}") in report.path.parents
    assert b"the report goes to ./commtap-" in on_bad_disks.outcomes[0].stderr


def test_disk_becomes_full(on_bad_disks: Run) -> None:
    """The process survives, and its ledger has all calls: they need no more space."""
    assert len(on_bad_disks.ledgers) == 1
    assert b"the numbers are kept in" in on_bad_disks.outcomes[0].stderr
    on_bad_disks.recover()
    assert assert_complete(on_bad_disks, 1).job["exit"] == "normal"


def of_attempts(run: Run) -> dict[tuple[int, int], Counter]:
    """Returns the logged calls by (attempt, rank)."""
    return {
        (int(attempt), int(rank)): logged(path)
        for path in run.folder.glob("log.*")
        for _, attempt, rank in [path.name.split(".")]
    }


def found_of(run: Run) -> dict[tuple[int, int], Counter]:
    """Returns the reported calls by (attempt, rank)."""
    found = {(report.job["attempt"], report.job["rank"]): of_report(report) for report in run.reports}
    assert len(found) == len(run.reports)
    return found


def test_torchrun_ends_the_others_and_starts_again(runner: Runner) -> None:
    """One rank fails, torchrun ends the other, and a second attempt succeeds: four complete, separate reports.

    torchrun's own process converts the ledger of the rank that it killed.
    """
    job = Job("survivors.py", ("log", "fail"), launcher=Launcher.TORCHRUN, torchrun=("--max-restarts=1",))
    runs = (runner.run(job, Mode.SHIM) for _ in range(ATTEMPTS))
    run = next(each for each in runs if not each.has_torchs_abort())
    assert run.outcomes[0].status == 0, run.outcomes[0].stderr
    assert run.ledgers == []
    assert found_of(run) == of_attempts(run)
    assert sorted(found_of(run)) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    [ended_by_torchrun] = [each for each in run.reports if (each.job["attempt"], each.job["rank"]) == (0, 0)]
    assert ended_by_torchrun.job["exit"] == "killed"
    assert ended_by_torchrun.job["exit_signal"] == signal.SIGTERM
    [failed] = [each for each in run.reports if (each.job["attempt"], each.job["rank"]) == (0, 1)]
    assert (failed.job["exit"], failed.job["exit_status"]) == ("normal", 1)
    shown = say("show", "--attempt", "0", run.output_folder)
    assert "rank 0: killed after the launcher sent SIGTERM; the numbers end at that moment\n" in shown.stdout
    assert "rank 1: ended with status 1\n" in shown.stdout
    assert {report.job["exit_status"] for report in run.reports if report.job["attempt"] == 1} == {0}
    for report in run.reports:
        assert report.not_seen == []
        assert (report.path.parent.name == "attempt-1") == (report.job["attempt"] == 1)


def test_all_ranks_raise(runner: Runner) -> None:
    """Each command that says how a job ended says that its ranks did with an error: it is not a healthy one."""
    run = runner.run(Job("endings.py", ("raise",), status=1), Mode.SHIM)
    assert [(each.job["exit"], each.job["exit_status"]) for each in run.reports] == [("normal", 1)] * 2
    out = run.output_folder
    for options in ((), ("--ranks",)):
        assert "ranks 0-1: ended with status 1\n" in say("show", out, *options).stdout, options
    checked = say("check", out)
    assert checked.returncode == 1
    assert "processes exited with another status than 0" in checked.stdout
    assert say("check", out, "--allow", "failed").returncode == 0
    why = say("why", out)
    assert "failed: ranks 0-1 exited with status 1, and at the end no rank waited for another" in why.stdout
    assert "healthy" not in why.stdout


def test_torchrun_is_killed(runner: Runner) -> None:
    """Its ranks go on. One rank is killed too; the last rank to end makes both reports."""
    processes = runner.start(
        Job("survivors.py", ("log", "outlive"), status=-signal.SIGKILL, launcher=Launcher.TORCHRUN), Mode.SHIM
    )
    folder = processes.run.folder
    wait_until(lambda: all((folder / f"ready.{rank}").exists() for rank in range(2)), "both ranks")
    processes.kill(0)
    run = processes.wait()
    (folder / "go").touch()
    wait_until(lambda: (folder / "last").exists() and run.ledgers == [], "the last rank's end")
    assert found_of(run) == of_attempts(run)
    assert [report.job["exit"] for report in run.reports] == ["normal", "signal"]


#: Makes a collective as rank 0. If its argument says so, it crashes there, of memory that cannot be read, or waits.
CRASHING_RANK = """
import ctypes, signal, sys, torch, torch.distributed as dist
import torch.testing._internal.distributed.fake_pg
dist.init_process_group("fake", store=dist.HashStore(), rank=0, world_size=2)
libc = ctypes.CDLL(None)
if sys.argv[1] == "wait":
    libc.signal(signal.SIGSEGV, ctypes.cast(libc.pause, ctypes.c_void_p))
print("begins", flush=True)
unreadable = torch.frombuffer((ctypes.c_float * 4).from_address(4096), dtype=torch.float32)
dist.all_gather([torch.empty(4)] * 2, torch.ones(4) if sys.argv[1] == "end" else unreadable)
print("done", flush=True)
"""

#: Starts the rank four times and ends it, as torchrun does when a rank of another host has failed.
LAUNCHER = """
import os, signal, subprocess, sys, torch
for signal in (signal.SIGTERM, signal.SIGKILL, signal.SIGTERM, signal.SIGTERM):
    rank = subprocess.Popen(
        [sys.executable, "-c", sys.argv[1], "wait"], env=os.environ | {"RANK": "0", "WORLD_SIZE": "2"},
        stdout=subprocess.PIPE, start_new_session=True)
    rank.stdout.readline()
    os.killpg(rank.pid, signal)
    assert rank.wait() == -signal
"""


def test_crash_loop(tmp_path: Path) -> None:
    """A rank that crashes three times in a row runs without commtap from then on, and a line and a report say so."""
    out = tmp_path / "out"
    environment = {
        **os.environ,
        "LD_PRELOAD": str(LIBRARY),
        "COMMTAP_OUT": str(out / "%r"),
        "COMMTAP_RUN_ID": "loop",
        "RANK": "0",
        "WORLD_SIZE": "2",
    }

    def run(end: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", CRASHING_RANK, end]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=TIMEOUT_S)

    for nth in range(3):
        process = run("crash")
        assert (process.returncode, process.stderr) == (-signal.SIGSEGV, ""), nth
    assert len(list(out.rglob("*.ledger"))) == 3
    process = run("end")
    assert (process.returncode, process.stdout) == (0, "begins\ndone\n")
    [line] = process.stderr.splitlines()
    mark = out / "commtap-off-loop.txt"
    assert "commtap stays off: 3 processes of rank 0 crashed or were killed" in line
    assert f"empty {mark} to count all the same" in line
    [report] = [each for each in map(Report.read, out.rglob("*.json")) if each.job["exit"] == "normal"]
    assert [entry["reason"] for entry in report.not_seen] == ["switched_off"]
    assert report.collectives == []
    mark.write_text("")
    process = run("end")
    assert (process.returncode, process.stderr) == (0, "")
    counted = max(map(Report.read, out.rglob("*.json")), key=lambda each: each.job["started_at"])
    assert counted.not_seen == []
    assert len(counted.collectives) == 1


@pytest.mark.parametrize("out", ["out", "out/%r"])
def test_ended_by_the_launcher(tmp_path: Path, out: str) -> None:
    """A rank that its launcher ended three times in a row has not crashed: commtap counts in its next process."""
    environment = {
        **{name: value for name, value in os.environ.items() if name not in ("RANK", "WORLD_SIZE")},
        "LD_PRELOAD": str(LIBRARY),
        "COMMTAP_OUT": str(tmp_path / out),
        "COMMTAP_RUN_ID": "loop",
    }
    launcher = [sys.executable, "-c", LAUNCHER, CRASHING_RANK]
    process = subprocess.run(launcher, env=environment, capture_output=True, text=True, timeout=TIMEOUT_S)
    assert (process.returncode, process.stderr) == (0, "")
    rank = [sys.executable, "-c", CRASHING_RANK, "end"]
    process = subprocess.run(
        rank, env=environment | {"RANK": "0"}, capture_output=True, text=True, timeout=TIMEOUT_S, check=True
    )
    assert process.stderr == ""
    assert not list(tmp_path.rglob("commtap-off-*"))


#: Makes a collective, and prints the highest address space in use, in bytes.
PRINTS_ADDRESS_SPACE = """
import torch, torch.distributed as dist
import torch.testing._internal.distributed.fake_pg
dist.init_process_group("fake", store=dist.HashStore(), rank=0, world_size=2)
dist.all_reduce(torch.ones(4))
[peak] = [line.split()[1] for line in open("/proc/self/status") if line.startswith("VmPeak")]
print(int(peak) << 10)
"""


def test_address_space_limit(tmp_path: Path) -> None:
    """With `ulimit -v` 48 MiB above the job's need, commtap counts and the job ends as without it."""

    def run(limit: int, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", PRINTS_ADDRESS_SPACE],
            env={**os.environ, **variables},
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
        )

    need = int(run(4 << 30).stdout)
    process = run(need + (48 << 20), LD_PRELOAD=str(LIBRARY), COMMTAP_OUT=str(tmp_path))
    assert (process.returncode, process.stderr) == (0, "")
    [report] = [Report.read(path) for path in tmp_path.glob("*.json")]
    assert report.not_seen == []
    assert report.total() == 1
