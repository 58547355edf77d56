# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Steps, the last collectives and sizes equal those in the text of tests/jobs/steps.py."""

import pytest
from harness import Job, Runner

from report import REPOSITORY

#: The values in tests/jobs/steps.py.
STEPS, MICRO_BATCHES = 5, 3

JOB = Job("steps.py")
MARKS = Job("steps.py", ("--mark",), variables=(("PYTHONPATH", str(REPOSITORY / "tracker" / "python")),))

#: A compiled step has no label of the optimizer.
COMPILED = Job("steps.py", ("--compile-step",))
EVALUATION = Job("steps.py", ("--evaluate",))


def test_steps_end_with_the_optimizers(runner: Runner) -> None:
    """Two optimizers in a row end one step. The evaluation is the step still open at the end."""
    *steps, last = runner.shim(JOB).report().steps
    assert [step["first_step"] for step in steps] == list(range(STEPS))
    for step in steps:
        assert step["steps"] == 1
        assert step["forward_passes"] == MICRO_BATCHES
        assert step["backward_passes"] == MICRO_BATCHES
        assert step["started_at"] < step["ended_at"]
        reduced = [amount for amount in step["collectives"] if amount["kind"] == "all_reduce"]
        assert [amount["count"] for amount in reduced] == [1], "DDP reduces one bucket, in the last micro-batch"
    assert last["first_step"] == STEPS
    assert last["ended_at"] is None
    assert last["forward_passes"] == 1
    assert {amount["kind"]: amount["count"] for amount in last["collectives"]}["all_reduce"] == 1


def test_steps_that_the_job_marks(runner: Runner) -> None:
    """The optimizers end two steps before the first mark; then each mark ends a step of two."""
    passes = [step["forward_passes"] for step in runner.shim(MARKS).report().steps]
    assert passes == [MICRO_BATCHES, MICRO_BATCHES, 2 * MICRO_BATCHES, MICRO_BATCHES + 1]


def test_steps_of_compiled_optimizers_end_with_zero_grad(runner: Runner) -> None:
    """The evaluation is the step still open at the end, as for optimizers that are not compiled."""
    steps = runner.shim(COMPILED).report().steps
    assert [step["forward_passes"] for step in steps] == [MICRO_BATCHES] * STEPS + [1]


def test_evaluation_has_a_step_for_each_forward(runner: Runner) -> None:
    steps = runner.shim(EVALUATION).report().steps
    assert [step["forward_passes"] for step in steps] == [1] * STEPS
    for step in steps[1:-1]:
        assert [(amount["kind"], amount["count"]) for amount in step["collectives"]] == [("all_reduce", 1)]


def test_all_that_is_counted_is_in_a_step(runner: Runner) -> None:
    report = runner.shim(JOB).report()
    in_steps = sum(amount["count"] for step in report.steps for amount in step["collectives"])
    assert in_steps == sum(row["count"] for row in report.collectives)
    payload = sum(amount["bytes"] for step in report.steps for amount in step["collectives"])
    assert payload == sum(row["bytes"] for row in report.collectives)


@pytest.mark.parametrize("rank", [0, 1])
def test_the_last_collectives(runner: Runner, rank: int) -> None:
    """All collectives of this short job are there: in order, numbered, with the rows' counts and sizes."""
    report = runner.shim(JOB).report(rank)
    numbers = [last["number"] for last in report.last]
    assert numbers == list(range(1, len(numbers) + 1))
    assert [last["sequence"] for last in report.last] == numbers, "one group, and no send"
    assert len(numbers) == sum(row["count"] for row in report.collectives) == report.groups[0]["collectives"]
    assert all(last["state"] == "returned" for last in report.last)
    assert [last["issued_at"] for last in report.last] == sorted(last["issued_at"] for last in report.last)
    for row in report.collectives:
        mine = [
            last for last in report.last if all(last[key] == row[key] for key in ("module", "phase", "op", "dtype"))
        ]
        assert sum(last["bytes"] for last in mine) == row["bytes"]
        sizes: dict[str, int] = {}
        for last in mine:
            start = str(1 << last["bytes"].bit_length() - 1 if last["bytes"] else 0)
            sizes[start] = sizes.get(start, 0) + 1
        assert row["sizes"] == sizes


def test_ranks_agree_on_sequence_numbers(runner: Runner) -> None:
    run = runner.shim(JOB)
    first, second = (
        [(last["group"], last["sequence"], last["kind"], last["bytes"]) for last in run.report(rank).last]
        for rank in (0, 1)
    )
    assert first == second


def test_peers_of_sends_and_receives(runner: Runner) -> None:
    """In a pipeline each message has its peer, and is numbered separately from collectives."""
    run = runner.shim(Job("pipeline.py"))
    for rank in (0, 1):
        report = run.report(rank)
        sent = [last for last in report.last if last["kind"] in ("send", "recv")]
        assert sent
        assert {last["peer"] for last in sent} == {1 - rank}
        assert sum(group["point_to_point"] for group in report.groups) == sum(
            row["count"] for row in report.collectives if row["kind"] in ("send", "recv")
        )
