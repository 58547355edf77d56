# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""One runner per session, one browser per file, the order of files, and a line on the jobs that PyTorch aborted."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from harness import STORE, Mode, Runner
from html_page import Opener, OpenPage, launch, open_page, write_page
from job_samples import JobSample
from playwright.sync_api import Browser, sync_playwright
from run_store import RunStore

#: The files that take longest, those that compute and those that wait in turn.
FIRST = (
    "test_every_job",
    "test_live_page",
    "test_neighbours",
    "test_timing",
    "test_serve",
    "test_endings",
    "test_html",
    "test_top",
)

_runners: list[Runner] = []
_counts: list[dict[str, list[int]]] = []

# A shell that starts the tests in the background has SIGINT ignored, and so would every job: some end by it.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runner]:
    """Runs jobs and keeps their results for the session, which pytest's workers share."""
    base = tmp_path_factory.getbasetemp()
    session = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    made = Runner(tmp_path_factory.mktemp("jobs"), session / "shared-jobs")
    _runners.append(made)
    yield made
    made.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for all tests of a file; each has a profile of its own."""
    with sync_playwright() as playwright:
        started = launch(playwright)
        yield started
        started.close()


@pytest.fixture
def show(browser: Browser, tmp_path: Path) -> Opener:
    """Returns a function that opens a job's page."""

    def opener(job: JobSample, address: str = "", **options: Any) -> AbstractContextManager[OpenPage]:
        path = write_page(job.write(tmp_path / "job.json"), tmp_path / "report.html")
        return open_page(browser, path, address, **options)

    return opener


def _place(item: pytest.Item) -> int:
    """Returns the position of a test's file in the order. A worker that waits leaves the cores to one that computes."""
    name = item.path.stem
    return FIRST.index(name) if name in FIRST else len(FIRST)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=_place)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """On a machine too slow for all tests, CI leaves out those of the last files. .dev/verdict.py counts them."""
    if time.time() > float(os.environ.get("TESTS_UNTIL", "inf")):
        pytest.skip("no time left")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker hands over how many runs it made."""
    counts = [each.counts() for each in _runners]
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["runs"] = counts
    else:
        _counts.extend(counts)
        RunStore(STORE).remove_unused()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    _counts.extend(node.workeroutput.get("runs", []) if hasattr(node, "workeroutput") else [])


def _shares_at_global(terminalreporter: pytest.TerminalReporter) -> list[tuple[str, float, float]]:
    """Returns the jobs that have collectives at Global, with the shares of counts and bytes; the largest first."""
    reports = [report for outcome in ("passed", "failed") for report in terminalreporter.getreports(outcome)]
    found = [value for report in reports for key, value in report.user_properties if key == "at_global"]
    return sorted((each for each in found if each[1] > 0), key=lambda each: (-each[2], -each[1], each[0]))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says how much each job communicates at Global, how many runs were made, and how many pytorch#190489 ended."""
    if shares := _shares_at_global(terminalreporter):
        terminalreporter.write_line("at Global: count  bytes  job")
        for name, counts, sizes in shares:
            terminalreporter.write_line(f"         {counts:6.1%} {sizes:6.1%}  {name}")
    for mode in Mode:
        made, ended = (sum(each[mode.value][i] for each in _counts) for i in (0, 1))
        if made:
            terminalreporter.write_line(f"{made} runs {mode.value}, {ended} of them ended by pytorch#190489")
