# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""torch.compile: compiled code counts as eager code does, and tracing counts nothing."""

import pytest
from catalogue import JOBS
from harness import Runner

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


@pytest.mark.parametrize(
    ("name", "root", "raw"),
    [
        ("mlp_compile_function", "MLPStacked", "OptimizedModule._orig_mod"),
        ("mlp_compile_method", "MLPStacked", "MLPStacked"),
    ],
)
def test_compiled_code_belongs_to_the_compiled_module(runner: Runner, name: str, root: str, raw: str) -> None:
    """The compiled module has its children's collectives, because they are not called.

    2 layers x 3 steps in forward, and 1 x 3 in backward: the first layer's input needs no gradient.
    """
    report = runner.shim(JOBS[name]).report()
    assert training(report, "module", "phase", "kind") == {
        (root, "forward", "all_reduce"): 6,
        (root, "backward", "all_reduce"): 3,
    }
    assert report.total("bytes", kind="all_reduce") == 9 * 8 * 10 * 4
    assert raw in report.raw_names()
    assert f"{raw}.layers.0.net2" in report.raw_names()


def test_inductor(runner: Runner) -> None:
    """A generated kernel issues its collective as eager code does: 1 all-reduce per step in forward."""
    report = runner.shim(JOBS["mlp_inductor"]).report()
    assert training(report, "module", "phase", "kind") == {("MLPModule", "forward", "all_reduce"): 2}
    assert training(report, "kind", field="bytes") == {"all_reduce": 2 * 8 * 10 * 4}


def test_blocks_compiled_under_fully_shard(runner: Runner) -> None:
    """Sequence-parallel blocks, each compiled, each sharded: FSDP's collectives are eager, TP's are compiled.

    A block's forward gathers the inputs of attention and of the MLP and scatters both outputs; backward does the
    reverse. The partitioner may keep forward's gathers or repeat them, so backward's gathers have only a lower bound.
    """
    report = runner.shim(JOBS["fsdp2_sp_compile"]).report()
    steps = 2
    for layer in range(2):
        where = {"module": f"Transformer.layers.{layer}"}
        functional = "_c10d_functional.all_gather_into_tensor", "_c10d_functional.reduce_scatter_tensor"
        forward = report.table("op", phase="forward", op=functional, **where)
        assert forward == dict.fromkeys(functional, 2 * steps)
        backward = report.table("op", phase="backward", op=functional, **where)
        assert backward[functional[1]] == 2 * steps
        assert backward[functional[0]] >= 2 * steps
        assert report.total(phase="backward", op="c10d._reduce_scatter_base_", **where) == steps
