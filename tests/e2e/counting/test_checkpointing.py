# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Activation checkpointing, reentrant and not, by function and by wrapper.

The model has two MLPs split over two ranks; its input needs a gradient, and it runs two steps. A forward makes one
all-reduce in each net2, a backward one in each net1.
"""

import pytest
from catalogue import JOBS
from comm_debug_mode import inclusive_of_oracle, inclusive_of_report
from harness import Runner

EAGER = ["checkpoint", "checkpoint_reentrant", "checkpoint_wrapper"]
OUTPUT_BYTES = 8 * 10 * 4


def expected_table(root: str, reentrant: bool) -> dict[tuple[str, str], int]:
    """Returns {(module, phase): count}.

    A non-reentrant recomputation stops once backward has what it needs, which is before net2's all-reduce. A
    reentrant recomputation runs the whole forward.
    """
    table = {}
    for layer in range(2):
        table[f"{root}.layers.{layer}.net2", "forward"] = 2
        table[f"{root}.layers.{layer}.net1", "backward"] = 2
        if reentrant:
            table[f"{root}.layers.{layer}.net2", "recompute"] = 2
    return table


@pytest.mark.parametrize("name", EAGER)
def test_modules_and_phases(runner: Runner, name: str) -> None:
    """Only raw names have the wrapper's component, so both ways have the same table."""
    root = "MLPStacked" if name == "checkpoint_wrapper" else "CheckpointedStack"
    for rank in range(2):
        report = runner.shim(JOBS[name]).report(rank)
        expected = expected_table(root, reentrant=name == "checkpoint_reentrant")
        assert report.table("module", "phase", kind="all_reduce") == expected
        assert report.table("issued_in", "phase", kind="all_reduce") == expected
        assert report.total("bytes", kind="all_reduce") == sum(expected.values()) * OUTPUT_BYTES


@pytest.mark.parametrize("name", ["checkpoint", "checkpoint_reentrant"])
def test_comm_debug_mode_says_the_same(runner: Runner, name: str) -> None:
    """CommDebugMode counts a recomputation as part of backward."""
    for rank in range(2):
        report = runner.shim(JOBS[name]).report(rank)
        assert inclusive_of_report(report) == inclusive_of_oracle(runner.oracle(JOBS[name]), rank)


@pytest.mark.parametrize("name", EAGER)
def test_calls_of_the_recomputation(runner: Runner, name: str) -> None:
    """The recomputation enters every module of a block again, even if it stops early."""
    report = runner.shim(JOBS[name]).report()
    root = "MLPStacked" if name == "checkpoint_wrapper" else "CheckpointedStack"
    for module in ("net1", "relu", "net2"):
        assert report.module(f"{root}.layers.1.{module}")["calls"] == {"forward": 2, "recompute": 2}


def test_wrapper_names(runner: Runner) -> None:
    """The clean name lacks checkpoint_wrapper's component."""
    report = runner.shim(JOBS["checkpoint_wrapper"]).report()
    index = report.raw_names().index("MLPStacked.layers.0._checkpoint_wrapped_module.net2")
    assert report.names()[index] == "MLPStacked.layers.0.net2"


@pytest.mark.parametrize("name", ["checkpoint_compile", "checkpoint_reentrant_compile"])
def test_compiled(runner: Runner, name: str) -> None:
    """The backward's graph contains the recomputation, which is distinguished from the backward itself.

    Each step makes two all-reduces in forward and two in backward. The partitioner may recompute up to two more.
    """
    report = runner.shim(JOBS[name]).report()
    found = report.table("module", "phase", kind="all_reduce")
    repeated = {key: found.pop(key) for key in list(found) if key[1] == "recompute"}
    assert found == {
        (f"CheckpointedStack.layers.{layer}.{net}", phase): 2
        for layer in range(2)
        for net, phase in (("net2", "forward"), ("net1", "backward"))
    }
    assert repeated.keys() <= {(f"CheckpointedStack.layers.{layer}.net2", "recompute") for layer in range(2)}
    assert all(count == 2 for count in repeated.values())
