# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""`commtap html BEFORE AFTER`: the page of two runs has the numbers of `commtap diff`, and works as the other page."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from generate_reports import Layout, write_reports
from harness import COMMAND
from html_page import OpenPage, open_page, write_page
from job_samples import MIB, JobSample, transformer
from playwright.sync_api import Browser, expect


def after_job(layers: int = 4, ranks: int = 8) -> JobSample:
    """Returns the transformer with half of the all-gathers in backward, and two broadcasts of its own."""
    job = transformer(layers, ranks)
    job.run_id = "llama-kept"
    for row in job.rows:
        if row["kind"] == "all_gather" and row["phase"] == "backward":
            for name in ("count", "bytes"):
                row[name] |= {part: row[name][part] // 2 for part in ("sum", "min", "mean", "max")}
    job.row(1, "optimizer", "broadcast", "default_pg", 2, MIB)
    return job


@contextmanager
def show_two(browser: Browser, folder: Path, before: JobSample, after: JobSample, **options: Any) -> Iterator[OpenPage]:
    """Opens the page of two jobs."""
    paths = before.write(folder / "before.json"), after.write(folder / "after.json")
    page = write_page(paths[0], folder / "diff.html", paths[1])
    with open_page(browser, page, **options) as opened:
        yield opened


def changes_of(before: Path, after: Path) -> list[dict[str, Any]]:
    """Returns the changes that `commtap diff` reports."""
    done = subprocess.run([COMMAND, "diff", before, after, "--json"], capture_output=True, text=True)
    return json.loads(done.stdout)["changes"]


def number(text: str) -> float:
    return float(text.replace(",", "") or 0)


def test_page_and_diff_agree(browser: Browser, tmp_path: Path) -> None:
    """Each change of `commtap diff` is a row of the page, with its counts before and after."""
    with show_two(browser, tmp_path, transformer(4, 8), after_job()) as opened:
        changes = changes_of(tmp_path / "before.json", tmp_path / "after.json")
        assert len(changes) == 2
        first = subprocess.run(
            [COMMAND, "diff", tmp_path / "before.json", tmp_path / "after.json"], capture_output=True
        )
        summary = first.stdout.decode().splitlines()[0]
        expect(opened.page.locator("#diff-findings .answer")).to_have_text(f"Difference {summary}")
        bars = opened.page.locator("#diff-chart .bar-value").all_inner_texts()
        assert bars == ["-8.52 GiB -50.0 %", "+2.00 MiB new"]
        titles = ("Phase", "Kind", "Group", "Count before", "Count after")
        rows = zip(*(opened.column(title, "#changes") for title in titles), strict=True)
        found = {(phase, kind, group, number(a), number(b)) for phase, kind, group, a, b in rows}
        assert found == {
            (
                *(change[name] for name in ("phase", "kind", "group")),
                *(change[run]["count"] if change[run] else 0 for run in ("before", "after")),
            )
            for change in changes
        }


def test_the_most_bytes_come_first(browser: Browser, tmp_path: Path) -> None:
    """The layers are one row, which comes first, with the change of each and of all."""
    with show_two(browser, tmp_path, transformer(4, 8), after_job()) as opened:
        first, second = opened.page.locator("#changes tbody tr").all()
        expect(first).to_contain_text("Transformer.layers.*")
        expect(first).to_contain_text("4 modules, each")
        first.locator("summary").click()
        expect(first.locator("li").last).to_have_text("Transformer.layers.3")
        assert opened.column("Bytes before", "#changes") == ["4.26 GiB", ""]
        assert opened.column("Bytes after", "#changes") == ["2.13 GiB", "2.00 MiB"]
        assert opened.column("Bytes change", "#changes") == ["-2.13 GiB", "+2.00 MiB"]
        assert opened.column("In all modules", "#changes") == ["-8.52 GiB", "+2.00 MiB"]
        assert opened.column("Percent", "#changes") == ["-50.0 %", "new"]
        expect(second).to_contain_text("Transformer")
        opened.sort_by("Count change", "#changes")
        assert opened.column("Count change", "#changes") == ["+2", "-5"]
        opened.page.get_by_role("searchbox").fill("optimizer")
        expect(opened.page.locator("#changes tbody tr")).to_have_count(1)
        assert opened.said() == "1 row found"


def test_totals_and_facts_stand_side_by_side(browser: Browser, tmp_path: Path) -> None:
    after = after_job()
    after.exits = {2: "killed"}
    after.exit_statuses = {4: 1, 5: 1}
    with show_two(browser, tmp_path, transformer(4, 8), after) as opened:
        expect(opened.page.get_by_role("heading", level=1)).to_have_text("commtap llama-fsdp2-tp and llama-kept")
        assert opened.page.title() == "commtap: llama-fsdp2-tp and llama-kept"
        names = opened.column("Name", "#diff-totals")
        counts = [opened.column(f"Count {run}", "#diff-totals") for run in ("before", "after")]
        assert [column[names.index("all_gather")] for column in counts] == ["90", "70"]
        assert [column[names.index("optimizer")] for column in counts] == ["10", "12"]
        assert opened.column("Bytes change", "#diff-totals")[names.index("reduce_scatter")] == "0"
        percent = opened.column("Percent", "#diff-totals")
        shown = {name: percent[names.index(name)] for name in ("reduce_scatter", "broadcast", "optimizer", "barrier")}
        assert shown == {"reduce_scatter": "", "broadcast": "+66.7 %", "optimizer": "+5242880 %", "barrier": ""}
        facts = dict(zip(opened.column("Fact", "#runs"), opened.column("After", "#runs"), strict=True))
        assert facts["Ran"] == "12.5 h to the last activity, 1 of 8 processes killed"
        assert facts["Command"] == "python train.py --model llama"
        expect(opened.page.locator("#diff-findings")).to_contain_text("After: 1 process killed.")
        expect(opened.page.locator("#diff-findings")).to_contain_text("After: 2 processes ended with an error.")


def test_equal_runs(browser: Browser, tmp_path: Path) -> None:
    with show_two(browser, tmp_path, transformer(1, 4), transformer(1, 4)) as opened:
        expect(opened.page.locator("#diff-findings .answer")).to_have_text("Good no differences")
        expect(opened.page.locator("#diff-chart-card")).to_be_hidden()
        expect(opened.page.locator("#job")).to_be_hidden()


def test_runs_of_other_sizes_are_noted(browser: Browser, tmp_path: Path) -> None:
    with show_two(browser, tmp_path, transformer(1, 4), transformer(1, 8)) as opened:
        expect(opened.page.locator("#diff-findings")).to_contain_text("the runs have 4 and 8 ranks")


def test_folders_and_one_of_their_runs(browser: Browser, tmp_path: Path) -> None:
    """Two folders of reports are compared; --tolerance leaves out what it accepts."""
    for name, layers in (("a", 1), ("b", 2)):
        layout = Layout(ranks=8, layers=layers)
        write_reports(tmp_path / name, layout)
    page = write_page(tmp_path / "a", tmp_path / "diff.html", tmp_path / "b")
    with open_page(browser, page) as opened:
        assert len(opened.column("Kind", "#changes")) == len(changes_of(tmp_path / "a", tmp_path / "b")) > 0
    page = write_page(
        tmp_path / "a", tmp_path / "diff.html", tmp_path / "b", "--tolerance", "bytes=1000000000000,count=9999,ranks=8"
    )
    with open_page(browser, page) as opened:
        expect(opened.page.locator("#diff-findings")).to_contain_text("no differences")


def test_many_modules_on_many_ranks(browser: Browser, tmp_path: Path) -> None:
    """With 5,000 modules on 2,048 ranks the page has a bounded size, and hostile names are text."""
    after = after_job(layers=500, ranks=2048)
    after.rows[10]["group"] = after.group("</script><img src=x onerror='window.hacked = 1'>", 2048)
    with show_two(browser, tmp_path, transformer(500, 2048), after) as opened:
        assert opened.evaluate("document.querySelectorAll('*').length") < 4000
        assert opened.evaluate("window.hacked") is None
        assert "<img src=x" in opened.page.locator("#changes").inner_text()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_accessible(browser: Browser, tmp_path: Path, theme: str) -> None:
    """axe finds no problem with names, roles, contrast or the order of headings; the skip link leads to the rows."""
    after = after_job()
    after.exits = {2: "killed"}
    with show_two(browser, tmp_path, transformer(4, 4), after, color_scheme=theme) as opened:
        opened.page.locator("details").evaluate_all("list => list.forEach((each) => { each.open = true; })")
        results = Axe().run(opened.page)
        assert results.response["violations"] == [], results.generate_report()
        opened.page.keyboard.press("Tab")
        expect(opened.page.locator(".skip")).to_be_focused()
        opened.page.keyboard.press("Enter")
        expect(opened.page.locator("#changes-title")).to_be_focused()
        opened.page.get_by_label("Theme").select_option("dark" if theme == "light" else "light")


@pytest.mark.parametrize("width", [390, 1024, 1280])
def test_no_window_is_too_narrow(browser: Browser, tmp_path: Path, width: int) -> None:
    options = {"viewport": {"width": width, "height": 800}}
    with show_two(browser, tmp_path, transformer(1, 4), after_job(1, 4), **options) as opened:
        assert opened.evaluate("document.documentElement.scrollWidth") <= width


def test_a_narrow_window_shows_what_changed(browser: Browser, tmp_path: Path) -> None:
    """At 500 pixels no table has to be scrolled for the bytes after and the change in percent."""
    with show_two(browser, tmp_path, transformer(4, 8), after_job(), viewport={"width": 500, "height": 800}) as opened:
        for table in ("#changes", "#diff-totals"):
            for title in ("Percent", "Bytes after"):
                box = opened.page.locator(f"{table} thead th", has_text=title).bounding_box()
                assert box is not None
                assert box["x"] + box["width"] <= 500, (table, title)
