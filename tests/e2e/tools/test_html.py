# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""`commtap html` in a real browser: the page shows what was counted, and every way to use it works."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from catalogue import JOBS
from generate_reports import Layout, with_steps, write_reports
from harness import COMMAND, Runner
from html_page import Opener, OpenPage, open_page, write_page
from job_samples import JobSample, one_call_less, transformer
from playwright.sync_api import Browser, expect

from report import REPOSITORY

KIB = 1024


def small_job() -> JobSample:
    """Returns a job of 46 modules on 8 ranks, which all do the same."""
    return transformer(layers=4, ranks=8)


def bad_job() -> JobSample:
    """Returns a job with every kind of finding."""
    job = small_job()
    job.missing = [[8, 9]]
    job.exits = {3: "killed", 4: "_exit", 5: "killed", 6: "_exit", 7: "after_work"}
    job.exit_signals = {5: 15}
    job.exit_statuses = {0: 0, 1: 1, 2: 1, 4: 0, 6: 3}
    job.uneven = {(5, "all_gather"): 1.5}
    job.not_seen = [
        {
            "reason": "unknown_group",
            "count": 7,
            "detail": "c10d.allreduce_",
            "meaning": "The group is not known.",
            "ranks": "2",
        }
    ]
    job.disagreements = [one_call_less(1 << 20)]
    return job


def total(job: JobSample, name: str = "count", **where: str) -> int:
    """Returns the mean over ranks of the rows that `where` selects."""
    rows = [row for row in job.rows if all(re.match(value, row[key]) for key, value in where.items())]
    return round(sum(row[name]["sum"] for row in rows) / job.ranks)


def test_shows_what_was_counted(show: Opener) -> None:
    """The page shows the totals and the ranks; its title is the command, or the run's name."""
    job = small_job()
    with show(job) as opened:
        expect(opened.page.get_by_role("heading", level=1)).to_have_text("commtap python train.py --model llama")
        assert opened.page.title() == "commtap: python train.py --model llama"
    job.name = "llama-fsdp2-tp"
    with show(job) as opened:
        assert opened.figure("Collectives") == total(job)
        assert opened.figure("Bytes") == total(job, "bytes")
        assert opened.figure("Bus bytes") == total(job, "bus_bytes")
        expect(opened.page.get_by_role("heading", level=1)).to_have_text("commtap llama-fsdp2-tp")
        expect(opened.page.locator("#facts")).to_contain_text("8 ranks: 0-7")
        expect(opened.page.locator("#facts")).to_contain_text("12.5 h")
        assert opened.page.title() == "commtap: llama-fsdp2-tp"


def test_numbers_have_the_texts_of_the_command(browser: Browser) -> None:
    """Bytes, durations, counts and percent: the unit test of the command reads the same table."""
    table = json.loads((REPOSITORY / "tests/unit/report/job/number_texts.json").read_text(encoding="utf-8"))
    source = (REPOSITORY / "tools/html/js/text.js").read_text(encoding="utf-8")
    script = """async ({ source, table }) => {
      const text = await import(`data:text/javascript,${encodeURIComponent(source)}`);
      const { bytesText, nsText, fractionText, percentText, changeText } = text;
      const writers = { bytes: bytesText, ns: nsText, count: fractionText, percent: percentText, change: changeText };
      const written = ([name, examples]) => [name, examples.map((example) => writers[name](...example.slice(0, -1)))];
      return Object.fromEntries(Object.entries(table).map(written));
    }"""
    page = browser.new_page()
    shown = page.evaluate(script, {"source": source, "table": table})
    page.close()
    assert shown == {name: [text for *_, text in examples] for name, examples in table.items()}


def test_means_are_per_rank_and_step(show: Opener) -> None:
    """Amounts are per rank and step, set-up apart; on request they are the sums of the report."""
    job = small_job()
    for row in job.rows[:2]:
        row["setup"] = True
    for number in range(5):
        job.step(number, (10, 12), [("all_reduce", "dp", 1, KIB)])
    setup = sum(row["count"]["sum"] for row in job.rows[:2])
    whole = total(job) * job.ranks
    with show(job) as opened:
        assert opened.figure("Collectives") == (whole - setup) / job.ranks / 5
        text = opened.page.locator("#totals-of").inner_text()
        assert text == (
            "Per rank and step: all but set-up, divided by 8 ranks and 5 steps; "
            "set-up, before the first forward: 5 calls and 3.00 MiB per rank"
        )
        rows = dict(zip(opened.column("Kind", "#rows"), opened.column("Count", "#rows"), strict=True))
        assert (rows["broadcast"], rows["reduce_scatter"]) == ("3", "2")
        opened.unit("sum")
        assert opened.figure("Collectives") == whole
        expect(opened.page.locator("#totals-of")).to_have_text("Sum over 8 ranks")
        assert "unit=sum" in opened.page.url


def test_exposed_time_is_a_measure(show: Opener) -> None:
    """If the run was timed, the tree shows the exposed time of modules; otherwise the measure is not offered."""
    job = small_job()
    with show(job, "#metric=exposed_ns") as opened:
        assert opened.page.get_by_role("radio", name="Exposed time").count() == 0
        expect(opened.page.get_by_role("radio", name="Bytes", exact=True)).to_be_checked()
    for layer, ns in ((0, 800_000), (1, 2_400_000)):
        job.timed(f"Transformer.layers.{layer}", "all_gather", "dp", 1, 3_000_000, ns, 0)
    job.timed(None, "all_gather", "dp", 2, 3_000_000, 1_600_000, 0)
    with show(job, "#metric=exposed_ns") as opened:
        assert opened.facets("By kind") == {"all_gather": "400 us"}
        exposed = dict(zip(opened.modules(), opened.column("Exposed"), strict=True))
        assert (exposed["0"], exposed["1"], exposed["layers"]) == ("100 us", "300 us", "400 us")
        opened.chart.focus()
        opened.page.keyboard.press("Home")
        assert opened.said().startswith("Global, Exposed time 400 us")


def test_nothing_is_wrong(show: Opener) -> None:
    """A sound job has one line that says so, no empty list, and no section for absent data."""
    with show(small_job()) as opened:
        expect(opened.page.locator("#findings")).to_have_text(re.compile("^Good No rank is missing"))
        assert opened.page.locator("#findings details").count() == 0
        assert opened.page.get_by_role("heading", name="Steps").count() == 0


def test_findings_are_on_top(show: Opener) -> None:
    """Findings come in order of severity, above the first number."""
    with show(bad_job()) as opened:
        titles = opened.page.locator("#findings summary").all_inner_texts()
        assert [re.sub(r"\s+", " ", title) for title in titles] == [
            "Problem Ranks disagree: 1 difference",
            "Problem 2 ranks without a report: 8-9",
            "Warning 2 processes ended with status 1",
            "Warning rank 3 crashed or killed (the signal is not known); the numbers end at that moment",
            "Note rank 4 ended by _exit",
            "Warning rank 5 killed after the launcher sent SIGTERM; the numbers end at that moment",
            "Warning rank 6 ended with status 3",
            "Note rank 7 ended by a signal or its launcher after the work; the numbers are whole",
            "Warning Not seen: 1 reason",
        ]
        first = opened.page.locator(".disagreement").inner_text()
        assert "all_reduce for Transformer.layers.1.attention (backward): different numbers of calls" in first
        assert "ranks 0-2, 4-7: 10 calls, 10.0 MiB" in first
        assert "rank 3: 9 calls, 9.00 MiB" in first
        assert "unknown_group (7, on rank 2): The group is not known." in opened.page.locator("#findings").inner_text()
        order = ["#findings", "#controls", "#totals", "#tree", "#table", "#ranks", "#rows-card"]
        tops = [opened.page.locator(selector).bounding_box()["y"] for selector in order]
        assert tops == sorted(tops)
        expect(opened.page.locator("#rows")).to_be_hidden()
        opened.page.locator("#rows-card summary").click()
        expect(opened.page.locator("#rows")).to_be_visible()


def test_filters(show: Opener) -> None:
    """Filters by phase, kind and group work alone and together, in the totals, the tree and both tables."""
    job = small_job()
    with show(job) as opened:
        opened.choose("phase", "backward")
        assert opened.figure("Collectives") == total(job, phase="backward")
        opened.choose("kind", "all_gather")
        assert opened.figure("Collectives") == total(job, phase="backward", kind="all_gather")
        assert set(opened.column("Kind", "#rows")) == {"all_gather"}
        assert set(opened.column("Phase", "#rows")) == {"backward"}
        assert len(opened.column("Kind", "#rows")) == 4
        assert opened.modules() == ["Global", "Transformer", "layers", "0", "1", "2", "3"]
        opened.choose("group", "tp")
        assert opened.figure("Collectives") == 0
        expect(opened.chart).to_be_hidden()
        expect(opened.page.get_by_text("No collectives here match the filters.")).to_be_visible()
        opened.page.get_by_role("button", name="Show all").click()
        assert opened.figure("Collectives") == total(job)
        expect(opened.chart).to_be_visible()


def test_totals_are_switches(show: Opener) -> None:
    """A line of the totals filters; the other lines keep their numbers; the second click undoes it."""
    job = small_job()
    with show(job) as opened:
        opened.measure("Count")
        kinds = opened.facets("By kind")
        assert kinds["reduce_scatter"] == f"{total(job, kind='reduce_scatter'):,}"
        line = opened.page.locator(".facet", has_text="reduce_scatter")
        line.click()
        expect(line).to_have_attribute("aria-pressed", "true")
        expect(opened.page.locator("#choose-kind")).to_have_value("reduce_scatter")
        assert opened.facets("By kind") == kinds
        assert opened.facets("By phase") == {"backward": f"{total(job, kind='reduce_scatter'):,}"}
        line.click()
        assert opened.figure("Collectives") == total(job)


def test_measures(show: Opener) -> None:
    """Every part of the page can show count, bytes or bus bytes."""
    job = small_job()
    with show(job) as opened:
        assert "Bytes per rank" in opened.page.locator("#ranks caption").inner_text()
        opened.measure("Count")
        assert opened.facets("By phase")["optimizer"] == f"{total(job, phase='optimizer'):,}"
        assert "Count per rank" in opened.page.locator("#ranks caption").inner_text()
        opened.measure("Bus bytes")
        expect(opened.page.locator("#ranks caption")).to_have_text("Bus bytes per rank, by kind")


def click_chart(opened: OpenPage, across: float, down: float) -> None:
    """Clicks the tree's chart at fractions of its width and height."""
    box = opened.chart.bounding_box()
    opened.chart.click(position={"x": box["width"] * across, "y": box["height"] * down})


def test_drills_down(show: Opener) -> None:
    """Clicks in the chart, in the table and on the path drill down; the browser's "back" works."""
    job = small_job()
    with show(job) as opened:
        click_chart(opened, 1.5 / 4, 0.5)  # the second of four columns
        opened.expect_module("layers")
        assert opened.figure("Collectives") == total(job, module=r"Transformer\.layers")
        opened.page.locator("#table").get_by_role("button", name="1", exact=True).click()
        opened.expect_module("1")
        assert opened.figure("Collectives") == total(job, module=r"Transformer\.layers\.1\b")
        assert set(opened.column("Module", "#rows")) == {
            f"Transformer.layers.1{rest}"
            for rest in ("", ".attention", ".attention.wo", ".feed_forward", ".feed_forward.w2")
        }
        assert "module=Transformer.layers.1" in opened.page.url
        opened.page.go_back()
        opened.expect_module("layers")
        opened.page.locator("#path").get_by_role("button", name="Transformer").click()
        opened.expect_module("Transformer")
        click_chart(opened, 0.5, 0.02)  # the module's own line leads back up
        opened.expect_module("Global")


def test_addresses(show: Opener) -> None:
    """A bookmarked view opens unchanged; another job's address does no harm."""
    job = small_job()
    address = "#metric=count&phase=forward&module=Transformer.layers.2&rows=flat&sort=own_count"
    with show(job, address) as opened:
        opened.expect_module("2")
        assert opened.figure("Collectives") == total(job, module=r"Transformer\.layers\.2\b", phase="forward")
        expect(opened.page.get_by_label("flat list")).to_be_checked()
    with show(job, "#metric=x&phase=y&module=Nothing&sort=%00&find=&unknown=1&group=__proto__") as opened:
        opened.expect_module("Global")
        assert opened.figure("Collectives") == total(job)


def test_modules_sort(show: Opener) -> None:
    """Modules sort by any column, among siblings in the tree and globally in the list; the third click undoes it."""
    with show(small_job()) as opened:
        tree = opened.modules()
        opened.page.get_by_label("flat list").check()
        opened.sort_by("Own count")
        counts = [int(text.replace(",", "")) for text in opened.column("Own count")]
        assert counts == sorted(counts, reverse=True)
        assert len(counts) > 10
        head = opened.page.locator("#table thead th[aria-sort]")
        expect(head).to_have_attribute("aria-sort", "descending")
        opened.sort_by("Own count")
        expect(head).to_have_attribute("aria-sort", "ascending")
        assert opened.column("Own count") == [f"{count:,}" for count in sorted(counts)]
        opened.sort_by("Own count")
        assert head.count() == 0
        opened.page.get_by_label("flat list").uncheck()
        assert opened.modules() == tree
        opened.sort_by("Bytes")
        assert opened.modules()[:3] == ["Global", "Transformer", "layers"]
        assert opened.modules()[-2:] == ["output", "tok_embeddings"]


def test_modules_are_found(show: Opener) -> None:
    """The search finds modules by name and class and shows their parents, on request also without collectives."""
    with show(small_job()) as opened:
        find = opened.page.get_by_role("searchbox")
        find.fill("FEED_forward")
        expect(opened.module_rows).to_have_count(3 + 4 * 3)
        assert opened.modules()[:6] == ["Global", "Transformer", "layers", "0", "feed_forward", "w2"]
        assert opened.said() == "15 rows found"
        find.fill("rmsnorm")
        expect(opened.page.get_by_text("No module matches.")).to_be_visible()
        opened.page.get_by_label("include modules without collectives").check()
        assert opened.modules() == ["Global", "Transformer", "norm"]


def test_modules_open_and_close(show: Opener) -> None:
    """Opened modules stay open when the table is sorted."""
    with show(transformer(layers=30, ranks=8)) as opened:
        before = opened.module_rows.count()
        toggle = opened.page.get_by_role("button", name="modules in layers")
        expect(toggle).to_have_attribute("aria-expanded", "false")
        toggle.click()
        expect(toggle).to_have_attribute("aria-expanded", "true")
        assert opened.module_rows.count() == before + 30
        opened.sort_by("Bytes")
        assert opened.module_rows.count() == before + 30
        toggle.click()
        assert opened.module_rows.count() == before


def test_collectives_sort(show: Opener) -> None:
    """The table of rows sorts and shows each row's minimum and maximum over ranks."""
    job = small_job()
    job.row(1, "other", "send", "default_pg", 2, 100, most=5)
    with show(job) as opened:
        opened.unfold()
        opened.sort_by("Count", "#rows")
        counts = [float(text.replace(",", "")) for text in opened.column("Count", "#rows")]
        assert counts == sorted(counts, reverse=True)
        assert len(counts) == len(job.rows)
        opened.sort_by("Kind", "#rows")
        kinds = opened.column("Kind", "#rows")
        assert kinds == sorted(kinds)
        assert opened.column("Calls of a rank in the run", "#rows")[kinds.index("send")] == "2 (rank 0) to 5 (rank 7)"
        assert opened.column("Calls of a rank in the run", "#rows")[0] == "10 each"
        assert "Transformer.output" in opened.column("Issued in", "#rows")


def test_rows_have_labels_and_members(show: Opener) -> None:
    """Labels, and the modules that rows cover, are columns if a row has any."""
    job = small_job()
    with show(job) as opened:
        titles = opened.page.locator("#rows thead").inner_text()
        assert "Label" not in titles
        assert "Members" not in titles
    job.row(0, "other", "all_reduce", "default_pg", 2, 100, label="clip_grad_norm_")
    job.row(1, "backward", "reduce_scatter", "default_pg", 1, 4 * KIB)
    for module, size in (("Transformer.norm", 24 * KIB), ("Transformer.output", 7 * KIB), (None, KIB)):
        job.member(module, size)
    with show(job, "#unit=sum") as opened:
        labels, members = opened.column("Label", "#rows"), opened.column("Members", "#rows")
        assert set(labels) == {"clip_grad_norm_", ""}
        assert opened.column("Module", "#rows")[labels.index("clip_grad_norm_")] == "Global"
        assert set(members) == {"Transformer.norm 24.0 KiB, Transformer.output 7.00 KiB, padding 1.00 KiB", ""}


def test_rows_have_split_sizes(show: Opener) -> None:
    """How uneven they are is a column if a row has any."""
    job = small_job()
    with show(job) as opened:
        assert "Split sizes" not in opened.page.locator("#rows thead").inner_text()
    splits = {"calls": 4, "imbalance": {"mean": 1.5, "max": 2}, "zero_peers": 0}
    job.row(1, "forward", "all_to_all", "default_pg", 4, KIB, splits=splits | {"hottest_peer": 3, "coldest_peer": 0})
    job.row(
        1,
        "backward",
        "all_to_all",
        "default_pg",
        4,
        KIB,
        splits=splits | dict.fromkeys(["hottest_peer", "coldest_peer"]),
    )
    with show(job) as opened:
        assert set(opened.column("Split sizes", "#rows")) == {
            "1.50x, at most 2.00x (rank 3 hottest, rank 0 coldest)",
            "1.50x, at most 2.00x",
            "",
        }


def test_rows_of_compiled_graphs(show: Opener) -> None:
    """A column marks them, if there are any; those that a compiler merged have the calls of their members."""
    job = small_job()
    with show(job) as opened:
        assert "Compiled" not in opened.page.locator("#rows thead").inner_text()
    job.row(1, "forward", "all_gather", "default_pg", 1, 4 * KIB, compiled=True)
    job.member("Transformer.norm", 24 * KIB, 16)
    job.member("Transformer.output", 8 * KIB, 1)
    with show(job, "#unit=sum") as opened:
        assert set(opened.column("Compiled", "#rows")) == {"compiled", ""}
        members = set(opened.column("Members", "#rows"))
        assert members == {"Transformer.norm 16 calls 24.0 KiB, Transformer.output 1 call 8.00 KiB", ""}


def test_ranks_side_by_side(show: Opener) -> None:
    """One rank has 1.5 times the bytes of a kind: the text says so, and the chart by pointer and keys."""
    with show(bad_job()) as opened:
        words = opened.page.locator("#ranks tbody tr", has_text="all_gather").inner_text()
        assert "(rank 5)" in words
        assert "50.0 % more than the median" in words
        assert "1 rank" in words
        opened.page.get_by_role("radio", name="difference from the median").check(force=True)
        opened.heat_map.focus()
        for _ in range(5):
            opened.page.keyboard.press("ArrowRight")
        kinds = opened.column("Kind", "#ranks")
        for _ in range(kinds.index("all_gather")):
            opened.page.keyboard.press("ArrowDown")
        assert opened.said().startswith("rank 5, all_gather, Bytes ")
        assert opened.said().endswith("Which is 50.0 % more than the median")
        expect(opened.page.locator("#tip")).to_contain_text("rank 5, all_gather")
        opened.page.keyboard.press("ArrowLeft")
        assert opened.said().endswith("Which is equal to the median")


def test_pointer_gets_a_tip(show: Opener) -> None:
    """The pointer over a box shows its full name and numbers; the tip closes when the pointer leaves."""
    with show(small_job()) as opened:
        box = opened.chart.bounding_box()
        tip = opened.page.locator("#tip")
        opened.chart.hover(position={"x": box["width"] * 1.5 / 4, "y": box["height"] / 2})
        expect(tip).to_contain_text("Transformer.layers.0 and 3 like it")
        expect(tip).to_contain_text("Share")
        opened.page.mouse.move(5, 5)
        expect(tip).to_be_hidden()


def tab_to(opened: OpenPage, selector: str) -> None:
    """Presses Tab until an element has the focus."""
    for _ in range(80):
        opened.page.keyboard.press("Tab")
        if opened.evaluate(f"document.activeElement.matches({selector!r})"):
            return
    raise AssertionError(f"Tab never came to {selector}")


def test_keys_alone(show: Opener) -> None:
    """The keyboard reaches the skip link, filters, tree and table, and never loses the focus."""
    job = small_job()
    with show(job) as opened:
        press = opened.page.keyboard.press
        press("Tab")
        expect(opened.page.locator(".skip")).to_be_focused()
        tab_to(opened, "#choose-phase")
        press("b")
        expect(opened.page.locator("#choose-phase")).to_have_value("backward")
        expect(opened.page.locator("#choose-phase")).to_be_focused()
        assert opened.figure("Collectives") == total(job, phase="backward")
        tab_to(opened, ".chart.tree")
        assert opened.said().startswith("Global, Bytes ")
        for key in ("ArrowRight", "ArrowRight", "ArrowRight", "ArrowDown"):
            press(key)
        assert opened.said().startswith("Transformer.layers.0.feed_forward and 3 like it, Bytes ")
        expect(opened.page.locator(".chart.tree .frame")).to_be_visible()
        press("Enter")
        opened.expect_module("feed_forward")
        expect(opened.chart).to_be_focused()
        press("Backspace")
        opened.expect_module("0")
        tab_to(opened, "#table thead button")
        press("Enter")
        expect(opened.page.locator("#table thead th[aria-sort='ascending']")).to_contain_text("Module")
        assert opened.evaluate("document.activeElement.textContent").startswith("Module")


def pixel(opened: OpenPage, across: float, down: float, chart: str = ".chart.tree") -> list[int]:
    """Returns the colour of a chart at fractions of its width and height."""
    return opened.evaluate(
        f"""(async () => {{
          // A drawing reaches the canvas within two frames.
          for (const _ of [1, 2]) await new Promise(requestAnimationFrame);
          const picture = document.querySelector("{chart} canvas");
          const copy = Object.assign(document.createElement("canvas"), {{ width: 1, height: 1 }});
          const context = copy.getContext("2d", {{ willReadFrequently: true }});
          context.drawImage(picture, -Math.floor(picture.width * {across}), -Math.floor(picture.height * {down}));
          return [...context.getImageData(0, 0, 1, 1).data];
        }})()"""
    )


def test_light_and_dark(show: Opener) -> None:
    """The theme follows the system, its changes and the reader's choice; the charts follow too."""
    job = small_job()
    background = "getComputedStyle(document.documentElement).backgroundColor"
    with show(job, color_scheme="dark") as opened:
        assert opened.evaluate(background) == "rgb(13, 17, 23)"
        pale_in_dark = pixel(opened, 0.9 / 4, 0.5)
        opened.page.emulate_media(color_scheme="light")
        assert opened.evaluate(background) == "rgb(244, 246, 249)"
        pale_in_light = pixel(opened, 0.9 / 4, 0.5)
        assert sum(pale_in_light[:3]) > sum(pale_in_dark[:3]) + 100
        opened.page.get_by_label("Theme").select_option("dark")
        assert opened.evaluate(background) == "rgb(13, 17, 23)"
        assert pixel(opened, 0.9 / 4, 0.5) == pale_in_dark


def test_steps_in_light_and_dark(show: Opener) -> None:
    """The band from the fastest rank to the slowest is pale in light and dim in dark; kinds keep their colours."""
    job = transformer(layers=1, ranks=4)
    job.step(0, (5, 10), [("all_reduce", "dp", 1, KIB)])
    places = {".chart.steps[aria-label^=Time]": 0.3, ".chart.steps[aria-label^=Communication]": 0.7}
    with show(job, color_scheme="light") as opened:
        light = [pixel(opened, 0.5, down, chart) for chart, down in places.items()]
        opened.page.get_by_label("Theme").select_option("dark")
        dark = [pixel(opened, 0.5, down, chart) for chart, down in places.items()]
    assert sum(light[0][:3]) > sum(dark[0][:3]) + 100
    assert light[1] == dark[1] == [0x4F, 0x83, 0xE0, 255]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_accessible(show: Opener, theme: str) -> None:
    """axe finds no problem with names, roles, contrast or the order of headings."""
    job = bad_job()
    job.step(0, (10, 12), [("all_reduce", "dp", 1, KIB)])
    job.calls("ncclAllReduce", job.rows[0], 3, KIB)
    job.calls("ncclSend", "Engine", 3, KIB, failed=1)
    with show(job, color_scheme=theme) as opened:
        opened.page.locator("details").evaluate_all("list => list.forEach((each) => { each.open = true; })")
        opened.page.get_by_role("button", name="modules in 0").click()
        results = Axe().run(opened.page)
        assert results.response["violations"] == [], results.generate_report()
        assert len(results.response["passes"]) > 20


HOSTILE = [
    "<script>window.hacked = 1</script>",
    "</script><img src=x onerror='window.hacked = 2'>",
    "<!--<script>",
    "&lt;b&gt;\"'`${window.hacked = 3}",
    "javascript:window.hacked=4",
    "a\x00b\x07\x1b[31mred\x7f",
    "\u202egnp.exe\u2066\u200b\ufeff",
    "\u2028line\u2029",
    "invalid \ufffd\ufffd",
    "{name|rich}{number|text}",
    "__proto__",
    "constructor.prototype",
    "']\"] #table, *",
    "%s%n{}\\u003cb\\u003e\\",
    "x" * 10_000,
    "日本語 🄰🄱 é e\u0301",
]


def hostile_job() -> JobSample:
    """Returns a job with hostile text in every name that a job controls."""
    job = JobSample(ranks=2, run_id=HOSTILE[1])
    for i, name in enumerate(HOSTILE):
        group = job.group(f"{name}{i}", 2)
        module = job.module(name, 0, class_name=name)
        below = job.module(f"{name}.{HOSTILE[0]}", module)
        other = {"op": name, "dtype": name, "reduce_op": name, "issued_in": HOSTILE[1], "label": name}
        job.row(module, "forward", "all_reduce", group, 3, 100, **other)
        job.member(name, 200)
        job.row(below, "backward", "all_gather", group, 2, 100)
        job.calls(name, job.rows[-2], 3, 100)
        job.calls(name, name, 3, 100)
    job.step(0, (1, 2), [("all_reduce", group["name"], 3, 100) for group in job.groups])
    job.nccl_versions = [{"version": name, "ranks": "0-1"} for name in HOSTILE]
    job.problems = []
    job.not_seen = [
        {"reason": "unknown_op", "count": 1, "detail": name, "meaning": name, "ranks": "0"} for name in HOSTILE
    ]
    return job


def test_hostile_names(show: Opener) -> None:
    """Hostile names are shown verbatim, and are never markup, a script, chart syntax or an object's key."""
    job = hostile_job()
    with show(job) as opened:
        assert opened.figure("Collectives") == total(job)
        opened.unfold()
        shown = opened.page.locator("body").inner_text()
        assert "<script>window.hacked = 1</script>" in shown
        assert "a\\x00b\\x07\\x1b[31mred\\x7f" in shown
        assert "\\u{202e}gnp.exe\\u{2066}\\u{200b}\\u{feff}" in shown
        assert not set(shown) & set("\x00\x07\x1b\u202e\u2066\u2028\u2029\u200b")
        for name in opened.evaluate("[...document.querySelectorAll('#choose-group option')].map((o) => o.value)"):
            opened.choose("group", name)
        opened.choose("group", "")
        opened.page.get_by_role("searchbox").fill("<img src")
        expect(opened.module_rows).to_have_count(3)
        opened.module_rows.nth(1).locator(".link").click()
        assert opened.figure("Collectives") == 5
        opened.page.reload()
        opened.requests.pop()
        assert opened.figure("Collectives") == 5
        opened.chart.focus()
        opened.page.keyboard.press("ArrowRight")
        assert opened.evaluate("window.hacked") is None
        assert opened.page.locator("main img, main script").count() == 0
        width = opened.evaluate("document.documentElement.scrollWidth")
        assert width <= 1400, "a long name makes the page wider than the window"


def test_policy_is_in_force(show: Opener) -> None:
    """If a name became markup, the browser would run and fetch nothing of it, and the test would see it."""
    with show(small_job()) as opened:
        opened.evaluate(
            """() => {
              const script = document.createElement("script");
              script.textContent = "window.hacked = 1";
              document.body.append(script);
              document.body.insertAdjacentHTML("beforeend", "<b onclick='window.hacked = 2' style='color: red'>x</b>");
              document.body.lastChild.click();
              const image = new Image();
              image.src = "https://example.org/x.png";
              return fetch("https://example.org/").catch(() => null);
            }"""
        )
        said = "\n".join(opened.console)
        for blocked in (
            "Executing inline script violates",
            "Executing inline event handler violates",
            "Applying inline style violates",
            "Loading the image 'https://example.org/x.png' violates",
            "Connecting to 'https://example.org/' violates",
        ):
            assert blocked in said
        assert opened.evaluate("window.hacked") is None
        # The fixture fails on requests and console output, which this test provokes.
        assert len(opened.requests) > 1
        opened.console.clear()
        del opened.requests[1:]


def test_large_job(show: Opener) -> None:
    """With 10,000 modules on 1,000 ranks everything works, and a table page has a bounded size."""
    job = transformer(layers=1000, ranks=1000)
    job.uneven = {(777, "all_reduce"): 2.0}
    assert len(job.modules) > 10_000
    with show(job) as opened:
        assert opened.figure("Collectives") == total(job)
        expect(opened.page.locator("#facts")).to_contain_text("1000 ranks: 0-999")
        assert opened.evaluate("document.querySelectorAll('*').length") < 5000
        opened.page.get_by_role("button", name="modules in layers").click()
        expect(opened.page.get_by_role("button", name=re.compile(r"Show 100 more of 10\d\d rows"))).to_be_visible()
        opened.page.get_by_role("searchbox").fill("layers.999.attention.wo")
        expect(opened.module_rows).to_have_count(6)
        opened.module_rows.nth(5).locator(".link").click()
        opened.expect_module("wo")
        assert opened.figure("Collectives") == total(job, module=r"Transformer\.layers\.999\.attention\.wo")
        assert "(rank 777)" in opened.page.locator("#ranks tbody tr", has_text="all_reduce").inner_text()


def stepped_job() -> JobSample:
    """Returns a job of five steps; three of four ranks have merged the third and fourth, and the last one runs."""
    job = transformer(layers=1, ranks=4)
    both = [("all_reduce", "dp", 2, 4 * KIB), ("all_gather", "tp", 6, 8 * KIB)]
    job.step(0, (900, 1000), both)
    job.step(1, (10, 12), both)
    job.step(2, (40, 44), [(kind, group, 2 * count, 2 * size) for kind, group, count, size in both], steps=2, ranks=3)
    job.step(2, (25, 25), both, ranks=1)
    job.step(3, (27, 27), both, ranks=1)
    job.step(4, None, [("all_reduce", "dp", 1, KIB)])
    return job


def test_steps_are_those_of_the_job(browser: Browser, tmp_path: Path) -> None:
    """The charts' points equal the steps that `commtap export --format job` writes for the ranks' reports."""
    layout = Layout(ranks=8, layers=1, steps=5)
    write_reports(tmp_path / "out", layout, with_steps(layout))
    merged = json.loads(subprocess.check_output([COMMAND, "export", tmp_path / "out", "--format", "job"]))
    ended = [step for step in merged["steps"] if step["duration_ns"]]
    assert len(merged["steps"]) == len(ended) + 1 == layout.steps + 1
    page = write_page(tmp_path / "out", tmp_path / "report.html")
    with open_page(browser, page, "#metric=count") as opened:
        assert opened.step_points("Time") == [
            pytest.approx([step["first_step"], *(step["duration_ns"][name] / 1e6 for name in ("max", "min", "mean"))])
            for step in ended
        ]
        kinds = json.loads(opened.page.locator("#report").inner_text())["kinds"]
        for (middle, whole, *values), step in zip(opened.step_points("Communication"), merged["steps"], strict=True):
            sums = dict.fromkeys(kinds, 0)
            for row in step["collectives"]:
                sums[row["kind"]] += row["count"]["sum"] / step["rank_count"]
            assert middle == step["first_step"]
            assert dict(zip(kinds, values, strict=True)) == pytest.approx(sums)
            assert whole == pytest.approx(sum(sums.values()))
        expect(opened.page.locator("#steps-card h3").last).to_have_text(re.compile("^Collectives per step and rank"))


def test_steps_that_ranks_added_up_differently(show: Opener) -> None:
    """Each rank counts once, with the mean of its merged steps, and the page says so."""
    with show(stepped_job(), "#metric=count") as opened:
        times = {middle: rest for middle, *rest in opened.step_points("Time")}
        assert list(times) == [0, 1, 2, 3]
        assert times[2] == pytest.approx([25, 20, (20 + 20 + 22 + 25) / 4])
        assert times[3] == pytest.approx([27, 20, (20 + 20 + 22 + 27) / 4])
        assert [whole for _, whole, *_ in opened.step_points("Communication")] == [8, 8, 8, 8, 1]
        opened.step_chart("Time").focus()
        opened.page.keyboard.press("End")
        assert opened.said() == (
            "step 3, Mean 22.3 ms per step, Fastest rank 20.0 ms, Slowest rank 27.0 ms (rank 0), From 4 ranks, "
            "For 3 ranks mean of steps 2-3"
        )


def test_steps_follow_the_choice(show: Opener) -> None:
    """Steps follow the choice of measure, kind and group; they ignore phase and module."""
    with show(stepped_job()) as opened:

        def whole(name: str) -> list[float]:
            return [total for _, total, *_ in opened.step_points(name)]

        title = opened.page.locator("#steps-card h3").last
        expect(title).to_have_text("KiB per step and rank: mean over ranks, by kind")
        assert whole("Communication") == [12, 12, 12, 12, 1]
        opened.choose("phase", "backward")
        assert whole("Communication") == [12, 12, 12, 12, 1]
        opened.choose("kind", "all_gather")
        assert whole("Communication") == [8, 8, 8, 8, 0]
        opened.choose("kind", "")
        opened.choose("group", "dp")
        assert whole("Communication") == [4, 4, 4, 4, 1]
        opened.measure("Bus bytes")
        assert whole("Communication") == [4, 4, 4, 4, 1]
        expect(opened.page.locator("#steps")).to_contain_text("Reports have no bus bytes per step")
        opened.choose("group", "default_pg")
        expect(opened.step_chart("Communication")).to_be_hidden()
        expect(opened.step_chart("Time")).to_be_visible()
        expect(opened.page.get_by_text("No collectives in these steps match the filters.")).to_be_visible()


def test_steps_on_a_logarithmic_axis(show: Opener) -> None:
    """A slow first step leaves the other steps visible; the address has the choice."""
    with show(stepped_job()) as opened:
        opened.page.get_by_role("radio", name="logarithmic").check(force=True)
        assert "timescale=log" in opened.page.url
        axis = "chart => echarts.getInstanceByDom(chart.querySelector('.canvas')).getOption().yAxis[0].type"
        assert opened.step_chart("Time").evaluate(axis) == "log"
        assert opened.step_chart("Communication").evaluate(axis) == "value"


def test_steps_by_pointer_and_keys(show: Opener) -> None:
    """Tips show the slowest rank, the steps, kinds with their units, and the number of ranks."""
    with show(stepped_job()) as opened:
        chart, tip = opened.step_chart("Communication"), opened.page.locator("#tip")
        box = chart.bounding_box()
        chart.hover(position={"x": box["width"] / 2, "y": 15})  # above the drawn bars
        expect(tip).to_contain_text(re.compile(r"step 2.*all_reduce4\.00 KiB.*all_gather8\.00 KiB.*Total12\.0 KiB"))
        expect(tip).to_contain_text("For 3 ranksmean of steps 2-3")
        opened.page.mouse.move(5, 5)
        expect(tip).to_be_hidden()
        chart.focus()
        opened.page.keyboard.press("End")
        assert opened.said() == "step 4, all_reduce 1.00 KiB, From 4 ranks, Not completed by 4 ranks"
        expect(chart.locator(".frame")).to_be_visible()
        opened.page.keyboard.press("Home")
        assert opened.said().startswith("step 0, ")
        opened.page.keyboard.press("ArrowLeft")
        assert opened.said().startswith("step 0, ")
        opened.step_chart("Time").focus()
        opened.page.keyboard.press("ArrowRight")
        assert opened.said() == (
            "step 1, Mean 10.5 ms per step, Fastest rank 10.0 ms, Slowest rank 12.0 ms (rank 3), From 4 ranks"
        )


def test_steps_that_only_some_ranks_have(show: Opener) -> None:
    """Numbers are means of the ranks that have the step; merged steps are shown as the mean of one."""
    job = transformer(layers=1, ranks=4)
    job.step(16, (20, 30), [("all_reduce", "dp", 2, 2 * KIB)], steps=2, ranks=2)
    with show(job) as opened:
        assert opened.step_points("Time") == [[16.5, 15, 10, 12.5]]
        opened.step_chart("Communication").focus()
        opened.page.keyboard.press("Home")
        assert opened.said() == "steps 16-17, all_reduce 1.00 KiB, From 2 of 4 ranks, Mean of 2 steps"


def test_steps_that_nobody_has_ended(show: Opener) -> None:
    """A job without an optimizer is one long step, which has collectives but no time."""
    job = transformer(layers=1, ranks=4)
    job.step(0, None, [("all_reduce", "dp", 1, KIB)])
    with show(job) as opened:
        expect(opened.step_chart("Time")).to_be_hidden()
        assert opened.page.locator("#steps").get_by_role("radio").count() == 0
        assert [whole for _, whole, *_ in opened.step_points("Communication")] == [1]


def test_steps_as_a_table(show: Opener) -> None:
    """The charts' numbers are also a table for screen readers, which stays open when the choice changes."""
    with show(stepped_job()) as opened:
        opened.page.get_by_text("Show as a table").click()
        assert opened.column("Steps", "#steps") == [f"step {step}" for step in range(5)]
        assert opened.column("Slowest rank", "#steps")[:2] == ["1.00 s (rank 3)", "12.0 ms (rank 3)"]
        assert opened.column("Time per step", "#steps")[3:] == ["22.3 ms", ""]
        assert opened.column("all_gather", "#steps") == ["8.00 KiB"] * 4 + ["0 B"]
        opened.choose("kind", "all_reduce")
        assert opened.column("All kinds", "#steps") == ["4.00 KiB"] * 4 + ["1.00 KiB"]


def test_many_steps(show: Opener) -> None:
    """With a week's steps, columns are narrow, each is reachable by key, and the table has pages."""
    job = transformer(layers=1, ranks=4)
    for step in range(16):
        job.step(step, (10, 11), [("all_reduce", "dp", 1, KIB)])
    for row in range(495):
        job.step(16 + 2048 * row, (2048 * 10, 2048 * 11), [("all_reduce", "dp", 2048, 2048 * KIB)], steps=2048)
    with show(job) as opened:
        assert len(opened.step_points("Time")) == 511
        opened.step_chart("Time").focus()
        opened.page.keyboard.press("End")
        assert opened.said().startswith("steps 1011728-1013775, Mean 10.3 ms per step")
        opened.page.get_by_text("Show as a table").click()
        opened.page.get_by_role("button", name="Show 100 more of 511 rows").click()
        assert len(opened.column("Steps", "#steps")) == 200


def timed_job() -> JobSample:
    job = transformer(layers=2, ranks=4)
    for module, ms in ((None, 3), ("Transformer.layers.0.attention", 1), ("Transformer.layers.1.attention", 2)):
        job.timed(module, "all_gather", "dp", 10, ms * 1_000_000, ms * 2_000_000, 500_000)
    job.timed("Transformer.layers.1.attention", "all_reduce", "tp", 10, 4_000, 100, 700)
    return job


def test_times(show: Opener) -> None:
    """The longest waits come first, with bandwidths and the straggler."""
    with show(timed_job()) as opened:
        card = "#times-card"
        opened.unfold()
        expect(opened.page.locator(card)).to_be_visible()
        groups, modules = (opened.page.locator(f"{card} table").nth(i) for i in (0, 1))
        expect(groups.locator("tbody tr")).to_have_count(1)
        expect(groups.locator("tbody tr")).to_contain_text("all_gatherdp11103.00 ms6.00 ms60.0 ms333 MiB/s")
        expect(groups.locator("tbody tr")).to_contain_text("500 us (rank 3)")
        names = modules.locator("tbody th")
        expect(names).to_have_text(
            ["Transformer.layers.1.attention", "Transformer.layers.0.attention", "Transformer.layers.1.attention"]
        )
        modules.get_by_role("button", name="Running").click()
        modules.get_by_role("button", name="Running").click()
        expect(modules.locator("tbody tr").first).to_contain_text("4.00 us")


def test_times_follow_the_choice(show: Opener) -> None:
    with show(timed_job()) as opened:
        rows = opened.page.locator("#times-card table").last.locator("tbody tr")
        expect(rows).to_have_count(3)
        opened.choose("kind", "all_reduce")
        expect(rows).to_have_count(1)
        expect(opened.page.locator("#times-card")).to_contain_text("No rows match the filters.")
        opened.choose("kind", "")
        opened.choose("group", "dp")
        expect(rows).to_have_count(2)
    with show(transformer(layers=1, ranks=4)) as opened:
        expect(opened.page.locator("#times-card")).to_be_hidden()


def nccl_job() -> JobSample:
    """Returns a job whose collectives on `dp`, except one, reach NCCL; an engine also calls NCCL itself."""
    job = transformer(layers=1, ranks=4)
    for group in job.groups:
        group["backend"] = "cpu:gloo,cuda:nccl"
    gathers = [row for row in job.rows if row["kind"] == "all_gather" and row["group"] == "dp"]
    for row in gathers:
        job.calls("ncclGroupStart", row, 10, 0)
        job.calls("ncclAllGather", row, 10, 436 * 1024 * KIB)
    job.calls("ncclSend", "Engine", 7, KIB, failed=2)
    job.calls("ncclRecv", "Engine.worker", 7, 2 * KIB)
    return job


def test_nccl(show: Opener) -> None:
    """Each op is next to its NCCL calls; an op without calls has an empty cell; other calls are listed too."""
    card = "#nccl-card"
    with show(nccl_job()) as opened:
        opened.unfold()
        expect(opened.page.locator(card)).to_contain_text("NCCL 2.29.7: 8 communicators in 4 processes")
        compared, beside = (
            f"{card} [aria-label='{name}']"
            for name in ("Collectives and their NCCL calls", "NCCL calls that no collective makes")
        )
        opened.sort_by("NCCL", compared)
        functions = opened.column("NCCL", compared)
        assert functions == sorted(functions)
        assert functions[:2] == ["ncclAllGather", "ncclGroupStart"]
        assert set(functions[2:]) == {"not called"}
        assert opened.column("Op", compared)[0] == "_c10d_functional.all_gather"
        assert [opened.column(name, compared)[0] for name in ("Count", "Calls", "Failed")] == ["80", "80", ""]
        assert opened.column("Bytes", compared)[0] == opened.column("NCCL bytes", compared)[0] == "34.1 GiB"
        assert opened.column("Calls", compared)[2] == ""
        assert opened.column("Module", beside) == ["Engine.worker", "Engine"]
        assert opened.column("Failed", beside) == ["", "8"]
        opened.sort_by("Failed", beside)
        assert opened.column("Module", beside) == ["Engine", "Engine.worker"]
    with show(small_job()) as opened:
        expect(opened.page.locator(card)).to_be_hidden()


def test_nccl_follows_the_choice(show: Opener) -> None:
    with show(nccl_job()) as opened:
        tables = opened.page.locator("#nccl-card table")
        opened.choose("group", "tp")
        expect(tables.first.locator("tbody")).not_to_contain_text("ncclAllGather")
        expect(tables.last.locator("tbody tr")).to_have_count(2)
    with show(nccl_job(), "#module=Transformer") as opened:
        expect(opened.page.locator("#nccl-card")).to_contain_text("No rows match the filters.")


def test_versions_of_nccl(show: Opener) -> None:
    """Ranks with different NCCL versions are shown separately."""
    job = nccl_job()
    job.nccl_versions = [{"version": None, "ranks": "3"}, {"version": "2.29.7", "ranks": "0-2"}]
    with show(job) as opened:
        expect(opened.page.locator("#nccl-card")).to_contain_text(
            "NCCL of unknown version (rank 3), 2.29.7 (ranks 0-2)"
        )


def test_more_ranks_than_columns(show: Opener) -> None:
    """Adjacent ranks share a column, which shows the outlier."""
    job = transformer(layers=1, ranks=2000)
    job.uneven = {(1998, "all_reduce"): 0.5}
    with show(job) as opened:
        opened.heat_map.focus()
        opened.page.keyboard.press("End")
        for _ in range(len(opened.column("Kind", "#ranks")) - 1):
            opened.page.keyboard.press("ArrowUp")
        assert opened.said().startswith(
            "rank 1998 to rank 1999, all_reduce, Farthest from the median rank 1998, Bytes "
        )
        assert opened.said().endswith("50.0 % less than the median")
        opened.page.keyboard.press("Home")
        assert opened.said().startswith("rank 0 to rank 1, all_reduce")


def test_processes_without_a_rank(browser: Browser, tmp_path: Path) -> None:
    """Processes that torchrun did not start are named by host and pid."""
    document = small_job().document()
    document |= {"ranks": "", "rank_sets": [""]}
    document["job"]["world_size"] = None
    for process in document["processes"]:
        process["rank"] = None
    document["processes"][1] |= {"exit": "signal", "exit_signal": 6}
    (tmp_path / "job.json").write_text(json.dumps(document), encoding="utf-8")
    page = write_page(tmp_path / "job.json", tmp_path / "report.html")
    with open_page(browser, page) as opened:
        expect(opened.page.locator("#facts")).to_contain_text("none; 8 without a rank")
        expect(opened.page.locator("#findings")).to_contain_text("node000 pid 4001 ended by SIGABRT")
        assert opened.column("Least", "#ranks")[0].endswith("(node000 pid 4000)")


def test_real_job(browser: Browser, runner: Runner, tmp_path: Path) -> None:
    """The page's numbers equal the reports of a real job's ranks."""
    run = runner.shim(JOBS["fsdp2_tp"])
    page = write_page(run.output_folder, tmp_path / "report.html")
    with open_page(browser, page) as opened:
        opened.unit("sum")
        assert opened.figure("Collectives") == sum(report.total() for report in run.reports)
        assert opened.figure("Bytes") == sum(report.total("bytes") for report in run.reports)
        phases = {phase for report in run.reports for phase in report.table("phase")}
        assert set(opened.facets("By phase")) == phases
        expect(opened.page.locator("#facts")).to_contain_text("4 ranks: 0-3")
        rows = [row for report in run.reports for row in report.rows(module="Global")]
        opened.page.get_by_label("flat list").check()
        own = dict(zip(opened.modules(), opened.column("Own count"), strict=True))
        assert own["Global"] == f"{sum(row['count'] for row in rows):,}"


def test_narrow_window(show: Opener) -> None:
    """On a telephone nothing exceeds the screen's width."""
    with show(bad_job(), viewport={"width": 390, "height": 800}) as opened:
        assert opened.evaluate("document.documentElement.scrollWidth") <= 390
        expect(opened.chart).to_be_visible()


def test_no_collectives(show: Opener) -> None:
    """A job without collectives has no empty chart and no error."""
    with show(JobSample(ranks=2)) as opened:
        assert opened.figure("Collectives") == 0
        expect(opened.chart).to_be_hidden()
        expect(opened.heat_map).to_be_hidden()


def test_without_javascript(browser: Browser, show: Opener) -> None:
    """Without JavaScript a line says so; with it the line is hidden."""
    with show(small_job()) as opened:
        address = opened.page.url
        expect(opened.page.get_by_text("The page needs JavaScript")).to_have_count(0)
    context = browser.new_context(java_script_enabled=False, offline=True)
    page = context.new_page()
    page.goto(address)
    expect(page.get_by_text("The page needs JavaScript")).to_be_visible()
    context.close()
