# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""How the page of `commtap html` reads: labels, names, scales, colours and times say what they mean and are not cut."""

import re
from typing import Any

import pytest
from html_page import Opener, OpenPage
from job_samples import MIB, JobSample, spread, transformer
from playwright.sync_api import Locator, expect

LONG = "Model.encoder.block.0.sublayer.attention.with_a_very_long_name.that_no_column_can_hold.projection"


def shapes(chart: Locator) -> list[dict[str, Any]]:
    """Returns what a chart draws: the type of each shape, its text or fill, and its box in pixels."""
    return chart.evaluate(
        """chart => {
          const canvas = echarts.getInstanceByDom(chart.querySelector(".canvas")).getZr();
          return canvas.storage.getDisplayList(true).map((shape) => {
            const box = shape.getBoundingRect().clone();
            const transform = shape.getComputedTransform();
            if (transform) box.applyTransform(transform);
            const { text, fill } = shape.style;
            return { type: shape.type, text, fill, box: [box.x, box.y, box.x + box.width, box.y + box.height] };
          });
        }"""
    )


def is_within(box: list[float], other: list[float]) -> bool:
    """Returns whether a box lies in another one, apart from rounding."""
    slack = 0.6
    return all(box[i] >= other[i] - slack and box[i + 2] <= other[i + 2] + slack for i in (0, 1))


def expect_labels_within_colours(opened: OpenPage) -> list[str]:
    """Checks that each text of the tree lies within one coloured part of a box; returns the texts."""
    drawn = shapes(opened.chart)
    colours = [each["box"] for each in drawn if each["type"] == "rect" and each["fill"] != "transparent"]
    texts = [each for each in drawn if each["type"] == "tspan" and each["text"]]
    for text in texts:
        assert any(is_within(text["box"], box) for box in colours), text
    return [text["text"] for text in texts]


def mixed_job() -> JobSample:
    """Returns a job of modules with long and short names, and with kinds of many shares."""
    job = JobSample(ranks=4)
    group = job.group("dp", 4)
    for i, size in enumerate((1, 5, 50)):
        module = job.module(f"part{i}.with.a.rather.long.name.of.its.own", 0)
        job.row(module, "forward", "all_gather", group, 4, size * MIB)
        job.row(module, "forward", "reduce_scatter", group, 4, 3 * size * MIB)
        below = job.module(f"part{i}.with.a.rather.long.name.of.its.own.w", module)
        job.row(below, "backward", "all_reduce", group, 2, 2 * size * MIB)
    return job


@pytest.mark.parametrize("width", [500, 900, 1400])
def test_labels_fit_into_one_colour(show: Opener, width: int) -> None:
    """No label crosses a border between colours, and none stands where it does not fit."""
    with show(mixed_job(), viewport={"width": width, "height": 900}) as opened:
        texts = expect_labels_within_colours(opened)
        assert "Global" in texts
    with show(transformer(layers=4, ranks=8), viewport={"width": width, "height": 900}) as opened:
        expect_labels_within_colours(opened)


def test_a_label_that_is_cut_keeps_its_end(show: Opener) -> None:
    with show(mixed_job(), viewport={"width": 500, "height": 900}) as opened:
        cut = [text for text in expect_labels_within_colours(opened) if text.startswith("…")]
        assert cut
        assert all("part2.with.a.rather.long.name.of.its.own".endswith(text[1:]) for text in cut)


def test_the_shown_module_is_a_line(show: Opener) -> None:
    """The root takes no column of the tree: it is a line on top with its amount in the tip."""
    job = transformer(layers=4, ranks=8)
    with show(job) as opened:
        box, tip = opened.chart.bounding_box(), opened.page.locator("#tip")
        opened.chart.hover(position={"x": box["width"] * 0.9, "y": 10})
        expect(tip.locator(".title")).to_have_text("Global")
        expect(tip).to_contain_text("Share100 %")
        expect(tip).to_contain_text("Own3.00 MiB")
        opened.chart.hover(position={"x": 10, "y": 40})
        expect(tip.locator(".title")).to_have_text("Transformer")
        opened.chart.focus()
        opened.page.keyboard.press("Home")
        assert opened.page.locator(".chart.tree .frame").bounding_box()["height"] < 0.1 * box["height"]
        opened.page.keyboard.press("ArrowDown")
        assert opened.said().startswith("Transformer, ")


def test_captions_are_not_options(show: Opener) -> None:
    """The caption of a row of options stands outside of its frame."""
    job = transformer(layers=1, ranks=4)
    job.uneven = {(1, "all_gather"): 2}
    job.step(0, (5, 10), [("all_reduce", "dp", 1, 1024)])
    with show(job) as opened:
        rows = opened.page.locator("fieldset")
        assert rows.locator("legend").all_inner_texts() == ["Measure", "Unit", "Time axis", "Colour"]
        for row in rows.all():
            legend, frame = row.locator("legend").bounding_box(), row.locator(".segments").bounding_box()
            assert legend["x"] + legend["width"] <= frame["x"]
            assert row.locator("legend").evaluate("each => each.closest('.segments')") is None


def wide_job() -> JobSample:
    """Returns a job whose tables have long names in all columns."""
    job = JobSample(ranks=64)
    group = job.group("a_process_group_with_a_long_name", 64)
    module = job.module(LONG, 0)
    job.row(module, "forward", "reduce_scatter", group, 4, MIB, issued_in=f"{LONG}.of_another_module")
    job.timed(LONG, "reduce_scatter", group, 40, 1_250_000, 1_210_000, 410_000)
    job.timed(None, "reduce_scatter", group, 40, 1_250_000, 1_210_000, 410_000)
    return job


@pytest.mark.parametrize("width", [1280, 1024, 600])
def test_a_table_shows_that_it_goes_on(show: Opener, width: int) -> None:
    """A table that is wider than its frame has a shadow at the edge where columns are hidden."""
    with show(wide_job(), viewport={"width": width, "height": 900}) as opened:
        opened.unfold()
        opened.page.wait_for_timeout(100)  # the observers of the boxes run after the first frame
        edges = opened.page.locator("#job .edges").filter(visible=True)
        assert edges.count() >= 5
        wide = 0
        for edge in edges.all():
            scroll = edge.locator(".scroll")
            hidden = scroll.evaluate("each => each.scrollWidth - each.clientWidth")
            shadow = edge.evaluate("each => getComputedStyle(each, '::after').content !== 'none'")
            assert shadow == (hidden > 1)
            if shadow:
                wide += 1
                scroll.evaluate("each => { each.scrollLeft = each.scrollWidth; }")
                expect(edge).to_have_class(re.compile("more-left"))
                expect(edge).not_to_have_class(re.compile("more-right"))
        assert wide > 0 or width > 600


def test_long_names_keep_their_end(show: Opener) -> None:
    """Names with a common prefix differ at their end, which is shown; the title has the whole name."""
    job = wide_job()
    name = f"{'namespace.' * 20}the_end"
    job.row(job.module(name, 0), "forward", "all_reduce", job.group(name, 64), 3, MIB)
    with show(job) as opened:
        opened.unfold()
        cell = opened.page.locator("#rows tbody th span", has_text="the_end")
        assert cell.inner_text().startswith("…")
        assert cell.inner_text().endswith("namespace.the_end")
        expect(cell).to_have_attribute("title", name)
        group = opened.page.locator(".facet .name", has_text="the_end")
        expect(group).to_have_attribute("title", name)
        cut, text = group.locator(".cut").bounding_box(), group.locator("bdi").bounding_box()
        assert text["x"] < cut["x"] - 10
        assert text["x"] + text["width"] == pytest.approx(cut["x"] + cut["width"], abs=1)
        option = opened.page.locator("#choose-group option", has_text="the_end")
        assert option.inner_text().startswith("…")


def warming_job(times: list[float]) -> JobSample:
    """Returns a job with a step for each time in ms."""
    job = transformer(layers=1, ranks=4)
    for number, ms in enumerate(times):
        job.step(number, (ms, ms * 1.01), [("all_reduce", "dp", 2, 4096)])
    return job


def test_warm_up_is_out_of_scale(show: Opener) -> None:
    """First steps that take much longer do not set the scale; they are marked, and the tip has their time."""
    with show(warming_job([9000, 4000, *([900] * 8)])) as opened:
        most = [most for _, most, *_ in opened.step_points("Time")]
        assert max(most) < 1300
        assert most[2] == pytest.approx(909)
        hint = opened.page.get_by_text("The job warms up")
        expect(hint).to_contain_text("the axis ends below step 0 (9.02 s), step 1 (4.01 s).")
        assert {"9.02 s", "4.01 s"} <= {shape["text"] for shape in shapes(opened.step_chart("Time"))}
        opened.step_chart("Time").focus()
        opened.page.keyboard.press("Home")
        assert opened.said().startswith("step 0, Mean 9.02 s per step, Fastest rank 9.00 s")
        opened.page.get_by_role("radio", name="logarithmic").check(force=True)
        expect(hint).to_be_hidden()
        assert max(most for _, most, *_ in opened.step_points("Time")) == pytest.approx(9090)


def test_a_slow_step_later_sets_the_scale(show: Opener) -> None:
    """Only the first steps warm up."""
    with show(warming_job([900, 900, 9000, 900, 900])) as opened:
        expect(opened.page.get_by_text("The job warms up")).to_be_hidden()
        assert max(most for _, most, *_ in opened.step_points("Time")) == pytest.approx(9090)


def test_equal_ranks_are_a_sentence(show: Opener) -> None:
    with show(transformer(layers=1, ranks=64)) as opened:
        expect(opened.page.locator("#ranks")).to_contain_text("All 64 ranks have the same bytes of each kind.")
        expect(opened.heat_map).to_be_hidden()
        expect(opened.page.get_by_role("radio", name="difference from the median")).to_have_count(0)
    with show(JobSample(ranks=1)) as opened:
        expect(opened.heat_map).to_be_hidden()


@pytest.mark.parametrize("scale", [1, 1.25, 2])
@pytest.mark.parametrize("ranks", [300, 2048])
def test_heat_map_cells_lie_on_pixels(show: Opener, ranks: int, scale: float) -> None:
    """All cells have the same whole number of device pixels: others draw a pattern that is not in the data."""
    job = transformer(layers=1, ranks=ranks)
    job.uneven = {(rank, "all_gather"): 1.35 for rank in range(7, ranks, 8)}
    with show(job, viewport={"width": 1280, "height": 900}, device_scale_factor=scale) as opened:
        boxes = [shape["box"] for shape in shapes(opened.heat_map) if shape["type"] == "rect"]
        edges = [[coordinate * scale for coordinate in box] for box in boxes]
        assert len(edges) >= 5 * 200
        assert all(abs(coordinate - round(coordinate)) < 1e-3 for box in edges for coordinate in box)
        assert len({round(box[2] - box[0]) for box in edges}) == 1
        assert len({round(box[3] - box[1]) for box in edges}) == 1
        plot = (max(box[2] for box in boxes) - min(box[0] for box in boxes)) / opened.heat_map.bounding_box()["width"]
        assert plot > 0.7


def test_totals_say_what_they_are(show: Opener) -> None:
    with show(transformer(layers=1, ranks=8)) as opened:
        totals = opened.page.locator("#totals-of")
        expect(totals).to_have_text("Per rank: the mean of 8 ranks; the run has no training steps")
        opened.unit("sum")
        expect(totals).to_have_text("Sum over 8 ranks")


def test_a_killed_rank_did_not_run_on(show: Opener) -> None:
    """A killed rank has a last activity; nothing says that it has not ended."""
    job = transformer(layers=1, ranks=8)
    job.exits = {3: "killed"}
    with show(job) as opened:
        facts = opened.page.locator("#facts")
        expect(facts).to_contain_text("Ran12.5 h to the last activity, 1 of 8 processes killed")
        expect(facts).not_to_contain_text("has not ended")
        opened.page.locator(".finding summary", has_text="rank 3 crashed or killed").click()
        expect(opened.page.locator("#findings")).to_contain_text("rank 3, last activity 2026-11-20 11:42:33 UTC")
    job.exits = dict.fromkeys(range(8), "killed")
    with show(job) as opened:
        expect(opened.page.locator("#facts")).to_contain_text("Ran2.50 h to the last activity, killed")


def test_the_command_line_is_on_the_page(show: Opener) -> None:
    job = transformer(layers=1, ranks=2)
    job.argv = ["python", "train.py", "--name", "a b", "--key", "(redacted)", "<script>"]
    job.name = "named"
    with show(job) as opened:
        expect(opened.page.locator("#facts")).to_contain_text(
            "Commandpython train.py --name 'a b' --key (redacted) '<script>'"
        )
    job.argv = []
    with show(job) as opened:
        expect(opened.page.locator("#facts")).not_to_contain_text("Command")


def bounds(locator: Locator) -> list[float]:
    """Returns the left and the right edge of an element."""
    box = locator.bounding_box()
    return [box["x"], box["x"] + box["width"]]


def test_equal_layers_are_one_box(show: Opener) -> None:
    """Eighty equal layers are one box whose name can be read; one that differs is named apart."""
    job = transformer(layers=80, ranks=64)
    with show(job) as opened:
        assert {"layers.* \u00d7 80", "attention", "feed_forward", "own"} <= set(expect_labels_within_colours(opened))
        opened.chart.focus()
        for key in ("Home", "ArrowRight", "ArrowRight"):
            opened.page.keyboard.press(key)
        assert opened.said().startswith("Transformer.layers.0 and 79 like it, Bytes 2.16 TiB, Each 27.7 GiB")
    job.row(next(m["id"] for m in job.modules if m["name"].endswith("layers.7")), "forward", "all_to_all", "dp", 1, MIB)
    job.rows[-1]["bytes"] = spread(1 << 40, 64)
    with show(job) as opened:
        assert {"0-6,8-79 \u00d7 79", "7"} <= set(expect_labels_within_colours(opened))


def test_unequal_experts_without_room_are_one_box(show: Opener) -> None:
    """Modules that are too flat for a name are one box with those like them, or with the other small ones."""
    job = JobSample(ranks=8)
    group = job.group("ep", 8)
    for i in range(100):
        job.row(job.module(f"experts.{i}", 0), "forward", "all_to_all", group, 1, MIB + i)
    job.row(job.module("router", 0), "forward", "all_gather", group, 1, 1000)
    job.row(job.module("norm", 0), "forward", "all_reduce", group, 1, 1000)
    with show(job) as opened:
        assert "experts.* \u00d7 100" in expect_labels_within_colours(opened)


def test_a_narrow_window_hides_nothing(show: Opener) -> None:
    """The page is no wider than the window, the tree scrolls to its last level, and names stay with their numbers."""
    job = transformer(layers=80, ranks=64)
    with show(job, viewport={"width": 480, "height": 900}) as opened:
        opened.unfold()
        opened.page.wait_for_timeout(100)
        assert opened.evaluate("document.documentElement.scrollWidth") <= 480
        assert {"wo", "w2"} <= set(expect_labels_within_colours(opened))
        for box in opened.page.locator("#job .scroll").filter(visible=True).all():
            box.evaluate("each => { each.scrollLeft = each.scrollWidth; }")
            content = box.locator("> *")
            assert bounds(content)[1] <= bounds(box)[1] + 1
        first = opened.page.locator("#table tbody th").first
        assert bounds(first)[0] >= bounds(opened.page.locator("#table .scroll"))[0]
