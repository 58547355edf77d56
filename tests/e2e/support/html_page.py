# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Opens the page of `commtap html` in Chromium as a reader does, and records console output and requests."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness import COMMAND, TIMEOUT_S
from playwright.sync_api import Browser, Locator, Page, Playwright, expect


def launch(playwright: Playwright) -> Browser:
    """Starts Debian's Chromium without a window."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    assert program, "needs Chromium: apt-get install chromium"
    # Chromium refuses to start as root, the user of most containers, without this flag.
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    return playwright.chromium.launch(executable_path=program, args=arguments)


def write_page(source: Path, output: Path, *others: Path | str) -> Path:
    """Runs `commtap html`, which must succeed without output on stderr. `others`: further arguments."""
    command = [COMMAND, "html", source, *others, "-o", output]
    done = subprocess.run(command, capture_output=True, timeout=TIMEOUT_S, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return output


@dataclass
class OpenPage:
    """The page, open in a browser."""

    page: Page
    #: Errors, violations of the page's Content-Security-Policy, and everything else written to the console.
    console: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def watch(self) -> None:
        """Starts to record the page's console output, errors and requests."""
        self.page.on("console", lambda message: self.console.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.console.append(f"error: {error}"))
        self.page.on("request", lambda request: self.requests.append(request.url))

    def figure(self, name: str) -> float:
        """Returns a number of the totals: Collectives, Bytes or Bus bytes."""
        tile = self.page.locator(".tile", has=self.page.get_by_text(name, exact=True)).locator(".figure")
        text = tile.get_attribute("title") or tile.inner_text()
        return float(text.removesuffix(" bytes").replace(",", ""))

    def choose(self, name: str, value: str) -> None:
        """Chooses a phase, kind or group."""
        self.page.locator(f"#choose-{name}").select_option(value)

    def measure(self, title: str) -> None:
        """Chooses Count, Bytes or Bus bytes."""
        self.page.get_by_role("radio", name=title, exact=True).check(force=True)

    def unit(self, title: str) -> None:
        """Chooses "per rank and step" or "sum"."""
        self.page.get_by_role("radio", name=title, exact=True).check(force=True)

    def unfold(self) -> None:
        """Opens the sections that are folded at first."""
        self.page.locator("details.fold").evaluate_all("list => list.forEach((each) => { each.open = true; })")

    def facets(self, title: str) -> dict[str, str]:
        """Returns the lines of "By kind", "By phase" or "By process group": name and number as shown."""
        lines = self.page.locator(".facets", has=self.page.get_by_role("heading", name=title)).locator("button")
        return dict(
            zip(lines.locator(".name").all_inner_texts(), lines.locator(".number").all_inner_texts(), strict=True)
        )

    @property
    def chart(self) -> Locator:
        """Returns the chart of the module tree."""
        return self.page.get_by_role("application", name="Module tree")

    @property
    def heat_map(self) -> Locator:
        """Returns the chart of ranks by kind."""
        return self.page.get_by_role("application", name="Heat map")

    def step_chart(self, shows: str) -> Locator:
        """Returns a chart of steps, "Time" or "Communication"."""
        return self.page.get_by_role("application", name=f"{shows} of steps")

    def step_points(self, shows: str) -> list[list[float]]:
        """Returns the points of a chart of steps: one list per column, which begins with the middle of its steps."""
        return self.step_chart(shows).evaluate(
            "chart => echarts.getInstanceByDom(chart.querySelector('.canvas')).getOption().series[0].data"
        )

    @property
    def module_rows(self) -> Locator:
        """Returns the rows of the table of modules."""
        return self.page.locator("#table tbody tr")

    def modules(self) -> list[str]:
        """Returns the module names that the table shows."""
        return self.page.locator("#table tbody .link").all_inner_texts()

    def column(self, title: str, table: str = "#table") -> list[str]:
        """Returns the cells of one column, which may be folded."""
        self.unfold()
        titles = [text.strip("▲▼ \n") for text in self.page.locator(f"{table} thead th").all_inner_texts()]
        return self.page.locator(f"{table} tbody tr > :nth-child({titles.index(title) + 1})").all_inner_texts()

    def sort_by(self, title: str, table: str = "#table") -> None:
        """Clicks the head of a column."""
        self.page.locator(f"{table} thead").get_by_role("button", name=title, exact=True).click()

    def expect_module(self, name: str) -> None:
        """Waits until the page shows this module."""
        expect(self.page.locator("#path [aria-current]")).to_have_text(name)

    def said(self) -> str:
        """Returns the last text that the page gave to screen readers."""
        return self.page.locator("#said").inner_text()

    def evaluate(self, script: str) -> Any:
        """Runs a script in the page."""
        return self.page.evaluate(script)


@contextmanager
def open_page(browser: Browser, path: Path, address: str = "", **options: Any) -> Iterator[OpenPage]:
    """Opens the page without a network. At the end the page must have logged nothing and requested nothing."""
    context = browser.new_context(offline=True, **({"viewport": {"width": 1400, "height": 900}} | options))
    opened = OpenPage(context.new_page())
    opened.page.set_default_timeout(30_000)
    opened.watch()
    try:
        opened.page.goto(path.as_uri() + address)
        opened.page.wait_for_selector("#facts dt")
        yield opened
        assert opened.console == [], opened.console
        assert [url.split("#")[0] for url in opened.requests] == [path.as_uri()], opened.requests
    finally:
        context.close()


#: Opens a job's page: the fixture `show`.
Opener = Callable[..., AbstractContextManager[OpenPage]]
