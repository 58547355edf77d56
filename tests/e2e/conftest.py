# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""One runner a session, and a line on the jobs that Gloo aborted."""

import pytest
from harness import Runner

_runners: list[Runner] = []


@pytest.fixture(scope="session")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Runner:
    """Runs jobs and keeps their results for the session."""
    _runners.append(Runner(tmp_path_factory.mktemp("jobs")))
    return _runners[-1]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says how often a job did not end as it is written to: as often bare as shimmed, if it is Gloo's doing."""
    for each in _runners:
        terminalreporter.write_line(f"{len(each.runs)} runs of jobs; not ended as meant: {each.aborts()}")
