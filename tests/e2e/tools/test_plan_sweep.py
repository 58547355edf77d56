# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""`commtap plan --sweep` and `--assume-balanced`."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from harness import COMMAND, JOBS_FOLDER, Job, Runner
from planning import LLAMA, PLANNED, SMALL_LLAMA, Plan, rows_of

from report import document_of

MOE = str(JOBS_FOLDER / "moe.py")


def sweep_of(plan: Plan) -> dict[str, Any]:
    return json.loads((plan.folder / "sweep.json").read_text())


def test_a_sweep_is_one_table(tmp_path: Path) -> None:
    """Layouts in the order of what crosses nodes; one that fails is a line with its reason."""
    options = ["--ranks", "0", "--fake", "--steps", "2", "--gpus-per-node", "4", "--sweep", "tp=1,3,4"]
    plan = Plan(tmp_path / "layouts", 16, *options, "--", LLAMA, *SMALL_LLAMA, "--tp", "{tp}", "--steps", "9")
    assert plan.done.returncode == 1
    sweep = sweep_of(plan)
    assert [layout["name"] for layout in sweep["layouts"]] == ["tp=4", "tp=1", "tp=3"]
    four, one, three = sweep["layouts"]
    by_group = {part["group"]: part for part in four["groups"]}
    assert by_group["mesh_tp"]["bytes_across_nodes"] == 0  # its four ranks are neighbours
    assert by_group["mesh_dp"]["bytes_across_nodes"] == by_group["mesh_dp"]["bytes"]
    assert (by_group["mesh_tp"]["nodes"], by_group["mesh_dp"]["nodes"]) == (1, 4)
    for layout in (four, one):
        for number in ("calls", "bytes", "bytes_across_nodes"):
            assert layout["all"][number] == pytest.approx(sum(part[number] for part in layout["groups"]))
        assert 0 < layout["all"]["smallest"] < layout["all"]["largest"]
    assert one["all"]["bytes_across_nodes"] == pytest.approx(4 * by_group["mesh_dp"]["bytes"], rel=0.05)
    assert f"{LLAMA}:" in three["failure"]
    assert "tp=3 failed: rank 0: " in plan.done.stdout
    again = Plan(
        tmp_path / "layouts", 16, *options, "--json", "--", LLAMA, *SMALL_LLAMA, "--tp", "{tp}", "--steps", "9"
    )
    assert document_of(again.done.stdout) == sweep
    page = tmp_path / "page.html"
    html = subprocess.run([COMMAND, "html", plan.folder, "-o", page], capture_output=True, text=True, check=False)
    assert html.returncode == 0, html.stderr
    assert '"layouts":[' in page.read_text()


def test_a_placeholder_must_be_in_the_command(tmp_path: Path) -> None:
    plan = Plan(tmp_path / "layouts", 4, "--sweep", "pp=1,2", "--", PLANNED)
    assert plan.done.returncode == 2
    assert "the command has no {pp}" in plan.done.stderr
    assert not plan.folder.exists()


@pytest.mark.parametrize("depth", ["--fake", pytest.param("--real", marks=pytest.mark.long)])
def test_balanced_splits_are_those_of_a_balanced_run(runner: Runner, tmp_path: Path, depth: str) -> None:
    """Counts that ranks send each other are taken for equal, if asked; else the plan ends at their line."""
    options = [depth, "--ranks", "all", "--steps", "0", "--gpus-per-node", "2"]
    plan = Plan(tmp_path / "plan", 2, *options, "--assume-balanced", "--", MOE)
    assert plan.done.returncode == 0, plan.done.stderr
    line = next(i for i, text in enumerate(Path(MOE).read_text().splitlines(), 1) if "taken = received" in text)
    assert f"{MOE}:{line}: counts that data decides: taken for equal" in plan.done.stderr
    run = runner.shim(Job("moe.py"))
    for rank in range(2):
        assert rows_of(plan.report(rank)) == rows_of(run.report(rank))
    without = Plan(tmp_path / "without", 2, *options, "--", MOE)
    assert without.done.returncode == 1
    assert f"{MOE}:" in without.done.stderr
    assert 0 < len(without.report(0).collectives) < len(plan.report(0).collectives) or depth == "--fake"
