# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""torch.compile: compiled code counts as eager code does, and tracing counts nothing."""

import json
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


@pytest.mark.parametrize("backend", ["aot_eager", pytest.param("inductor", marks=pytest.mark.long)])
def test_graphs_that_run_in_several_threads(runner: Runner, backend: str) -> None:
    """Two models share a compiled function, and each runs in a thread: each has its own collectives."""
    eager = Job("compiled.py", ("two", "--threads"), ranks=1)
    compiled = replace(eager, arguments=(*eager.arguments, "--compile", "function", "--backend", backend))
    within, without = runner.run(compiled, Mode.SHIM).report(), runner.run(eager, Mode.SHIM).report()
    keys = ("module", "phase", "kind", "group")
    assert training(within, *keys) == training(without, *keys)
    assert within.not_seen == []


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


def test_parts_of_a_generated_file(runner: Runner) -> None:
    """Functions that Inductor generates before the file, as for CUDA graphs, are known as the file itself is."""
    arguments = ("model", "--compile", "method", "--backend", "inductor", "--parts")
    eager = JOBS["compiled_eager"]
    report = runner.run(replace(eager, arguments=arguments), Mode.SHIM).report()
    keys = ("module", "phase", "kind", "group")
    assert training(report, *keys) == training(runner.shim(eager).report(), *keys)
    assert report.not_seen == []


#: How blocks become regions, which are compiled once for all of them, and under which backend.
REGIONS = [
    ("nested", "aot_eager"),
    pytest.param("nested", "inductor", marks=pytest.mark.long),
    pytest.param("blocks", "aot_eager", marks=pytest.mark.long),
    pytest.param("blocks", "inductor", marks=pytest.mark.long),
]


def regions(which: str, backend: str, folder: Path) -> Job:
    """Four blocks: the first is not compiled with the others, because its input needs no gradient."""
    arguments = ("model", "--layers", "4", "--regions", which, "--compile", "method", "--backend", backend)
    return Job("compiled.py", arguments, variables=(("TORCHINDUCTOR_CACHE_DIR", str(folder)),))


@pytest.mark.parametrize(("which", "backend"), REGIONS)
def test_regions_that_are_compiled_once(runner: Runner, tmp_path: Path, which: str, backend: str) -> None:
    """Each block's collectives are at its own modules, also if a region calls others, and with graphs of a cache."""
    eager = runner.shim(Job("compiled.py", ("model", "--layers", "4")))
    keys = ("module", "phase", "kind", "group")
    for run in (runner.run(regions(which, backend, tmp_path), Mode.SHIM) for _ in ("cold", "from the cache")):
        for rank in range(2):
            assert run.report(rank).not_seen == []
            for field in ("count", "bytes"):
                expected = training(eager.report(rank), *keys, field=field)
                assert training(run.report(rank), *keys, field=field) == expected


def test_a_region_of_which_modules_are_not_known(runner: Runner, tmp_path: Path) -> None:
    """One function is the region of all blocks, and is called by their parent. No block gets another's collectives."""
    eager = runner.shim(Job("compiled.py", ("model", "--layers", "4"))).report()
    report = runner.run(regions("function", "inductor", tmp_path), Mode.SHIM).report()
    keys = ("phase", "kind", "group")
    assert training(report, *keys) == training(eager, *keys)
    assert set(training(report, "module")) == {"Model"}
    (missed,) = report.not_seen
    assert missed["reason"] == "compiled_unattributed"
    assert missed["count"] == sum(training(report, "kind").values())


#: The smallest model, which needs no compiled kernels, and one with kernels and experts.
EAGER = {"gathered": Job("gathered.py"), "experts": JOBS["compiled_eager"]}
CACHED = ["gathered", pytest.param("experts", marks=pytest.mark.long)]


def cached(name: str, folder: Path) -> Job:
    """A model under Inductor, with a cache that its runs share."""
    eager = EAGER[name]
    return replace(
        eager,
        arguments=(*eager.arguments, "--compile", "method", "--backend", "inductor"),
        variables=(("TORCHINDUCTOR_CACHE_DIR", str(folder)),),
    )


def cache_without_commtap(runner: Runner, name: str) -> Path:
    """The cache that a run without commtap has filled."""
    folder = runner.folder / f"cache-{name}"
    if not folder.exists():
        runner.run(cached(name, folder), Mode.BARE)
    return folder


def hits(run: Run) -> int:
    """The graphs that a run took from torch's caches."""
    return json.loads(run.outcomes[0].stdout.splitlines()[-1])["caches"]["aot_autograd"].get("autograd_cache_hit", 0)


def generated(folder: Path) -> dict[str, bytes]:
    """The files that Inductor has written."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.glob("??/*.py")}


@pytest.mark.parametrize("name", CACHED)
def test_cache_that_was_filled_without_commtap(runner: Runner, name: str) -> None:
    """Keys are the same: a run takes the graphs. Without side files the process's own graph names the modules of the
    forward. The collectives of the backward stay at the compiled module, and the report says so.
    """
    folder = cache_without_commtap(runner, name)
    files = generated(folder)
    assert files
    within = runner.run(cached(name, folder), Mode.SHIM)
    assert hits(within) == 1
    assert generated(folder) == files
    assert not list(folder.glob("commtap-*"))
    keys = ("module", "kind", "group")
    report, eager = within.report(), runner.shim(EAGER[name]).report()
    assert report.table(*keys, phase="forward") == eager.table(*keys, phase="forward")
    backward = report.table(*keys, phase="backward")
    assert {module for module, *_ in backward} == {"Model"}
    (missed,) = report.not_seen
    assert missed["reason"] == "compiled_unattributed"
    assert missed["count"] == sum(backward.values()) == sum(eager.table("kind", phase="backward").values())


@pytest.mark.parametrize("name", CACHED)
def test_graphs_from_a_cache(runner: Runner, tmp_path: Path, name: str) -> None:
    """Generated files are those of a run without commtap. The second process takes its graphs from the cache, and
    knows their modules from the side files.
    """
    cold, warm = (runner.run(cached(name, tmp_path), Mode.SHIM) for _ in range(2))
    assert generated(tmp_path) == generated(cache_without_commtap(runner, name))
    assert (hits(cold), hits(warm)) == (0, 1)
    keys = ("module", "phase", "kind", "group")
    for rank in range(2):
        expected = training(runner.shim(EAGER[name]).report(rank), *keys)
        for run in (cold, warm):
            assert run.report(rank).not_seen == []
            assert training(run.report(rank), *keys) == expected


@pytest.mark.long
def test_cache_that_was_filled_with_commtap(runner: Runner, tmp_path: Path) -> None:
    """A run without commtap takes the graphs."""
    job = cached("gathered", tmp_path)
    runner.run(job, Mode.SHIM)
    assert hits(runner.run(job, Mode.BARE)) == 1


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
