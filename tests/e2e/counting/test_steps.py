# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Steps, the last collectives and sizes equal those in the text of tests/jobs/steps.py."""

import subprocess

import pytest
from harness import COMMAND, PACKAGE, Job, Runner

from report import Report

#: The values in tests/jobs/steps.py.
STEPS, MICRO_BATCHES = 5, 3

JOB = Job("steps.py")
MARKS = Job("steps.py", ("--mark",), variables=(("PYTHONPATH", str(PACKAGE)),))

#: The values in tests/jobs/optimizers.py, and the elements of its model by module.
OWN_STEPS, OWN_MICRO_BATCHES = 3, 2
ELEMENTS = {"MLPModule.net1": 10 * 16 + 16, "MLPModule.net2": 16 * 10 + 10}
FLOAT = 4

#: The value in tests/jobs/closure_steps.py.
CLOSURE_STEPS = 4

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


def test_the_report_says_what_ended_its_steps(runner: Runner) -> None:
    ended_by = {JOB: "optimizer", MARKS: "mark", COMPILED: "zero_grad", EVALUATION: "forward"}
    for job, sign in ended_by.items():
        run = runner.shim(job)
        assert [report.job["steps_from"] for report in run.reports] == [sign] * 2


def test_the_only_step_names_the_optimizer_that_stepped(runner: Runner) -> None:
    """The job ends before a forward could end its step; the words must not say that no optimizer stepped."""
    run = runner.shim(Job("one_step.py"))
    for report in run.reports:
        assert [step["forward_passes"] for step in report.steps] == [1]
        assert report.job["steps_from"] == "optimizer"
        assert report.total("count", phase="optimizer") == 1
    shown = subprocess.run(
        [COMMAND, "show", run.output_folder, "--steps"], capture_output=True, text=True, check=True
    ).stdout
    assert "Only one step: no forward has followed to end it\n" in shown
    assert "A step ends with the first forward after an optimizer has stepped\n" in shown


@pytest.mark.parametrize(("optimizer", "forwards"), [("adamw", 1), ("lbfgs", 2), ("sharpness", 2)])
def test_steps_with_a_closure(runner: Runner, optimizer: str, forwards: int) -> None:
    """The closure's forwards and backwards belong to the step that calls it, and set-up ends with the first."""
    for rank in range(2):
        report = runner.shim(Job("closure_steps.py", (optimizer,))).report(rank)
        assert report.job["steps_from"] == "optimizer"
        assert forwards_of(report) == [forwards] * CLOSURE_STEPS
        for step in report.steps:
            reduced = [amount["count"] for amount in step["collectives"] if amount["kind"] == "all_reduce"]
            assert reduced == [forwards]
            assert step["backward_passes"] == step["closure_passes"] == forwards
        assert all("setup" in row for row in report.rows(module="MLPModule", phase="other"))


def optimizer_job(kind: str) -> Job:
    """Returns the job with an optimizer that torch does not know."""
    return Job("optimizers.py", (kind,))


def forwards_of(report: Report) -> list[int]:
    """Returns the forward passes of each step."""
    return [step["forward_passes"] for step in report.steps]


KEYS = ("module", "phase", "kind", "issued_in")
LOSSES = {("Global", "other", "all_reduce", "Global"): OWN_STEPS * FLOAT}
BARRIER = {("Global", "other", "barrier", "Global"): 0}


def test_optimizer_around_a_torch_optimizer(runner: Runner) -> None:
    """The engine sends the model and reduces all gradients, the optimizer sums a norm and gathers the model."""
    model = FLOAT * sum(ELEMENTS.values())
    for rank in range(2):
        report = runner.shim(optimizer_job("sharded")).report(rank)
        assert report.table(*KEYS, field="bytes") == LOSSES | BARRIER | {
            ("MLPModule", "other", "broadcast", "MLPModule"): model,
            ("MLPModule", "backward", "all_reduce", "MLPModule"): OWN_STEPS * model,
            ("Global", "optimizer", "all_reduce", "Global"): OWN_STEPS * FLOAT,
            ("MLPModule", "optimizer", "all_gather", "Global"): OWN_STEPS * model,
        }
        assert forwards_of(report) == [OWN_MICRO_BATCHES] * OWN_STEPS
        assert not report.not_seen


@pytest.mark.parametrize("kind", ["own", "own_closure"])
def test_optimizer_without_torch(runner: Runner, kind: str) -> None:
    """The loss is reduced in the closure of one of the jobs, which is not the optimizer's work."""
    for rank in range(2):
        report = runner.shim(optimizer_job(kind)).report(rank)
        assert report.table(*KEYS, field="bytes") == LOSSES | BARRIER | {
            (module, "optimizer", "all_reduce", "Global"): OWN_STEPS * FLOAT * elements
            for module, elements in ELEMENTS.items()
        }
        assert forwards_of(report) == [OWN_MICRO_BATCHES] * OWN_STEPS
        assert report.job["steps_from"] == "optimizer"


def test_steps_of_an_optimizer_that_neither_communicates_nor_is_torchs(runner: Runner) -> None:
    report = runner.shim(optimizer_job("quiet")).report()
    assert report.table(*KEYS, field="bytes") == LOSSES | BARRIER
    assert forwards_of(report) == [OWN_MICRO_BATCHES] * OWN_STEPS
    assert report.job["steps_from"] == "parameters"


@pytest.mark.parametrize(("kind", "phase"), [("in_backward", "backward"), ("own_in_backward", "optimizer")])
def test_optimizers_in_the_backward(runner: Runner, kind: str, phase: str) -> None:
    """One job reduces a gradient before the optimizer steps, the other in the step."""
    for rank in range(2):
        report = runner.shim(optimizer_job(kind)).report(rank)
        assert report.table(*KEYS, field="bytes") == LOSSES | BARRIER | {
            (module, phase, "all_reduce", module): OWN_STEPS * FLOAT * elements for module, elements in ELEMENTS.items()
        }
        assert forwards_of(report) == [1] * OWN_STEPS
        assert report.job["steps_from"] == "optimizer"


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
