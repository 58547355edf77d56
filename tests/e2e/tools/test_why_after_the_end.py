# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""`commtap why` after a job was ended: by SIGTERM to its launcher, by SIGKILL to all, by the watchdog of a rank."""

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hangs import CANNOT_TELL, FOUND, OK, PATIENCE_S, settled, wait_for_work, why
from harness import COMMAND, Job, Launcher, Mode, Processes, Runner

#: Longer than any control pauses here: so long a wait is no hang.
LONG_PATIENCE_S = 120
#: A rank aborts after it has waited for so long: longer than `why` has patience.
WATCHDOG_S = 2 * PATIENCE_S

#: A verdict: status, reason, cause.
Facts = tuple[str, str, str]


@dataclass(frozen=True)
class Kind:
    """A job of tests/jobs/hang_zoo.py and the verdicts on it, while it runs and after each end."""

    name: str
    ranks: int
    live: Facts
    cancelled: Facts
    killed: Facts
    aborted: Facts


#: After the end, it is not known what a rank did that had not come. Without a signal of the launcher, the time of the
#: end is not known, either: then nothing shows that the others had waited for long.
KINDS = [
    Kind(
        "lock",
        2,
        live=("stuck", "blocked", "1"),
        cancelled=("stuck", "not_come", "1"),
        killed=("unknown", "not_come", "1"),
        aborted=("stuck", "not_come", "1"),
    ),
    Kind(
        "stopped",
        2,
        live=("stuck", "stopped", "1"),
        cancelled=("stuck", "not_come", "1"),
        killed=("unknown", "not_come", "1"),
        aborted=("stuck", "not_come", "1"),
    ),
    Kind(
        "computing",
        2,
        live=("unknown", "computing", "1"),
        cancelled=("stuck", "not_come", "1"),
        killed=("unknown", "not_come", "1"),
        aborted=("stuck", "not_come", "1"),
    ),
    Kind(
        "skip",
        3,
        live=("stuck", "skipped", "1"),
        cancelled=("stuck", "skipped", "1"),
        killed=("stuck", "skipped", "1"),
        aborted=("stuck", "skipped", "1"),
    ),
    Kind(
        "two_groups",
        2,
        live=("stuck", "cycle", "0-1"),
        cancelled=("stuck", "cycle", "0-1"),
        killed=("unknown", "cycle", "0-1"),
        aborted=("stuck", "cycle", "0-1"),
    ),
    Kind(
        "long_ago",
        2,
        live=("stuck", "diverged", "0-1"),
        cancelled=("stuck", "diverged", "0-1"),
        killed=("wrong", "diverged", "0-1"),
        aborted=("stuck", "diverged", "0-1"),
    ),
]
#: These run in every session, the others in `./dev test all`. A stopped rank ends 30 s after its launcher's SIGTERM.
DAILY = {
    ("lock", "cancelled"),
    ("lock", "killed"),
    ("lock", "aborted"),
    ("skip", "cancelled"),
    ("two_groups", "killed"),
}

STATUS_OF = {"healthy": OK, "wrong": FOUND, "stuck": FOUND, "unknown": CANNOT_TELL}


@contextlib.contextmanager
def started(folder: Path, name: str, ranks: int, **variables: str) -> Iterator[Processes]:
    """Yields a job of the zoo that torchrun has started, and ends it."""
    given = Job("hang_zoo.py", (name,), ranks, launcher=Launcher.TORCHRUN, variables=tuple(variables.items()))
    job = Runner(folder).start(given, Mode.SHIM)
    job.run.output_folder.mkdir(exist_ok=True)
    try:
        yield job
    finally:
        kill_all(job, ranks_of(job))


def ranks_of(job: Processes) -> list[int]:
    """Returns the processes of the ranks that run."""
    ranks = why(job.run.output_folder)[1]["ranks"]
    return [rank["pid"] for rank in ranks if rank["state"] not in ("exited", "killed", "ended", "never_came")]


def kill_all(job: Processes, pids: list[int]) -> None:
    """SIGKILL to the launcher, which so cannot end the ranks, and to the ranks."""
    job.kill(0)
    job.started[0].wait()
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def end(job: Processes, how: str) -> None:
    if how == "killed":
        kill_all(job, ranks_of(job))
    elif how == "cancelled":
        job.started[0].terminate()
    job.started[0].wait(timeout=120)


def why_text(folder: Path, patience_s: int) -> subprocess.CompletedProcess[str]:
    command = [COMMAND, "why", "--after", f"{patience_s}s", folder]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def facts_of(verdict: dict[str, Any]) -> Facts:
    return verdict["status"], verdict["reason"], verdict["cause"]


def forms() -> list[Any]:
    return [
        pytest.param(
            kind,
            how,
            id=f"{kind.name}-{how}",
            marks=() if (kind.name, how) in DAILY else pytest.mark.long,
        )
        for kind in KINDS
        for how in ("cancelled", "killed", "aborted")
    ]


@pytest.mark.parametrize(("kind", "how"), forms())
def test_the_verdict_after_the_end(kind: Kind, how: str, tmp_path: Path) -> None:
    """The verdict stays what it was: a rank that was alive until the job was ended is not the cause because it died."""
    watchdog = {"WATCHDOG_S": str(WATCHDOG_S)} if how == "aborted" else {}
    with started(tmp_path, kind.name, kind.ranks, **watchdog) as job:
        folder = job.run.output_folder
        wait_for_work(job)
        if how != "aborted":
            status, live = settled(lambda: why(folder), (kind.live[0],))
            assert facts_of(live) == kind.live, live["line"]
            assert live["end"] is None
        end(job, how)
        status, verdict = settled(lambda: why(folder), ("healthy", "wrong", "stuck", "unknown"))
        text = why_text(folder, PATIENCE_S)
    print(text.stdout)
    assert facts_of(verdict) == getattr(kind, how), verdict["line"]
    assert status == text.returncode == STATUS_OF[verdict["status"]]
    assert verdict["call"] is not None
    assert f"rank {verdict['cause']} was killed" not in verdict["line"]
    assert "it was killed" not in verdict["line"]
    assert not text.stdout.startswith(("unknown: ", "healthy: healthy"))
    assert bool(verdict["end"]["at"]) == (how != "killed")
    if how == "cancelled":
        assert verdict["end"]["exit_signal"] == signal.SIGTERM
    if how == "aborted":
        assert verdict["end"]["gave_up"]
        assert verdict["waits_s"] < WATCHDOG_S + 60


#: Jobs that pause for less than --after, and how they end. The slow rank never ends by itself.
CONTROLS = [
    (name, how)
    for name in ("slow_rank", "lone_evaluation", "long_checkpoint", "busy_child", "join")
    for how in ("cancelled", "ended")
    if (name, how) != ("slow_rank", "ended")
]
DAILY_CONTROLS = {"slow_rank", "long_checkpoint"}


@pytest.mark.parametrize(
    ("name", "how"),
    [
        pytest.param(*each, id="-".join(each), marks=() if each[0] in DAILY_CONTROLS else pytest.mark.long)
        for each in CONTROLS
    ],
)
def test_a_healthy_job_alarms_in_no_state(name: str, how: str, tmp_path: Path) -> None:
    """A job that makes progress, or pauses for less than --after, is healthy: while it runs, cancelled, and ended."""
    with started(tmp_path, name, 2) as job:
        folder = job.run.output_folder
        wait_for_work(job)
        assert why(folder, patience_s=LONG_PATIENCE_S)[1]["status"] == "healthy"
        if how == "ended":
            (job.run.folder / "go_on").touch()
        end(job, how)
        status, verdict = why(folder, patience_s=LONG_PATIENCE_S)
        text = why_text(folder, LONG_PATIENCE_S)
    print(text.stdout)
    assert (status, *facts_of(verdict)) == (OK, "healthy", "none", ""), verdict["line"]
    if how == "cancelled":
        assert text.stdout.startswith("healthy: the job was ended (SIGTERM)")
        assert verdict["end"]["exit_signal"] == signal.SIGTERM
    else:
        assert text.stdout == "healthy: the job has ended, and no rank waited for another\n"
        assert verdict["end"] is None


def test_a_watch_does_not_report_a_job_that_is_cancelled(tmp_path: Path) -> None:
    """Neither while the launcher ends its ranks, nor after it."""
    reported = tmp_path / "reported"
    with started(tmp_path / "job", "slow_rank", 2) as job:
        wait_for_work(job)
        command = [COMMAND, "why", "--watch", "--after", f"{PATIENCE_S}s", "--interval", "0.1s"]
        command += ["--exec", f"cat >>{reported}", job.run.output_folder]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as watch:
            end(job, "cancelled")
            assert watch.wait(timeout=60) == OK
            assert watch.communicate() == (b"", b"")
    assert not reported.exists()
