# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Real jobs with every library of ours instrumented: the sanitizer has nothing to say, and the numbers are the same."""

import pytest
from harness import Job, Mode, Runner

#: How many all-reduces a rank makes: 4 threads, 5 steps, of each forward, backward and the loss's; those of a parent.
JOBS = {
    "threads": (Job("threads.py"), 4 * 5 * 3),
    "fork": (Job("children.py", ("fork",)), 2),
}


@pytest.mark.parametrize("name", JOBS)
def test_nothing_is_found(runner: Runner, variables: tuple[tuple[str, str], ...], name: str) -> None:
    job, all_reduces = JOBS[name]
    run = runner.run(Job(job.script, job.arguments, variables=variables), Mode.SHIM)
    for outcome in run.outcomes:
        said = outcome.stderr.decode(errors="replace")
        assert "Sanitizer" not in said, said
        assert "runtime error" not in said, said
    assert run.ended_as_meant(), run.outcomes
    for rank in range(2):
        [report] = [each for each in run.reports if each.job["rank"] == rank and each.job["exit"] == "normal"]
        assert report.total(kind="all_reduce") == all_reduces
        assert report.not_seen == []
