# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""COMMTAP_LEVEL: ops by module and phase equal torch.profiler's counts of the same steps."""

import json
from collections import Counter

import pytest
from harness import Job, Runner

#: The values in tests/jobs/level.py: the profiled steps, and one step before them.
PROFILED_STEPS = 3
STEPS = PROFILED_STEPS + 1
#: The ops of a linear layer and a ReLU, forward and backward, which only the steps call.
OPS = ("aten.linear", "aten.addmm", "aten.mm", "aten.relu", "aten.threshold_backward")


USUAL = Job("level.py")


def job(level: str) -> Job:
    return Job("level.py", variables=(("COMMTAP_LEVEL", level),))


def test_all_ops_are_those_of_the_profiler(runner: Runner) -> None:
    run = runner.shim(job("ops"))
    seen = json.loads(run.outcomes[0].stdout.decode().splitlines()[-1])
    counted: Counter[str] = Counter()
    for row in run.report().operations:
        counted[row["op"]] += row["count"]
    profiled = {op: seen.get(op.replace(".", "::", 1), 0) for op in OPS}
    assert {op: counted[op] for op in OPS} == {op: profiled[op] * STEPS / PROFILED_STEPS for op in OPS}
    assert counted["aten.linear"] > 0


@pytest.mark.parametrize("level", ["ops", "dtensor"])
def test_an_op_on_dtensors_is_in_its_module(runner: Runner, level: str) -> None:
    """Each linear layer is called once per step with DTensor weights; the ReLU between them gets plain tensors."""
    rows = {
        (row["module"], row["phase"], row["op"]): row["count"]
        for row in runner.shim(job(level)).report().operations
        if row["dtensor"]
    }
    for layer in ("MLPModule.net1", "MLPModule.net2"):
        assert rows[layer, "forward", "aten.linear"] == STEPS
    assert not [module for module, _, _ in rows if module == "MLPModule.relu"]


def test_only_dtensors_when_only_they_are_asked_for(runner: Runner) -> None:
    assert all(row["dtensor"] for row in runner.shim(job("dtensor")).report().operations)


def test_collectives_are_the_same_at_every_level(runner: Runner) -> None:
    """Collectives are equal at every level, and ops are counted only on request."""
    usual = runner.shim(USUAL).report()
    assert usual.operations is None
    for level in ("dtensor", "ops"):
        assert runner.shim(job(level)).report().collectives == usual.collectives
