# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The alerts that a real Prometheus fires for each way in which a job ends: the table of docs/design/hangs.md."""

import contextlib
import os
import re
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from subprocess import TimeoutExpired

import pytest
from hangs import why
from harness import Job, Launcher, Mode, Processes, Runner, wait_until
from made_pages import hold
from prometheus import Prometheus
from server import Server

from report import REPOSITORY

PAGE = REPOSITORY / "docs" / "design" / "hangs.md"
RULES = REPOSITORY / "docs" / "dashboards" / "commtap.rules.yml"
MARKS = ("<!-- endings: made by tests/e2e/tools/test_ending_alerts.py -->\n", "<!-- end of endings -->\n")

#: Ranks of each job.
RANKS = 3
#: Seconds for alerts to settle: rules are evaluated every second.
SETTLED_S = 8


def ranks_of(job: Processes, folder: Path, run: str) -> list[int]:
    ranks = why(folder, "--run", run)[1]["ranks"]
    return [rank["pid"] for rank in ranks if rank["state"] not in ("exited", "killed", "ended")]


def signal_all(job: Processes, pids: list[int], number: int) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
    job.started[0].send_signal(number)


def by_itself(job: Processes, pids: list[int]) -> None:
    pass


def killed(job: Processes, pids: list[int]) -> None:
    job.started[0].send_signal(signal.SIGKILL)
    signal_all(job, pids, signal.SIGKILL)


def cancelled(job: Processes, pids: list[int]) -> None:
    job.started[0].terminate()


def interrupted(job: Processes, pids: list[int]) -> None:
    signal_all(job, pids, signal.SIGINT)


def by_scheduler(job: Processes, pids: list[int]) -> None:
    """As Slurm, which kills what has not ended 30 s after SIGTERM."""
    signal_all(job, pids, signal.SIGTERM)
    with contextlib.suppress(TimeoutExpired):
        job.started[0].wait(timeout=30)
    signal_all(job, pids, signal.SIGKILL)


@dataclass(frozen=True)
class Ending:
    """A way to end a job of tests/jobs/hang_zoo.py."""

    run: str
    words: str
    how: Callable[[Processes, list[int]], None] = by_itself
    #: The last rank, or each, does so after 20 steps.
    ending: str = ""


ENDINGS = [
    Ending("returns", "all ranks return", ending="returns"),
    Ending("raises", "a rank raises an exception", ending="raises"),
    Ending("exits", "a rank calls `sys.exit(3)`", ending="exits"),
    Ending("is_killed", "SIGKILL of one rank", ending="is_killed"),
    Ending("killed", "SIGKILL of all", killed),
    Ending("cancelled", "SIGTERM to `torchrun`", cancelled),
    Ending("interrupted", "Ctrl-C", interrupted),
    Ending("watchdog", "a rank hangs, a watchdog aborts the others", ending="hangs"),
    Ending("scancel", "`scancel`: SIGTERM, then SIGKILL", by_scheduler),
]


def hurried(folder: Path) -> Path:
    """Returns rules that wait for seconds where those of the docs wait for minutes."""
    text = RULES.read_text(encoding="utf-8")
    path = folder / "rules.yml"
    path.write_text(re.sub(r"\[\d+m\]", "[5s]", re.sub(r"for: \d+[ms]", "for: 3s", text)), encoding="utf-8")
    return path


@contextlib.contextmanager
def started(folder: Path, out: Path, ending: Ending) -> Iterator[Processes]:
    variables = {"COMMTAP_OUT": str(out), "COMMTAP_RUN_ID": ending.run, "ENDING": ending.ending, "WATCHDOG_S": "10"}
    given = Job("hang_zoo.py", ("going_on",), RANKS, launcher=Launcher.TORCHRUN, variables=tuple(variables.items()))
    job = Runner(folder / ending.run).start(given, Mode.SHIM)
    try:
        yield job
    finally:
        with contextlib.suppress(ProcessLookupError):
            job.started[0].kill()
        job.started[0].wait()


def end(folder: Path, out: Path, ending: Ending) -> tuple[str, str]:
    """Starts a job and ends it. Returns the status and the reason of its verdict."""
    with started(folder, out, ending) as job:
        stdout = job.run.folder
        wait_until(
            lambda: sum(each.read_text().count("at work") for each in stdout.glob("stdout.*")) == RANKS, "the ranks"
        )
        time.sleep(1.5)
        ending.how(job, ranks_of(job, out, ending.run))
        job.started[0].wait(timeout=120)
    verdict = why(out, "--run", ending.run)[1]
    print(ending.run, verdict["line"])
    return verdict["status"], verdict["reason"]


def fired(server: Prometheus) -> dict[str, set[str]]:
    """Returns the alerts that fire, by run."""
    alerts: dict[str, set[str]] = {}
    for each in server.query('ALERTS{alertstate="firing"}'):
        alerts.setdefault(each["metric"].get("run_id", ""), set()).add(each["metric"]["alertname"])
    return alerts


@pytest.mark.long
def test_the_alerts_for_each_ending(tmp_path: Path) -> None:
    """One event fires at most one alert, and the page has which. COMMTAP_REMAKE=1 writes the page."""
    out = tmp_path / "out"
    out.mkdir()
    server = Server(out)
    prometheus = Prometheus(tmp_path / "prometheus", [server.address], hurried(tmp_path))
    try:
        verdicts = {ending.run: end(tmp_path, out, ending) for ending in ENDINGS}
        time.sleep(SETTLED_S)
        alerts = fired(prometheus)
    finally:
        prometheus.stop()
        server.stop()
    rows = ["| the end | `commtap why` | alerts |", "|---|---|---|"]
    for ending in ENDINGS:
        status, reason = verdicts[ending.run]
        names = ", ".join(f"`{name}`" for name in sorted(alerts.get(ending.run, ()))) or "none"
        rows.append(f"| {ending.words} | `{status}`{'' if reason == 'none' else f', `{reason}`'} | {names} |")
    table = "\n".join(rows) + "\n"
    print(table)
    hold(PAGE, MARKS, table)
    assert all(len(names) <= 1 for run, names in alerts.items() if run)
