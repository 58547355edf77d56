# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Plans of sizes that cannot run here: closed formulas hold."""

from pathlib import Path
from typing import Any

import pytest
from harness import JOBS_FOLDER
from planning import LLAMA, PLANNED, SMALL_LLAMA, Plan

STEPS = 2
#: Weights and biases of a layer of MLPStacked.
LAYER = ((160, 16), (16, 16), (160, 10), (10, 10))


def sizes(quick: tuple[int, ...], long: tuple[int, ...]) -> pytest.MarkDecorator:
    """Runs a test with these numbers of ranks."""
    return pytest.mark.parametrize(
        "world_size", [*quick, *(pytest.param(size, marks=pytest.mark.long) for size in long)]
    )


def made(folder: Path, world_size: int, *words: str, depth: str = "--fake") -> Plan:
    plan = Plan(folder, world_size, depth, "--steps", str(STEPS), "--", *words)
    assert plan.done.returncode == 0, plan.done.stderr
    assert plan.job["ranks"] == f"0-{world_size - 1}"
    assert plan.job["disagreements"] == []
    return plan


def padded(shards: int) -> int:
    """Returns the bytes of a layer after FSDP2 has padded the first dimension of each parameter to equal shards."""
    return 4 * sum(-(-rows // shards) * shards * (elements // rows) for elements, rows in LAYER)


def each(plan: Plan, count: int, size: int, ranks: int, **where: Any) -> None:
    """Each rank has one row like this, with as many calls per step, each of this size."""
    (row,) = plan.rows(**where)
    assert row["rank_count"] == ranks
    for end in ("min", "max"):
        assert row["count"][end] == STEPS * count
        assert row["bytes"][end] == STEPS * count * size


@sizes((8, 1024), (4096, 16384))
def test_fsdp2(tmp_path: Path, world_size: int) -> None:
    """Per unit and step one all_gather in the forward, one in the backward, one reduce_scatter of the same size."""
    plan = made(tmp_path, world_size, PLANNED, "--steps", "9")
    assert "rank 0 stands for" in plan.done.stderr
    for layer in range(2):
        module = f"MLPStacked.layers.{layer}"
        for phase in ("forward", "backward"):
            each(plan, 1, padded(world_size), world_size, module=module, kind="all_gather", phase=phase)
        each(plan, 1, padded(world_size), world_size, module=module, kind="reduce_scatter")


@sizes((8,), (16384,))
def test_hsdp(tmp_path: Path, world_size: int) -> None:
    """FSDP2 within each replica, and an all_reduce of each shard over the replicas."""
    plan = made(tmp_path, world_size, str(JOBS_FOLDER / "parallelisms.py"), "hsdp")
    shards = world_size // 2
    for layer in range(2):
        module = f"MLPStacked.layers.{layer}"
        each(plan, 1, padded(shards), world_size, module=module, kind="all_gather", phase="forward")
        each(plan, 1, padded(shards), world_size, module=module, kind="reduce_scatter")
        each(plan, 1, padded(shards) // shards, world_size, module=module, kind="all_reduce")


@sizes((4096,), (8, 16384))
def test_ddp(tmp_path: Path, world_size: int) -> None:
    """Each parameter is reduced once per step."""
    plan = made(tmp_path, world_size, str(JOBS_FOLDER / "ddp.py"), depth="--real")
    width = 512
    parameters = 8 * width + width + 2 * width + 2 * (width * width + width) + 4 * width + 4
    rows = plan.rows(kind="all_reduce", phase="backward")
    assert sum(row["bytes"]["max"] for row in rows) == STEPS * 4 * parameters
    assert {row["rank_count"] for row in rows} == {world_size}


@sizes((16,), (16384,))
def test_tensor_and_sequence_parallelism(tmp_path: Path, world_size: int) -> None:
    """Per layer two all_gathers of the sequence and two reduce_scatters; in the backward the other way round."""
    plan = made(tmp_path, world_size, LLAMA, *SMALL_LLAMA, "--tp", "4", "--steps", "9")
    groups = {group["name"]: group["desc"] for group in plan.job["groups"]}
    sequence = 2 * 64 * 512  # bfloat16, length, width
    of_layers = [
        row
        for row in plan.job["collectives"]
        if groups[row["group"]] == "mesh_tp" and row["module"].startswith("Llama.layers.0")
    ]
    for phase in ("forward", "backward"):
        for kind in ("all_gather", "reduce_scatter"):
            rows = [row for row in of_layers if row["phase"] == phase and row["kind"] == kind]
            assert sum(row["count"]["max"] for row in rows) == STEPS * 2, (phase, kind)
            assert sum(row["bytes"]["max"] for row in rows) == STEPS * 2 * sequence
            assert {row["rank_count"] for row in rows} == {world_size}


@sizes((), (32, 16384))
def test_a_pipeline(tmp_path: Path, world_size: int) -> None:
    """1F1B: per step and micro-batch one activation to the next stage, and one gradient back, of the rank's part."""
    stages, micro_batches = 4, 4
    script = (LLAMA, *SMALL_LLAMA, "--layers", "4", "--tp", "2", "--pp", "4", "--micro-batches", "4", "--steps", "9")
    plan = made(tmp_path, world_size, *script)
    part = 2 * 64 * 512 // 2
    per_stage = world_size // stages
    for stage in range(stages):
        report = plan.report(stage * per_stage)
        for phase, has_none in (("forward", stage == stages - 1), ("backward", stage == 0)):
            rows = [
                row
                for row in report.collectives
                if row["kind"] == "send" and row["phase"] == phase and row["dtype"] == "bfloat16"
            ]
            number = 0 if has_none else STEPS * micro_batches
            assert sum(row["count"] for row in rows) == number
            assert sum(row["bytes"] for row in rows) == number * part


def test_a_pipeline_that_is_stopped_after_a_step(tmp_path: Path) -> None:
    """The next step begins with the schedule, which receives before the stage's forward."""
    plan = Plan(tmp_path, 4, "--fake", "--steps", "1", "--", str(JOBS_FOLDER / "pipeline.py"))
    assert plan.done.returncode == 0, plan.done.stderr
    assert plan.job["disagreements"] == []
    for kind in ("send", "recv"):
        counts = [plan.report(rank).table("phase", kind=kind, module="MLPModule") for rank in range(4)]
        assert sum(sum(each.values()) for each in counts) == 4 * 2 * 3  # micro-batches, directions, pairs of stages


def test_a_pipeline_whose_stages_ask_for_shapes(tmp_path: Path) -> None:
    """The stages are planned in their order, each with what the one before has sent."""
    plan = Plan(tmp_path, 4, "--real", "--steps", "0", "--", str(JOBS_FOLDER / "pipeline.py"), "--infer-shapes")
    assert plan.done.returncode == 0, plan.done.stderr
    for rank in range(4):
        sent = plan.report(rank).table("phase", kind="send", module="MLPModule", dtype="float32")
        assert sent.get("forward", 0) == (0 if rank == 3 else 2 * 4)
        assert sent.get("backward", 0) == (0 if rank == 0 else 2 * 4)
