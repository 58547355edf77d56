# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The page of a sweep of `commtap plan`, and the advice on the page of a run."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from harness import COMMAND
from html_page import open_page, write_page
from job_samples import transformer
from playwright.sync_api import Browser, expect


def part(group: str, size: int, size_bytes: int, across: int) -> dict[str, Any]:
    return {
        "group": group,
        "size": size,
        "nodes": 2 if across else 1,
        "calls": 4.0,
        "bytes": size_bytes,
        "bytes_across_nodes": across,
        "smallest": 512,
        "largest": 2048,
    }


def layout(name: str, failure: str = "") -> dict[str, Any]:
    groups = [part("dp", 4, 4096, 4096), part("tp", 2, 1024, 0)]
    values = dict(word.split("=") for word in name.split())
    whole = part("", 0, 5120, 4096)
    return {"name": name, "values": values, "folder": name, "failure": failure, "all": whole, "groups": groups}


def write_sweep(folder: Path) -> Path:
    document = {
        "schema": "commtap.sweep/1",
        "planned": True,
        "command": ["python", "train.py", "--tp", "{tp}"],
        "world_size": 8,
        "ranks_per_node": 4,
        "layouts": [layout("tp=2"), layout("tp=3", "rank 0: train.py:3: ValueError: <b>8 % 3</b>")],
    }
    (folder / "sweep.json").write_text(json.dumps(document))
    return folder


def test_the_layouts_are_one_table(browser: Browser, tmp_path: Path) -> None:
    page = write_page(write_sweep(tmp_path), tmp_path / "page.html")
    with open_page(browser, page) as opened:
        assert opened.column("Group", "#layouts") == ["all", "dp", "tp"]
        assert opened.column("Across nodes", "#layouts") == ["4.00 KiB", "4.00 KiB", "0 B"]
        expect(opened.page.locator("#sweep-findings")).to_contain_text("1 layout failed")
        expect(opened.page.locator("#sweep-findings")).to_contain_text(
            "tp=3: rank 0: train.py:3: ValueError: <b>8 % 3</b>"
        )
        bar = opened.page.locator("#layout-bars li")
        assert bar.locator(".bar-value").all_inner_texts() == ["4.00 KiB across nodes, 1.00 KiB in a node"]
        across, inside = [bar.locator(f".{kind}").bounding_box()["width"] for kind in ("across", "inside")]
        assert across == pytest.approx(4 * inside, rel=0.02)
        expect(opened.page.get_by_role("heading", level=1)).to_have_text(
            "commtap layouts of python train.py --tp '{tp}'"
        )
        opened.page.get_by_label("by group").uncheck()
        assert opened.column("Group", "#layouts") == ["all"]
        assert Axe().run(opened.page).violations_count == 0


def test_a_page_has_the_advice_of_its_run(browser: Browser, tmp_path: Path) -> None:
    """The section has what `commtap advise` says."""
    sample = transformer(4, 8)
    for module in sample.modules:
        module["wrappers"] = ["FSDPModule"] if module["class"] == "TransformerBlock" else []
    for row in sample.rows:
        row["op"] = f"c10d.{row['kind']}" if row["group"] == "dp" else row["op"]
    job = sample.write(tmp_path / "job.json")
    said = json.loads(subprocess.run([COMMAND, "advise", job, "--json"], capture_output=True, check=True).stdout)
    assert said["advice"]
    with open_page(browser, write_page(job, tmp_path / "page.html")) as opened:
        assert opened.page.locator("#advice .rule").all_text_contents() == [each["rule"] for each in said["advice"]]
        shown = opened.page.locator("#advice").inner_text()
        assert said["advice"][0]["text"] in shown
        assert f"{said['advice'][0]['rule']}: " in shown.replace("\n", "")
        assert " per rank and " in shown
        advice = opened.page.locator("#advice").bounding_box()
        assert advice["y"] < opened.page.locator("#controls").bounding_box()["y"]
