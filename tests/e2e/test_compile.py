# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""torch.compile: what compiled code communicates is what eager code does, and tracing it is no communication."""

import pytest
from catalogue import JOBS
from harness import Runner

from report import Report


def training(report: Report, *keys: str, field: str = "count") -> dict:
    """A table of what was issued in forward, backward and recomputation."""
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
    """By phase and kind, the first step with its compilation included."""
    for rank in range(JOBS[compiled].ranks):
        within, without = (runner.shim(JOBS[name]).report(rank) for name in (compiled, eager))
        assert training(within, "phase", "kind", "dtype") == training(without, "phase", "kind", "dtype")
        assert training(within, "phase", "kind", field="bytes") == training(without, "phase", "kind", field="bytes")


@pytest.mark.parametrize(
    ("name", "root", "raw"),
    [
        ("mlp_compile_function", "OptimizedModule", "OptimizedModule._orig_mod"),
        ("mlp_compile_method", "MLPStacked", "MLPStacked"),
    ],
)
def test_compiled_code_belongs_to_the_compiled_module(runner: Runner, name: str, root: str, raw: str) -> None:
    """Its children are not called; what they would have issued is the compiled module's: 2 layers x 3 steps forward,
    and backward 1 x 3, because the first layer's input has no gradient."""
    report = runner.shim(JOBS[name]).report()
    assert training(report, "module", "phase", "kind") == {
        (root, "forward", "all_reduce"): 6,
        (root, "backward", "all_reduce"): 3,
    }
    assert report.total("bytes", kind="all_reduce") == 9 * 8 * 10 * 4
    assert raw in report.raw_names()
    assert f"{raw}.layers.0.net2" in report.raw_names()


def test_inductor(runner: Runner) -> None:
    """A generated kernel issues its collective where eager code does: 1 all-reduce a step in forward."""
    report = runner.shim(JOBS["mlp_inductor"]).report()
    assert training(report, "module", "phase", "kind") == {("OptimizedModule", "forward", "all_reduce"): 2}
    assert training(report, "kind", field="bytes") == {"all_reduce": 2 * 8 * 10 * 4}


def test_blocks_compiled_under_fully_shard(runner: Runner) -> None:
    """Sequence-parallel blocks, each compiled, each sharded: FSDP's collectives are eager, TP's are compiled.

    A block's forward gathers its input for attention and for the MLP and scatters both outputs; backward does the
    reverse. The partitioner may keep or gather again what forward gathered, so that backward's gathers have a lower
    bound alone.
    """
    report = runner.shim(JOBS["fsdp2_sp_compile"]).report()
    steps = 2
    for layer in range(2):
        where = {"module": f"FSDPTransformer.layers.{layer}"}
        functional = "_c10d_functional.all_gather_into_tensor", "_c10d_functional.reduce_scatter_tensor"
        forward = report.table("op", phase="forward", op=functional, **where)
        assert forward == dict.fromkeys(functional, 2 * steps)
        backward = report.table("op", phase="backward", op=functional, **where)
        assert backward[functional[1]] == 2 * steps
        assert backward[functional[0]] >= 2 * steps
        assert report.total(phase="backward", op="c10d._reduce_scatter_base_", **where) == steps
