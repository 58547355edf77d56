# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""torch.compile: compiled code counts as eager code does, and tracing counts nothing."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from catalogue import JOBS
from harness import Job, Mode, Run, Runner

from report import Report


def training(report: Report, *keys: str, field: str = "count") -> dict:
    """Returns a table of the rows of forward, backward and recompute."""
    return report.table(*keys, field=field, phase=("forward", "backward", "recompute"))


@pytest.mark.parametrize(
    ("compiled", "eager"),
    [
        ("mlp_compile_function", "mlp_stacked"),
        ("mlp_compile_method", "mlp_stacked"),
        ("transformer_compile", "transformer_tp"),
        ("transformer_sp_fullgraph", "transformer_sp"),
        ("ddp_compile", "ddp"),
        ("fsdp2_compile", "fsdp2"),
        ("pipeline_compile", "pipeline"),
    ],
)
def test_counts_and_bytes_are_those_of_eager_code(runner: Runner, compiled: str, eager: str) -> None:
    """Counts and bytes match by phase and kind, including the first step with its compilation."""
    for rank in range(JOBS[compiled].ranks):
        within, without = (runner.shim(JOBS[name]).report(rank) for name in (compiled, eager))
        assert training(within, "phase", "kind", "dtype") == training(without, "phase", "kind", "dtype")
        assert training(within, "phase", "kind", field="bytes") == training(without, "phase", "kind", field="bytes")


#: Compiled jobs, and the eager ones of which they are to have the table.
SAME_TABLE = {
    "mlp_compile_function": "mlp_stacked",
    "mlp_compile_method": "mlp_stacked",
    "transformer_compile": "transformer_tp",
    "transformer_sp_fullgraph": "transformer_sp",
    "ddp_compile": "ddp",
    "fsdp2_compile": "fsdp2",
    "pipeline_compile": "pipeline",
    "compiled_blocks": "compiled_eager",
    "compiled_function": "compiled_eager",
    "compiled_breaks": "compiled_eager",
    "compiled_two": "compiled_two_eager",
    "compiled_inductor": "compiled_eager",
}


@pytest.mark.parametrize(("compiled", "eager"), SAME_TABLE.items())
def test_each_collective_is_at_the_module_that_wrote_it(runner: Runner, compiled: str, eager: str) -> None:
    """Modules, phases, kinds and groups of a compiled run are those of the eager run, forward and backward."""
    for rank in range(JOBS[compiled].ranks):
        within, without = (runner.shim(JOBS[name]).report(rank) for name in (compiled, eager))
        keys = ("module", "phase", "kind", "group")
        assert training(within, *keys) == training(without, *keys)
        assert training(within, *keys, field="bytes") == training(without, *keys, field="bytes")


def test_a_graph_for_each_shape(runner: Runner) -> None:
    """A function that was compiled again, with dynamic shapes, has its collectives at the same modules."""
    found = training(runner.shim(JOBS["compiled_shapes"]).report(), "module", "phase", "kind")
    once = training(runner.shim(JOBS["compiled_eager"]).report(), "module", "phase", "kind")
    assert found == {key: count // 2 * 3 for key, count in once.items()}


@pytest.mark.parametrize(
    ("name", "entry", "raw"),
    [
        ("mlp_compile_function", "MLPStacked", "OptimizedModule._orig_mod"),
        ("mlp_compile_method", "MLPStacked", "MLPStacked"),
    ],
)
def test_the_compiled_module_issues(runner: Runner, name: str, entry: str, raw: str) -> None:
    """Rows of a graph say so, and are issued in the module that was compiled."""
    report = runner.shim(JOBS[name]).report()
    rows = [row for row in report.collectives if row["phase"] in ("forward", "backward")]
    assert {row["issued_in"] for row in rows} == {entry}
    assert all(row["compiled"] for row in rows)
    assert not any("compiled" in row for row in report.collectives if row["phase"] == "other")
    assert f"{raw}.layers.0.net2" in report.raw_names()


def test_inductor(runner: Runner) -> None:
    """A generated kernel issues its collective as eager code does: 1 all-reduce per step in forward."""
    report = runner.shim(JOBS["mlp_inductor"]).report()
    assert training(report, "module", "phase", "kind") == {("MLPModule.net2", "forward", "all_reduce"): 2}
    assert training(report, "kind", field="bytes") == {"all_reduce": 2 * 8 * 10 * 4}


def cached(folder: Path) -> Job:
    """The Inductor job with a cache that its runs share."""
    return replace(JOBS["compiled_inductor"], variables=(("TORCHINDUCTOR_CACHE_DIR", str(folder)),))


def caches(run: Run) -> dict:
    """What a run took from torch's caches."""
    return json.loads(run.outcomes[0].stdout.splitlines()[-1])["caches"]


def generated(folder: Path) -> dict[str, bytes]:
    """The files that Inductor has written."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.glob("??/*.py")}


def test_graphs_from_a_cache(runner: Runner, tmp_path: Path) -> None:
    """The second process takes its graphs from the cache, and knows their modules from the side files."""
    cold, warm = (runner.run(cached(tmp_path), Mode.SHIM) for _ in range(2))
    assert caches(warm)["aot_autograd"]["autograd_cache_hit"] == 1
    keys = ("module", "phase", "kind", "group")
    for rank in range(2):
        assert warm.report(rank).not_seen == []
        assert training(warm.report(rank), *keys) == training(cold.report(rank), *keys)
    eager = runner.shim(JOBS["compiled_eager"]).report()
    assert training(warm.report(), *keys) == training(eager, *keys)


def test_cache_is_that_of_a_run_without_commtap(runner: Runner, tmp_path: Path) -> None:
    """Keys and generated files are the same with and without the shim: each takes the other's graphs.

    Without side files the collectives stay at the compiled module, and the report says so.
    """
    runner.run(cached(tmp_path), Mode.BARE)
    files = generated(tmp_path)
    assert files
    within = runner.run(cached(tmp_path), Mode.SHIM)
    assert caches(within)["aot_autograd"]["autograd_cache_hit"] == 1
    assert generated(tmp_path) == files
    assert {row["module"] for row in within.report().collectives if row["phase"] != "other"} == {"Model"}
    (missed,) = within.report().not_seen
    assert missed["reason"] == "compiled_unattributed"
    assert missed["count"] == sum(row["count"] for row in within.report().collectives if row["phase"] != "other")

    shutil.rmtree(tmp_path)
    runner.run(cached(tmp_path), Mode.SHIM)
    assert generated(tmp_path) == files
    after = runner.run(cached(tmp_path), Mode.BARE)
    assert caches(after)["aot_autograd"]["autograd_cache_hit"] == 1


def test_blocks_compiled_under_fully_shard(runner: Runner) -> None:
    """Sequence-parallel blocks, each compiled, each sharded: FSDP's collectives are eager, TP's are compiled.

    A block's forward gathers the inputs of attention and of the MLP and scatters both outputs; backward does the
    reverse. The partitioner may keep forward's gathers or repeat them, so backward's gathers have only a lower bound.
    """
    report = runner.shim(JOBS["fsdp2_sp_compile"]).report()
    steps = 2
    for layer in range(2):
        where = f"Transformer.layers.{layer}"
        functional = "_c10d_functional.all_gather_into_tensor", "_c10d_functional.reduce_scatter_tensor"
        for op in functional:
            assert report.inclusive(where, phase="forward", op=op) == 2 * steps
            assert report.total(phase="forward", op=op, module=where) < 2 * steps  # the rest is its children's
        assert report.inclusive(where, phase="backward", op=functional[1]) == 2 * steps
        assert report.inclusive(where, phase="backward", op=functional[0]) >= 2 * steps
        assert report.total(phase="backward", op="c10d._reduce_scatter_base_", module=where) == steps
