# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""`commtap why` after a job was ended: by SIGTERM to its launcher, by SIGKILL to all, by the watchdog of a rank."""

import contextlib
import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hangs import CANNOT_TELL, FAILED, FOUND, OK, PATIENCE_S, settled, wait_for_work, why
from harness import COMMAND, Job, Launcher, Mode, Processes, Runner

#: Longer than any control pauses here: so long a wait is no hang.
LONG_PATIENCE_S = 120
#: A rank aborts after it has waited for so long: longer than `why` has patience.
WATCHDOG_S = 2 * PATIENCE_S

#: A verdict: status, reason, cause.
Facts = tuple[str, str, str]


@dataclass(frozen=True)
class Kind:
    """A job of tests/jobs/hang_zoo.py and the verdicts on it, while it runs and after each end.

    After the end, it is not known what a rank did that had not come. Without a signal of the launcher, the time of the
    end is not known, either: then nothing shows that the others had waited for long.
    """

    name: str
    ranks: int
    #: None: the job ends by itself, because its launcher does not wait.
    live: Facts | None
    cancelled: Facts | None
    killed: Facts | None
    #: None: no rank waits, over Gloo, or not in a call that differs.
    aborted: Facts | None
    by_itself: Facts | None = None

    def forms(self) -> list[str]:
        return [how for how in ("cancelled", "killed", "aborted", "by_itself") if getattr(self, how) is not None]


def said_of_ended(text: str) -> str:
    """Returns what `why` says of a job that has ended, without its last line, which names the run and its time."""
    said, run = text[:-1].rsplit("\n", 1)
    assert re.fullmatch(r"Run \S+, last active \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", run), run
    return said + "\n"


def absent(name: str, ranks: int, cause: str, status: str, reason: str) -> Kind:
    """Ranks that others wait for, and what is known of them while they run."""
    stuck, unknown = ("stuck", "not_come", cause), ("unknown", "not_come", cause)
    return Kind(name, ranks, (status, reason, cause), cancelled=stuck, killed=unknown, aborted=stuck)


def different(name: str, ranks: int, reason: str, cause: str) -> Kind:
    """Calls that differ: they need no time to be proven."""
    facts = ("stuck", reason, cause)
    return Kind(name, ranks, facts, cancelled=facts, killed=facts, aborted=facts)


def left_out(name: str, ranks: int, reason: str, cause: str) -> Kind:
    """Ranks that did not do what others wait for, which needs time to be proven."""
    stuck, unknown = ("stuck", reason, cause), ("unknown", reason, cause)
    return Kind(name, ranks, stuck, cancelled=stuck, killed=unknown, aborted=stuck)


def cycle(name: str, ranks: int, cause: str) -> Kind:
    """Ranks that wait for each other."""
    return left_out(name, ranks, "cycle", cause)


def dead(name: str, reason: str) -> Kind:
    """Rank 1 fails, and its launcher ends the other one."""
    return Kind(name, 2, None, None, None, None, by_itself=("failed", reason, "1"))


DIVERGED = ("stuck", "diverged", "0-1")
EARLY_EXIT = ("stuck", "exited", "1")
DTYPE = ("stuck", "dtype", "1")
LEFT_OUT = ("stuck", "skipped", "1")
WRONG = ("wrong", "reduce_op", "1")
UNMATCHED = ("stuck", "unmatched", "0-1")
NOT_COMPLETED = ("unknown", "not_completed", "")

KINDS = [
    absent("lock", 2, "1", "stuck", "blocked"),
    absent("stopped", 2, "1", "stuck", "stopped"),
    absent("computing", 2, "1", "unknown", "computing"),
    absent("data_loader", 2, "1", "stuck", "blocked"),
    absent("checkpoint", 2, "0", "stuck", "blocked"),
    absent("absent_root", 3, "0", "stuck", "blocked"),
    absent("unused_parameters", 2, "1", "stuck", "blocked"),
    different("skip", 3, "skipped", "1"),
    different("extra", 3, "op", "1"),
    different("order", 3, "skipped", "1"),
    different("data_branch", 3, "skipped", "1"),
    Kind("dtype", 3, DTYPE, cancelled=DTYPE, killed=DTYPE, aborted=None),
    different("root", 3, "root", "1"),
    different("uneven", 3, "op", "1"),
    different("evaluation", 3, "op", "0"),
    different("subset_barrier", 3, "op", "0"),
    different("compiled", 3, "op", "1"),
    different("own_root", 3, "root", "1"),
    different("gather_on_main", 3, "op", "0"),
    Kind("layer_left_out", 3, LEFT_OUT, cancelled=LEFT_OUT, killed=LEFT_OUT, aborted=None),
    left_out("replica_left_out", 4, "skipped", "2-3"),
    left_out("evaluation_break", 3, "skipped", "2"),
    left_out("lone_group", 3, "making_group", "0"),
    cycle("two_groups", 2, "0-1"),
    cycle("three_groups", 3, "0-2"),
    cycle("wrong_group", 4, "2-3"),
    cycle("micro_batch", 2, "0-1"),
    cycle("both_receive", 2, "0-1"),
    cycle("wrong_peer", 3, "0,2"),
    dead("exception", "exited"),
    dead("killed", "killed"),
    Kind("size", 3, None, None, None, None, by_itself=("wrong", "size", "1")),  # Gloo aborts rank 0
    Kind("short_batch", 3, None, None, None, None, by_itself=("wrong", "size", "1")),
    Kind("early_exit", 2, EARLY_EXIT, cancelled=EARLY_EXIT, killed=EARLY_EXIT, aborted=EARLY_EXIT),
    Kind("reduce_op", 3, WRONG, cancelled=WRONG, killed=WRONG, aborted=None),
    Kind("long_ago", 2, DIVERGED, cancelled=DIVERGED, killed=("wrong", "diverged", "0-1"), aborted=DIVERGED),
    Kind("message_size", 2, UNMATCHED, cancelled=UNMATCHED, killed=UNMATCHED, aborted=None),
    Kind("all_elsewhere", 2, NOT_COMPLETED, cancelled=NOT_COMPLETED, killed=NOT_COMPLETED, aborted=None),
]
#: These run in every session, the others in `./dev test all`. A stopped rank ends 30 s after its launcher's SIGTERM.
DAILY = {
    ("lock", "cancelled"),
    ("lock", "killed"),
    ("lock", "aborted"),
    ("skip", "cancelled"),
    ("two_groups", "killed"),
    ("killed", "by_itself"),
}

STATUS_OF = {"healthy": OK, "wrong": FOUND, "failed": FAILED, "stuck": FOUND, "unknown": CANNOT_TELL}


@contextlib.contextmanager
def started(folder: Path, name: str, ranks: int, **variables: str) -> Iterator[Processes]:
    """Yields a job of the zoo that torchrun has started, and ends it."""
    given = Job("hang_zoo.py", (name,), ranks, launcher=Launcher.TORCHRUN, variables=tuple(variables.items()))
    job = Runner(folder).start(given, Mode.SHIM)
    job.run.output_folder.mkdir(exist_ok=True)
    try:
        yield job
    finally:
        pids = [rank["pid"] for rank in why(job.run.output_folder)[1]["ranks"] if rank["pid"]]
        kill_all(job, ranks_of(job))
        for pid in pids:  # a rank leads a session; what its children wait for may never come
            with contextlib.suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)


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


def aborts_at_exit(job: Processes) -> bool:
    """Whether pytorch/pytorch#190489 killed a rank that was exiting."""
    job.run.set_outcomes([job.started[0].returncode])
    return job.run.has_torchs_abort()


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
        for how in kind.forms()
    ]


@pytest.mark.parametrize(("kind", "how"), forms())
def test_the_verdict_after_the_end(kind: Kind, how: str, tmp_path: Path) -> None:
    """The verdict stays what it was: a rank that was alive until the job was ended is not the cause because it died."""
    watchdog = {"WATCHDOG_S": str(WATCHDOG_S)} if how == "aborted" else {}
    with started(tmp_path, kind.name, kind.ranks, **watchdog) as job:
        folder = job.run.output_folder
        wait_for_work(job)
        if how in ("cancelled", "killed"):
            assert kind.live
            status, live = settled(lambda: why(folder), (kind.live[0],))
            assert facts_of(live) == kind.live, live["line"]
            assert live["end"] is None
        end(job, how)
        status, verdict = settled(lambda: why(folder), ("healthy", "wrong", "failed", "stuck", "unknown"))
        text = why_text(folder, PATIENCE_S)
    print(text.stdout)
    expected = getattr(kind, how)
    if how == "by_itself" and aborts_at_exit(job):
        expected = ("failed", "killed", "1")
    assert facts_of(verdict) == expected, verdict["line"]
    assert status == text.returncode == STATUS_OF[verdict["status"]]
    assert verdict["call"] is not None
    if verdict["reason"] != "killed":
        assert f"rank {verdict['cause']} was killed" not in verdict["line"]
        assert "it was killed" not in verdict["line"]
    assert not text.stdout.startswith(("unknown: ", "healthy: healthy"))
    assert bool(verdict["end"]["at"]) == (how != "killed")
    if how == "cancelled":
        assert verdict["end"]["exit_signal"] == signal.SIGTERM
    if how == "aborted":
        assert verdict["end"]["gave_up"]
        assert verdict["waits_s"] < WATCHDOG_S + 60


#: Jobs that pause for less than --after, and how they end. The slow ones never end by themselves.
CONTROLS = [
    (name, how)
    for name in ("slow_rank", "slow_checkpoints", "lone_evaluation", "long_checkpoint", "busy_child", "join")
    for how in ("cancelled", "killed", "ended")
    if how != "ended" or not name.startswith("slow")
]


def is_daily(name: str, how: str) -> bool:
    return name in ("slow_rank", "long_checkpoint") and how != "killed"


@pytest.mark.parametrize(
    ("name", "how"),
    [pytest.param(*each, id="-".join(each), marks=() if is_daily(*each) else pytest.mark.long) for each in CONTROLS],
)
def test_a_healthy_job_alarms_in_no_state(name: str, how: str, tmp_path: Path) -> None:
    """A job that makes progress, or pauses for less than --after, is healthy: while it runs, cancelled, and ended.

    Of one that was killed it is not known how long its ranks had waited: it is unknown.
    """
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
    if how == "killed":
        assert (status, verdict["status"]) == (CANNOT_TELL, "unknown"), verdict["line"]
        return
    assert (status, *facts_of(verdict)) == (OK, "healthy", "none", ""), verdict["line"]
    if how == "cancelled":
        assert text.stdout.startswith("healthy: the job was ended (SIGTERM)")
        assert verdict["end"]["exit_signal"] == signal.SIGTERM
    else:
        assert said_of_ended(text.stdout) == "healthy: the job has ended, and at the end no rank waited for another\n"
        assert verdict["end"] is None


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_healthy_job_that_needs_long_to_end_is_healthy(how: int, tmp_path: Path) -> None:
    """Its end begins with the launcher's signal: what its ranks do until they exit is no wait."""
    name = "long_end" if how == signal.SIGTERM else "slow_checkpoints"
    with started(tmp_path, name, 2) as job:
        folder = job.run.output_folder
        wait_for_work(job)
        time.sleep(2)  # a step
        job.started[0].send_signal(how)
        job.started[0].wait(timeout=120)
        status, verdict = why(folder)
    print(verdict["line"])
    assert (status, *facts_of(verdict)) == (OK, "healthy", "none", ""), verdict["line"]
    assert verdict["end"]["at"]
    assert verdict["quiet_s"] < PATIENCE_S


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


def test_one_hosts_folder(tmp_path: Path) -> None:
    """The verdict is for the ranks at hand, says that others are missing, and all folders together name the cause."""
    hosts = [tmp_path / f"host{rank}" for rank in (0, 1)]
    given = Job("hang_zoo.py", ("lock",), variables=(("COMMTAP_OUT", str(tmp_path / "host%r")),))
    job = Runner(tmp_path).start(given, Mode.SHIM)
    try:
        wait_for_work(job)
        waiting = settled(lambda: why(hosts[0]), ("unknown",))[1]
        blocked = settled(lambda: why(hosts[1]), ("unknown",))[1]
        both = settled(lambda: why(hosts[0], str(hosts[1])), ("stuck",))[1]
    finally:
        for rank in (0, 1):
            job.kill(rank)
        job.wait()
    # Neither folder shows whether the last call of its rank completed.
    for verdict, own, other, call in ((waiting, 0, 1, "#13"), (blocked, 1, 0, "#12")):
        assert facts_of(verdict) == ("unknown", "elsewhere", str(other))
        begin = f"cannot tell: rank {own} may wait in all_reduce {call} of default_pg [0-1] ("
        assert verdict["line"].startswith(begin)
        assert f"for rank {other}, which has no report here: name all folders of the job; no rank" in verdict["line"]
    assert facts_of(both) == ("stuck", "blocked", "1")
    # After the end, neither folder says that a rank never started.
    for host, other in ((0, "1"), (1, "0")):
        ended = why(hosts[host])[1]
        assert facts_of(ended) == ("unknown", "elsewhere", other)
        assert "has no report here: name all folders of the job" in ended["line"]
    assert facts_of(why(hosts[0], str(hosts[1]))[1]) == ("unknown", "not_come", "1")


def test_one_hosts_folder_of_a_job_that_ended_well(tmp_path: Path) -> None:
    """It is healthy, and the line says that it holds for the ranks at hand."""
    given = Job("hang_zoo.py", ("healthy",), variables=(("COMMTAP_OUT", str(tmp_path / "host%r")),))
    Runner(tmp_path).run(given, Mode.SHIM)
    for rank in (0, 1):
        shown = why_text(tmp_path / f"host{rank}", PATIENCE_S)
        assert shown.returncode == OK
        assert said_of_ended(shown.stdout) == (
            "healthy: the job has ended, and at the end no rank waited for another "
            "(without the reports of 1 of 2 ranks)\n"
        )
    assert why(tmp_path / "host0", str(tmp_path / "host1"))[1]["line"] == (
        "the job has ended, and at the end no rank waited for another"
    )
