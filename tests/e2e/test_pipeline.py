# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Pipeline parallelism: the schedule's point-to-point messages, issued outside every module."""

import pytest
from catalogue import JOBS
from harness import Runner

#: Two samples of 10 features.
ACTIVATION_BYTES = 2 * 10 * 4
STEPS, MICRO_BATCHES = 2, 4


@pytest.mark.parametrize("name", ["pipeline", "pipeline_infer_shapes", "pipeline_compile"])
def test_activations_and_gradients(runner: Runner, name: str) -> None:
    """Rank 0 sends every micro-batch's activations and receives their gradients; rank 1 the reverse."""
    for rank in range(2):
        report = runner.shim(JOBS[name]).report(rank)
        for kind in ("send", "recv"):
            [row] = report.rows(kind=kind, dtype="float32")
            assert (row["module"], row["phase"]) == ("Global", "other")
            assert row["count"] == STEPS * MICRO_BATCHES
            assert row["bytes"] == row["bus_bytes"] == STEPS * MICRO_BATCHES * ACTIVATION_BYTES


def test_stages_greet_each_other(runner: Runner) -> None:
    """Before the first step each stage sends its neighbour a number, to open the connection."""
    report = runner.shim(JOBS["pipeline"]).report()
    assert report.table("kind", "dtype", dtype="int32") == {("send", "int32"): 1, ("recv", "int32"): 1}
    assert report.table("kind", "dtype", field="bytes", dtype="int32") == {("send", "int32"): 4, ("recv", "int32"): 4}


def test_inferred_shapes_travel_as_objects(runner: Runner) -> None:
    """Stage 0 sends its outputs' shapes, stage 1 the gradients': each a length, then as many bytes."""
    reports = [runner.shim(JOBS["pipeline_infer_shapes"]).report(rank) for rank in range(2)]
    for report in reports:
        assert report.table("kind", dtype=("int64", "uint8")) == {"send": 2, "recv": 2}
    for sender, receiver in (reports, reversed(reports)):
        assert sender.total("bytes", kind="send", dtype="uint8") == receiver.total("bytes", kind="recv", dtype="uint8")


def test_calls_count_micro_batches(runner: Runner) -> None:
    """A stage's module is called once per micro-batch."""
    calls = runner.shim(JOBS["pipeline"]).report().module("MLPModule.net1")["calls"]
    assert calls["forward"] >= STEPS * MICRO_BATCHES
