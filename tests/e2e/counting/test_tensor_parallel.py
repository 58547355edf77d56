# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Tensor and sequence parallelism: the counts equal CommDebugMode's and those in PyTorch's own tests."""

import pytest
from catalogue import JOBS
from comm_debug_mode import inclusive_of_oracle, inclusive_of_report
from harness import Runner

#: An MLPModule's output: 8 samples of 10 features, float32.
OUTPUT_BYTES = 8 * 10 * 4


def test_mlp_on_four_ranks_as_the_seed_has_it(runner: Runner) -> None:
    """There is one all-reduce in forward, under net2, and none in backward: the input needs no gradient."""
    for rank in range(4):
        report = runner.shim(JOBS["mlp"]).report(rank)
        assert report.names() == ["Global", "MLPModule", "MLPModule.net1", "MLPModule.relu", "MLPModule.net2"]
        assert report.tree() == {
            "Global": None,
            "MLPModule": "Global",
            "MLPModule.net1": "MLPModule",
            "MLPModule.relu": "MLPModule",
            "MLPModule.net2": "MLPModule",
        }
        for module in ("Global", "MLPModule", "MLPModule.net2"):
            assert report.inclusive(module, phase="forward", kind="all_reduce") == 1
        [row] = report.rows(phase="forward")
        assert (row["module"], row["issued_in"], row["op"]) == (
            "MLPModule.net2",
            "MLPModule.net2",
            "_c10d_functional.all_reduce",
        )
        assert row["lowered"] == ["c10d.allreduce_"]
        assert (row["dtype"], row["reduce_op"]) == ("float32", "sum")
        assert (row["bytes"], row["bus_bytes"]) == (OUTPUT_BYTES, OUTPUT_BYTES * 2 * 3 / 4)
        assert report.rows(phase="backward") == []


def test_mlp_parameters_as_the_seed_has_them(runner: Runner) -> None:
    """The model has four parameters, all sharded or replicated DTensors on the mesh."""
    found = {
        f"{each['module']}.{each['name']}": (each["placements"], each["shape"], each["local_shape"])
        for each in runner.shim(JOBS["mlp"]).report().parameters()
    }
    assert found == {
        "MLPModule.net1.weight": (["Shard(dim=0)"], [16, 10], [4, 10]),
        "MLPModule.net1.bias": (["Shard(dim=0)"], [16], [4]),
        "MLPModule.net2.weight": (["Shard(dim=1)"], [10, 16], [10, 4]),
        "MLPModule.net2.bias": (["Replicate()"], [10], [10]),
    }


def test_sharding_is_set_up_outside_every_module(runner: Runner) -> None:
    """distribute_tensor scatters three tensors and broadcasts one; each rank's scatter is the whole tensor."""
    report = runner.shim(JOBS["mlp"]).report()
    assert report.table("module", "kind", phase="other") == {
        ("Global", "scatter"): 3,
        ("Global", "broadcast"): 1,
        ("Global", "barrier"): 1,
    }
    assert report.total("bytes", kind="scatter") == (16 * 10 + 16 + 10 * 16) * 4
    assert report.total("bytes", kind="broadcast") == 10 * 4


def test_stacked_placements_are_eight(runner: Runner) -> None:
    """A ModuleList has no forward and no row; its children's parent is the stack."""
    report = runner.shim(JOBS["mlp_stacked"]).report()
    assert sum(1 for each in report.parameters() if each["placements"]) == 8
    assert report.tree()["MLPStacked.layers.0"] == "MLPStacked"
    assert "MLPStacked.layers" not in report.names()


def test_module_calls_are_counted(runner: Runner) -> None:
    """Every module is called once per step."""
    report = runner.shim(JOBS["mlp_stacked"]).report()
    assert all(module["calls"] == {"forward": 3} for module in report.modules[1:])


@pytest.mark.parametrize("name", ["mlp", "mlp_stacked", "transformer_tp", "fsdp2_tp"])
def test_modules_and_phases_are_those_of_comm_debug_mode(runner: Runner, name: str) -> None:
    """All modules and both phases are equal. For fully_shard x TP only the functional ops, which are TP's, compare."""
    job = JOBS[name]
    for rank in range(job.ranks):
        expected = inclusive_of_oracle(runner.oracle(job), rank, prefix="c10d_functional.")
        assert expected
        found = inclusive_of_report(runner.shim(job).report(rank), prefix="_c10d_functional.")
        assert found == expected


@pytest.mark.parametrize("name", ["transformer_sp", "transformer_checkpoint"])
def test_sequence_parallel_modules_and_phases(runner: Runner, name: str) -> None:
    """Counts equal CommDebugMode's except for `attention`, whose own hook gathers its input.

    The gradient of that gather is a reduce-scatter of `attention`. CommDebugMode attributes it to the last module
    whose backward began, `wq`. The counts of `attention` and its parents are equal either way.
    """
    job = JOBS[name]
    for rank in range(job.ranks):
        expected = inclusive_of_oracle(runner.oracle(job), rank)
        for layer in range(2):
            assert expected.pop((f"Transformer.layers.{layer}.attention.wq", "backward", "reduce_scatter")) == 2
        report = runner.shim(job).report(rank)
        assert inclusive_of_report(report) == expected
        for layer in range(2):
            attention = report.rows(
                module=f"Transformer.layers.{layer}.attention", phase="backward", kind="reduce_scatter"
            )
            assert sum(row["count"] for row in attention) == 2


def test_recomputation_of_blocks(runner: Runner) -> None:
    """A checkpointed block's recomputation gathers twice and scatters once.

    It stops early: the last output that backward needs is that of `w1`'s activation. So the block's second
    reduce-scatter, that of `w2`, does not run again.
    """
    report = runner.shim(JOBS["transformer_checkpoint"]).report()
    assert report.table("module", "kind", phase="recompute") == {
        (f"Transformer.layers.{layer}.{module}", kind): 2
        for layer in range(2)
        for module, kind in (
            ("attention", "all_gather"),
            ("attention.wo", "reduce_scatter"),
            ("feed_forward.w1", "all_gather"),
        )
    }


@pytest.mark.parametrize("name", ["transformer_sp", "transformer_checkpoint"])
def test_optimizer_reduces_gradients_of_norms(runner: Runner, name: str) -> None:
    """Sequence-parallel norms leave partial gradients, which AdamW's arithmetic reduces.

    5 norms x 2 parameters x 3 uses x 2 steps, 16 floats each.
    """
    report = runner.shim(JOBS[name]).report()
    assert report.table("module", "issued_in", "kind", phase="optimizer") == {("Global", "Global", "all_reduce"): 60}
    assert report.total("bytes", phase="optimizer") == 60 * 16 * 4


def test_tied_weights_are_in_both_modules(runner: Runner) -> None:
    """The output layer and the token embedding share one parameter, and both rows list it."""
    report = runner.shim(JOBS["transformer_tp"]).report()
    tied = [report.module(f"Transformer.{name}")["parameters"] for name in ("tok_embeddings", "output")]
    assert tied[0] == tied[1]
    assert tied[0][0]["placements"] == ["Shard(dim=0)"]


def test_transformer_bytes(runner: Runner) -> None:
    """Activations are 4 samples x 16 tokens x 16 features; the vocabulary has 8 tokens."""
    report = runner.shim(JOBS["transformer_tp"]).report()
    activation, positions, logits = 4 * 16 * 16 * 4, 16 * 16 * 4, 4 * 16 * 8 * 4
    steps = 2
    for module, size in (("tok_embeddings", activation), ("pos_embeddings", positions)):
        rows = report.rows(module=f"Transformer.{module}", phase="forward")
        assert [(row["kind"], row["bytes"]) for row in rows] == [("all_reduce", steps * size)]
    [gather] = report.rows(module="Transformer.output", phase="forward")
    assert (gather["kind"], gather["bytes"]) == ("all_gather", steps * logits)
    for projection in ("wq", "wk", "wv"):
        [row] = report.rows(module=f"Transformer.layers.0.attention.{projection}")
        assert (row["phase"], row["kind"], row["bytes"]) == ("backward", "all_reduce", steps * activation)
