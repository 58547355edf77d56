# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""A job's page in `commtap serve`, in a real browser, while the job runs, ends and is dropped."""

import re
import socket
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from generate_reports import Document, Layout, nccl, with_steps, write_reports
from html_page import OpenPage
from openmetrics import families
from playwright.sync_api import Browser, expect
from server import Server

#: Seconds for which the server serves one snapshot to everyone, plus a margin.
KEPT_S = 2.1

RUN_ID = 'a "run" & <b>50%</b>'


class LiveJob:
    """Reports of a job that advances when the test says so. All of its processes are on this host."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.drafts = folder.with_name("drafts")
        folder.mkdir()

    def goes_on(
        self, steps: int, exit_kind: str = "running", ahead: int = 0, has_nccl: bool = False, idle_s: float = 0
    ) -> int:
        """Writes the reports after `steps` steps, with rank 0 `ahead` of them. Returns the number of collectives."""
        started_at = (datetime.now(UTC) - timedelta(seconds=idle_s)).strftime("%Y-%m-%dT%H:%M:%S")
        layout = Layout(ranks=4, layers=1, steps=steps, run_id=RUN_ID, started_at=started_at)
        total = 0

        def change(rank: int, document: Document) -> None:
            nonlocal total
            with_steps(layout)(rank, document)
            document["job"] |= {"host": socket.gethostname(), "exit": exit_kind, "world_size": 8}
            if exit_kind == "running":
                document["job"]["ended_at"] = None
            if rank == 0:
                document["collectives"][0]["count"] += ahead
            if has_nccl:
                document["nccl"] = nccl(document)
            total += sum(row["count"] for row in document["collectives"])

        write_reports(self.drafts, layout, change)
        for path in self.drafts.iterdir():
            path.rename(self.folder / path.name)  # atomic, as ranks do it
        return total

    def forget(self) -> None:
        for path in self.folder.iterdir():
            path.unlink()


@pytest.fixture
def job(tmp_path: Path) -> LiveJob:
    return LiveJob(tmp_path / "jobs")


@pytest.fixture
def server(job: LiveJob) -> Iterator[Server]:
    started = Server(job.folder)
    yield started
    if started.process.poll() is None:
        started.stop()


@pytest.fixture
def opened(browser: Browser) -> Iterator[OpenPage]:
    """Opens a tab whose clock the test can advance."""
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    page = OpenPage(context.new_page())
    page.page.clock.install()
    page.watch()
    yield page
    context.close()


def go_to_job(opened: OpenPage, server: Server) -> None:
    """Opens the job's page from the server's first page, as a reader does, and chooses sums."""
    opened.page.goto(f"http://{server.address}/")
    opened.page.get_by_role("heading", name=RUN_ID).get_by_role("link").click()
    opened.page.wait_for_selector("#facts dt")
    opened.unit("sum")
    opened.console.clear()  # drop those of the first page
    opened.requests.clear()


def next_poll(opened: OpenPage) -> None:
    """Advances the time until the page polls again and the server has a new snapshot."""
    time.sleep(KEPT_S)
    with opened.page.expect_event("requestfinished", lambda request: "job.json" in request.url):
        opened.page.clock.run_for(5100)


def expect_figure(opened: OpenPage, collectives: int) -> None:
    """Waits until the totals show this number."""
    expect(opened.page.locator(".tile .figure").first).to_have_text(f"{collectives:,}")


def state(opened: OpenPage) -> str:
    return opened.page.locator("#live").get_attribute("data-state")


def test_numbers_follow_the_job(job: LiveJob, server: Server, opened: OpenPage) -> None:
    """The page equals that of `commtap html`, with newer numbers at each poll until the job ends."""
    first = job.goes_on(5)
    go_to_job(opened, server)
    expect_figure(opened, first)
    expect(opened.page.get_by_role("heading", level=1)).to_have_text("commtap python train.py --config large.toml")
    expect(opened.page.locator("#facts")).to_contain_text(RUN_ID)
    expect(opened.page.locator("#facts")).to_contain_text("4 of 8 ranks: 0-3")
    expect(opened.page.locator("#live")).to_contain_text("The job is running.Last updated ")
    assert [point[0] for point in opened.step_points("Time")] == list(range(5))

    second = job.goes_on(9)
    assert second > first
    next_poll(opened)
    expect_figure(opened, second)
    assert [point[0] for point in opened.step_points("Time")] == list(range(9))

    last = job.goes_on(10, "normal")
    next_poll(opened)
    expect_figure(opened, last)
    expect(opened.page.locator("#live")).to_contain_text("The job has ended.")
    assert opened.said() == "The job has ended."
    assert opened.console == []
    assert {url.split("?")[0] for url in opened.requests} == {f"http://{server.address}/job.json"}


def test_a_job_without_progress_is_not_called_running(job: LiveJob, server: Server, opened: OpenPage) -> None:
    """Processes that seem to run, without a collective or a step for a minute, make a quiet job."""
    job.goes_on(5, idle_s=600)
    go_to_job(opened, server)
    quiet = "The job is quiet: no collective and no step for more than a minute."
    expect(opened.page.locator("#live")).to_contain_text(quiet)
    assert state(opened) == "quiet"
    opened.page.goto(f"http://{server.address}/")
    expect(opened.page.locator("strong.bad")).to_have_text(re.compile("^Quiet: no collective and no step for .* min"))
    job.goes_on(6)
    time.sleep(KEPT_S)  # else the server answers with its last snapshot
    go_to_job(opened, server)
    expect(opened.page.locator("#live")).to_contain_text("The job is running.")


def test_calls_to_nccl_come_with_the_job(job: LiveJob, server: Server, opened: OpenPage) -> None:
    """The section appears once a rank has called NCCL; the metrics have the same numbers."""
    job.goes_on(1)
    go_to_job(opened, server)
    card = opened.page.locator("#nccl-card")
    expect(card).to_be_hidden()
    job.goes_on(5, has_nccl=True)
    next_poll(opened)
    expect(card).to_contain_text("NCCL 2.29.7: 16 communicators in 4 processes")
    opened.unfold()
    opened.sort_by("Failed", "#nccl-card [aria-label^='NCCL calls']")
    job.goes_on(9, has_nccl=True)
    next_poll(opened)
    expect(card.get_by_role("columnheader", name="Failed", exact=True).last).to_have_attribute(
        "aria-sort", "descending"
    )
    assert opened.column("NCCL", "#nccl-card [aria-label^='NCCL calls']") == ["ncclBroadcast"]
    failed = families(server.get()[1])["commtap_nccl_failed_calls"].samples
    assert sum(sample.value for sample in failed) == 4


def test_what_is_normal_in_a_running_job_is_no_finding(job: LiveJob, server: Server, opened: OpenPage) -> None:
    """Running, ranks on other hosts and one rank ahead are findings only if they last to the job's end."""
    job.goes_on(5)
    go_to_job(opened, server)
    expect(opened.page.locator("#findings")).to_have_text(re.compile("^Good The ranks of this node agree"))
    job.goes_on(5, ahead=1)
    next_poll(opened)
    expect(opened.page.locator("#findings summary")).to_have_text("Note Some ranks are ahead: 1 difference")
    job.goes_on(5, "normal", ahead=1)
    next_poll(opened)
    expect(opened.page.locator("#findings summary")).to_have_text("Problem Ranks disagree: 1 difference")


def test_the_reader_is_left_alone(job: LiveJob, server: Server, opened: OpenPage) -> None:
    """New numbers keep the reader's choices, open rows, typed text, scroll position and focus."""
    job.goes_on(5, ahead=1)
    go_to_job(opened, server)
    opened.choose("phase", "backward")
    opened.page.locator("#findings summary").click()
    opened.page.get_by_label("flat list").check()
    toggle = opened.page.get_by_text("Show as a table")
    toggle.click()
    opened.page.locator("#rows .scroll").evaluate("each => { each.style.height = '80px'; }")
    find = opened.page.get_by_role("searchbox")
    find.type("layers")
    expect(opened.module_rows).not_to_have_count(0)
    opened.page.clock.run_for(1000)
    select = opened.page.locator("#choose-kind").element_handle()
    before = opened.figure("Collectives")

    job.goes_on(9, ahead=1)
    next_poll(opened)
    expect(opened.page.locator(".tile .figure").first).not_to_have_text(f"{before:,.0f}")
    expect(opened.page.locator("#choose-phase")).to_have_value("backward")
    expect(opened.page.get_by_label("flat list")).to_be_checked()
    expect(opened.page.locator("#findings details")).to_have_attribute("open", "")
    expect(opened.page.locator("#steps details")).to_have_attribute("open", "")
    expect(find).to_have_value("layers")
    expect(find).to_be_focused()
    assert select.evaluate("each => each.isConnected"), "a list that is open would have been closed"
    assert "phase=backward" in opened.page.url


def test_tables_stay_where_they_are(job: LiveJob, server: Server, opened: OpenPage) -> None:
    job.goes_on(60)
    go_to_job(opened, server)
    opened.page.get_by_text("Show as a table").click()
    table = opened.page.locator("#steps .scroll")
    table.evaluate("each => { each.scrollTop = 100; }")
    job.goes_on(61)
    next_poll(opened)
    expect(table.get_by_text("step 61", exact=True)).to_be_attached()
    assert table.evaluate("each => each.scrollTop") == 100


def test_it_can_be_paused(job: LiveJob, server: Server, opened: OpenPage) -> None:
    first = job.goes_on(5)
    go_to_job(opened, server)
    expect_figure(opened, first)
    pause = opened.page.get_by_label("Pause")
    pause.check()
    opened.requests.clear()
    second = job.goes_on(6)
    opened.page.clock.run_for(30_000)
    assert opened.requests == []
    expect_figure(opened, first)
    time.sleep(KEPT_S)
    pause.uncheck()
    expect_figure(opened, second)


def test_a_server_that_goes_and_comes_back(job: LiveJob, server: Server, opened: OpenPage) -> None:
    """While the server is away the last numbers stay, and the page says that they are old."""
    first = job.goes_on(5)
    go_to_job(opened, server)
    expect_figure(opened, first)
    server.stop()
    opened.page.clock.run_for(5100)
    expect(opened.page.locator("#live")).to_contain_text("The server cannot be reached.Last updated ")
    expect_figure(opened, first)
    assert all("net::ERR_" in line for line in opened.console), opened.console
    again = Server(job.folder, server.address)
    try:
        second = job.goes_on(6)
        next_poll(opened)
        expect_figure(opened, second)
        assert state(opened) == "runs"
        job.forget()
        time.sleep(KEPT_S)
        opened.page.clock.run_for(5100)
        expect(opened.page.locator("#live")).to_contain_text("The server no longer serves this job.")
        expect_figure(opened, second)
    finally:
        again.stop()


def test_an_address_of_no_job(server: Server, opened: OpenPage) -> None:
    """The page says that the server does not know the job, also in dark mode."""
    opened.page.goto(f"http://{server.address}/job?run=x&attempt=0")
    expect(opened.page.locator("#live")).to_contain_text("The server no longer serves this job.")
    expect(opened.page.locator("#job")).to_be_hidden()
    opened.page.get_by_label("Theme").select_option("dark")
    assert not [line for line in opened.console if "404" not in line], opened.console


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_accessible(job: LiveJob, server: Server, opened: OpenPage, theme: str) -> None:
    """axe finds no problem in the live page's own parts."""
    job.goes_on(5)
    opened.page.emulate_media(color_scheme=theme)
    go_to_job(opened, server)
    results = Axe().run(opened.page)
    assert results.response["violations"] == [], results.generate_report()


def test_the_page_may_ask_its_own_server_alone(job: LiveJob, server: Server, opened: OpenPage) -> None:
    job.goes_on(5)
    go_to_job(opened, server)
    assert opened.evaluate("fetch('metrics').then((answer) => answer.status)") == 200
    assert opened.evaluate("fetch('https://example.org/').catch(() => 'refused')") == "refused"
    assert any("Connecting to 'https://example.org/' violates" in line for line in opened.console)
