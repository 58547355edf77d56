# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Every way to start child processes and every kind of thread.

Each process that communicates leaves a report of its own calls, equal to the log that it wrote before each call.
test_processes.py has more, with real ranks on Gloo.
"""

import re
from collections import Counter, defaultdict

import pytest
from harness import Job, Launcher, Mode, Run, Runner, assert_unchanged, program
from job_log import logged, of_report


def counts_of_processes(run: Run) -> dict[int, Counter]:
    """Returns the calls that the threads of each process logged, by pid."""
    counts: dict[int, Counter] = defaultdict(Counter)
    for path in run.folder.glob("log.*"):
        counts[int(path.suffixes[-2].lstrip("."))] += logged(path)
    return counts


def test_every_process_and_thread(runner: Runner) -> None:
    """The job's output is the same as without commtap, and the reports have every logged call."""
    parts = ("threads", "forks", "loaders", "languages", "interpreters")
    bare, run = runner.pair(Job("multiplying.py", ("log", *parts), ranks=1, launcher=Launcher.SELF))
    assert_unchanged(bare, run)
    assert run.ledgers == []
    found: dict[int, Counter] = defaultdict(Counter)
    for report in run.reports:
        found[report.job["pid"]] += of_report(report)
        assert report.not_seen == []
    assert found == counts_of_processes(run)
    # The job itself; a child, a grandchild, and one report before and one after an exec; two forked workers, one
    # spawned, and one of the fork server. The fork server and programs in other languages leave no report.
    assert len(run.reports) == 9


def test_forks_while_threads_work(runner: Runner) -> None:
    """No child hangs, whatever the parent's other threads were doing; its report has only its own calls."""
    forks = 40
    bare, run = runner.pair(Job("fork_storm.py", (str(forks),), ranks=1, launcher=Launcher.SELF))
    assert_unchanged(bare, run)
    assert run.outcomes[0].stdout == f"children {{0: {forks}}}\n".encode()
    [calls] = run.folder.glob("calls.*")
    parent = int(calls.suffix.lstrip("."))
    assert len(run.reports) == forks + 1
    for report in run.reports:
        expected = int(calls.read_text()) if report.job["pid"] == parent else 3
        assert report.total(kind="all_reduce") == expected
        assert report.not_seen == []


@pytest.mark.skipif(not program("native_threads").exists(), reason="the jobs in C++ are not built")
def test_forks_while_native_threads_work(runner: Runner) -> None:
    """No GIL serializes the 64 threads."""
    threads, calls, forks = 64, 2000, 40
    run = runner.run(Job("native_threads", tuple(map(str, (threads, calls, forks))), ranks=1), Mode.SHIM)
    said = run.outcomes[0].stdout.decode()
    assert run.outcomes[0].status == 0, run.outcomes[0].stderr
    assert re.findall(r"(\d+) children ended with (-?\d+)", said) == [(str(forks), "0")]
    assert f"calls {1 + threads * calls}\n" in said
    assert len(run.reports) == forks + 1
    totals = Counter(report.total(kind="all_reduce") for report in run.reports)
    assert totals == {1 + threads * calls: 1, 3: forks}
    for report in run.reports:
        assert report.not_seen == []
