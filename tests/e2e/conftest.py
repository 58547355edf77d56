# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""One runner a session, one browser a file, and a line on the jobs that Gloo aborted."""

import signal
from collections.abc import Iterator

import pytest
from harness import Runner
from html_page import launch
from playwright.sync_api import Browser, sync_playwright

_runners: list[Runner] = []

# A shell that starts the tests in the background has SIGINT ignored, and so would every job: some end by it.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Runner:
    """Runs jobs and keeps their results for the session."""
    _runners.append(Runner(tmp_path_factory.mktemp("jobs")))
    return _runners[-1]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for all tests of a file; each has a profile of its own."""
    with sync_playwright() as playwright:
        started = launch(playwright)
        yield started
        started.close()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says how often a job did not end as it is written to: as often bare as shimmed, if it is Gloo's doing."""
    for each in _runners:
        terminalreporter.write_line(f"{len(each.runs)} runs of jobs; not ended as meant: {each.aborts()}")
