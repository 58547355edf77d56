# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""`commtap plan --sweep`, `--fabric` and `--assume-balanced`."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from harness import COMMAND, JOBS_FOLDER, Job, Runner
from planning import LLAMA, PLANNED, SMALL_LLAMA, Plan, rows_of

MOE = str(JOBS_FOLDER / "moe.py")


def nccl_tests(path: Path, program: str, ranks: int, nodes: int) -> Path:
    """Writes what a test of nccl-tests would: 10 us and 1 us for each KiB."""
    sizes = [1 << power for power in range(4, 28)]
    per_node = ranks // nodes
    document = {
        "version": 3,
        "args": [f"./build/{program}", "-J", path.name],
        "config": {
            "nthreads": 1,
            "ngpus": per_node,
            "devices": [{"rank": i * per_node, "group": 0, "hostname": f"node{i}"} for i in range(nodes)],
        },
        "results": [{"size": size, "out_of_place": {"time": 10 + size / 1024}, "in_place": None} for size in sizes],
    }
    path.write_text(json.dumps(document))
    return path


def sweep_of(plan: Plan) -> dict[str, Any]:
    return json.loads((plan.folder / "sweep.json").read_text())


def test_a_sweep_is_one_table(tmp_path: Path) -> None:
    """Layouts in the order of what crosses nodes; one that fails is a line with its reason."""
    options = ["--ranks", "0", "--fake", "--steps", "2", "--gpus-per-node", "4", "--sweep", "tp=1,3,4"]
    options += ["--fabric", str(nccl_tests(tmp_path / "ag.json", "all_gather_perf", 4, 1))]
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
    # No all_reduce was measured, so no layout has a time for all of its calls.
    assert four["all"]["time_ns"] is None
    assert any("measured never" in reason for reason in four["refused"])
    page = tmp_path / "page.html"
    html = subprocess.run([COMMAND, "html", plan.folder, "-o", page], capture_output=True, text=True, check=False)
    assert html.returncode == 0, html.stderr
    assert '"layouts":[' in page.read_text()


def test_a_placeholder_must_be_in_the_command(tmp_path: Path) -> None:
    plan = Plan(tmp_path / "layouts", 4, "--sweep", "pp=1,2", "--", PLANNED)
    assert plan.done.returncode == 2
    assert "the command has no {pp}" in plan.done.stderr
    assert not plan.folder.exists()


def test_times_are_those_measured(tmp_path: Path) -> None:
    """A file of nccl-tests predicts the sizes, kinds and numbers of ranks that it has, and no others."""
    gathers = nccl_tests(tmp_path / "ag.json", "all_gather_perf", 8, 2)
    options = ["--ranks", "0", "--fake", "--steps", "2", "--gpus-per-node", "4", "--fabric", str(gathers)]
    plan = Plan(tmp_path / "plan", 8, *options, "--", PLANNED, "--steps", "9")
    assert plan.done.returncode == 0, plan.done.stderr
    lines = plan.done.stdout.splitlines()
    gather = next(line for line in lines if line.startswith("all_gather"))
    assert " us - " in gather
    assert gather.endswith(str(gathers))
    scatter = next(line for line in lines if line.startswith("reduce_scatter"))
    assert "not measured" in scatter
    assert "measured never" in scatter


def test_a_run_with_times_predicts_its_own_calls(runner: Runner, tmp_path: Path) -> None:
    run = runner.shim(Job("planned.py", ("--steps", "5"), variables=(("COMMTAP_TIMING", "host"),)))
    options = ["--ranks", "all", "--fake", "--fabric", str(run.output_folder)]
    plan = Plan(tmp_path / "plan", 2, *options, "--", PLANNED, "--steps", "9")
    assert plan.done.returncode == 0, plan.done.stderr
    for kind in ("all_gather", "reduce_scatter"):
        (line,) = (line for line in plan.done.stdout.splitlines() if line.startswith(kind))
        assert "not measured" not in line
        assert str(run.output_folder) in line
    other = Plan(tmp_path / "other", 4, *options, "--", PLANNED, "--steps", "9")
    assert "all_gather of 4 ranks on 1 node: measured with 2 ranks on 1 node" in other.done.stdout


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
