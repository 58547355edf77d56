# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Real jobs with every library of ours instrumented: the sanitizer has nothing to say, and the numbers are the same."""

from dataclasses import replace

import catalogue
import pytest
from harness import Job, Mode, Run, Runner

#: How many all-reduces a rank makes: 4 threads, 5 steps, of each forward, backward and the loss's; those of a parent.
JOBS = {
    "threads": (Job("threads.py"), 4 * 5 * 3),
    "fork": (Job("children.py", ("fork",)), 2),
}


def quiet_run(runner: Runner, job: Job, variables: tuple[tuple[str, str], ...]) -> Run:
    """Runs a job, which ends as it is meant to, and of which the sanitizer has nothing to say."""
    run = runner.run(replace(job, variables=variables), Mode.SHIM)
    for outcome in run.outcomes:
        said = outcome.stderr.decode(errors="replace")
        assert "Sanitizer" not in said, said
        assert "runtime error" not in said, said
    assert run.ended_as_meant(), run.outcomes
    return run


@pytest.mark.parametrize("name", JOBS)
def test_nothing_is_found(runner: Runner, variables: tuple[tuple[str, str], ...], name: str) -> None:
    job, all_reduces = JOBS[name]
    run = quiet_run(runner, job, variables)
    for rank in range(2):
        [report] = [each for each in run.reports if each.job["rank"] == rank and each.job["exit"] == "normal"]
        assert report.total(kind="all_reduce") == all_reduces
        assert report.not_seen == []


@pytest.mark.long
@pytest.mark.parametrize("name", catalogue.JOBS)
def test_nothing_is_found_in_any_job(runner: Runner, variables: tuple[tuple[str, str], ...], name: str) -> None:
    run = quiet_run(runner, catalogue.JOBS[name], variables)
    for report in run.reports:
        assert report.not_seen == []
