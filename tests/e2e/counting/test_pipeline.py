# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Pipeline parallelism: a schedule issues its messages between the calls of the stages, outside every module."""

from dataclasses import replace

import pytest
from catalogue import JOBS
from harness import Job, Runner

from report import Report

#: Two samples of 10 features.
ACTIVATION_BYTES = 2 * 10 * 4
STEPS, MICRO_BATCHES = 2, 4
MESSAGES = STEPS * MICRO_BATCHES

#: An MLPModule's two layers with their biases, as FSDP2 gathers and scatters them.
MLP_BYTES = (10 * 16 + 16 + 16 * 10 + 10) * 4


def messages(stage: int, stages: int, module: str, count: int = MESSAGES) -> dict[tuple[str, str, str, str], int]:
    """Returns {(module, phase, kind, issued_in): count} of one stage's activations and their gradients."""
    table = {}
    if stage > 0:
        table[module, "forward", "recv", module] = table[module, "backward", "send", module] = count
    if stage < stages - 1:
        table[module, "forward", "send", module] = table[module, "backward", "recv", module] = count
    return table


def check_activations(report: Report, expected: dict[tuple[str, str, str, str], int]) -> None:
    keys = "module", "phase", "kind", "issued_in"
    where = {"kind": ("send", "recv"), "dtype": "float32"}
    assert report.table(*keys, **where) == expected
    sizes = {key: count * ACTIVATION_BYTES for key, count in expected.items()}
    assert report.table(*keys, field="bytes", **where) == sizes


@pytest.mark.parametrize("name", ["pipeline", "pipeline_infer_shapes", "pipeline_compile", "pipeline_gpipe"])
def test_activations_and_gradients(runner: Runner, name: str) -> None:
    """Rank 0 sends every micro-batch's activations and receives their gradients; rank 1 the reverse.

    GPipe's labels name the action; 1F1B has none, and the memory decides.
    """
    module = "Sequential" if name == "pipeline_gpipe" else "MLPModule"
    for rank in range(2):
        check_activations(runner.shim(JOBS[name]).report(rank), messages(rank, 2, module))


@pytest.mark.parametrize("name", ["pipeline_interleaved", "pipeline_interleaved_fsdp"])
def test_interleaved_stages(runner: Runner, name: str) -> None:
    """Each rank has two of four stages, and the label of an action names its own."""
    root = "Sequential"
    for rank in range(JOBS[name].ranks):
        first = rank // (JOBS[name].ranks // 2)
        expected = messages(first, 4, root) | messages(first + 2, 4, f"{root}#2")
        check_activations(runner.shim(JOBS[name]).report(rank), expected)


@pytest.mark.parametrize("name", ["pipeline_gpipe_fsdp", "pipeline_interleaved_fsdp"])
def test_sharded_stages(runner: Runner, name: str) -> None:
    """A schedule of several stages gathers and scatters each stage's units in actions of their own.

    GPipe's unit gathers in its own forward. It scatters after the last label, outside of everything.
    """
    stages = ["Sequential", "Sequential#2"] if "interleaved" in name else ["Sequential"]
    expected = {}
    for stage in stages:
        unit = f"{stage}.0"
        gathers, scatters = (stage, stage) if "interleaved" in name else (unit, "Global")
        expected[unit, "forward", "all_gather", gathers] = STEPS * MLP_BYTES
        expected[unit, "backward", "reduce_scatter", scatters] = STEPS * MLP_BYTES
    for rank in range(4):
        report = runner.shim(JOBS[name]).report(rank)
        keys = "module", "phase", "kind", "issued_in"
        assert report.table(*keys, field="bytes", kind=("all_gather", "reduce_scatter")) == expected


def test_a_step_has_what_its_first_forward_needs(runner: Runner) -> None:
    """A stage receives, and gathers its units, after the optimizers of the step before and before a forward begins."""
    updated = Job("pipeline_schedules.py", ("--schedule", "interleaved", "--fsdp", "--optimizer"), ranks=4)
    for job, stages in (JOBS["pipeline"], 1), (updated, 2):
        for rank in range(job.ranks):
            report = runner.shim(job).report(rank)
            assert len(report.steps) == STEPS
            counts = {kind: 0 for kind in ("send", "recv", "all_gather")}
            for amount in report.steps[-1]["collectives"]:
                if amount["kind"] in counts:
                    counts[amount["kind"]] += amount["count"]
            borders = 2 * stages - 1
            assert counts["send"] == counts["recv"] == borders * MICRO_BATCHES
            assert counts["all_gather"] == (stages if job is updated else 0)


@pytest.mark.parametrize("arguments", [(), ("--keep",), ("--forward",), ("--keep", "--forward")])
def test_pipeline_by_hand(runner: Runner, arguments: tuple[str, ...]) -> None:
    """Memory decides the direction, also with a loss that is a module, and of the message that comes first.

    When a rank first receives, no module has run on it: the call is counted again once a module takes the buffer. A
    stage may take copies of what came into a buffer that is kept, and its `forward` may be called directly.
    """
    job, count = replace(JOBS["pipeline_by_hand"], arguments=arguments), 2 * 3
    for rank in range(job.ranks):
        expected = messages(rank, job.ranks, "MLPModule", count)
        check_activations(runner.shim(job).report(rank), expected)


def test_a_ring_by_hand_is_no_pipeline(runner: Runner) -> None:
    """No module takes or gives what the ranks exchange, so no module's forward receives it."""
    for rank in range(2):
        report = runner.shim(Job("evaluating.py", ("ring",))).report(rank)
        assert report.table("module", "phase", "kind", kind=("send", "recv")) == {
            ("Global", "other", kind): 8 for kind in ("send", "recv")
        }


def test_stages_greet_each_other(runner: Runner) -> None:
    """Before the first step each stage sends its neighbour a number, to open the connection."""
    report = runner.shim(JOBS["pipeline"]).report()
    assert report.table("kind", "dtype", dtype="int32") == {("send", "int32"): 1, ("recv", "int32"): 1}
    assert report.table("kind", "dtype", field="bytes", dtype="int32") == {("send", "int32"): 4, ("recv", "int32"): 4}


def test_inferred_shapes_travel_as_objects(runner: Runner) -> None:
    """Stage 0 sends its outputs' shapes, stage 1 the gradients': each a length, then as many bytes."""
    reports = [runner.shim(JOBS["pipeline_infer_shapes"]).report(rank) for rank in range(2)]
    for report in reports:
        assert report.table("kind", "label", dtype=("int64", "uint8")) == {
            ("send", "send_object_list"): 2,
            ("recv", "recv_object_list"): 2,
        }
    for sender, receiver in (reports, reversed(reports)):
        assert sender.total("bytes", kind="send", dtype="uint8") == receiver.total("bytes", kind="recv", dtype="uint8")


def test_calls_count_micro_batches(runner: Runner) -> None:
    """A stage's module is called once per micro-batch."""
    calls = runner.shim(JOBS["pipeline"]).report().module("MLPModule.net1")["calls"]
    assert calls["forward"] >= STEPS * MICRO_BATCHES
