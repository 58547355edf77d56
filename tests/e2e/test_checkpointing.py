# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Activation checkpointing, reentrant and not, by function and by wrapper.

Two MLPs split over two ranks, an input that needs a gradient, two steps: a forward is an all-reduce in each net2, a
backward one in each net1.
"""

import pytest
from catalogue import JOBS
from comm_debug_mode import inclusive_of_oracle, inclusive_of_report
from harness import Runner

EAGER = ["checkpoint", "checkpoint_reentrant", "checkpoint_wrapper"]
OUTPUT_BYTES = 8 * 10 * 4


def expected_table(root: str, reentrant: bool) -> dict[tuple[str, str], int]:
    """(module, phase): count.

    A recomputation that is not reentrant stops as soon as the backward has what it needs, which is before net2's
    all-reduce; a reentrant one runs the whole forward again.
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
    """The wrapper's component is in raw names alone, so that both ways have the same table."""
    root = "MLPStacked" if name == "checkpoint_wrapper" else "CheckpointedStack"
    for rank in range(2):
        report = runner.shim(JOBS[name]).report(rank)
        expected = expected_table(root, reentrant=name == "checkpoint_reentrant")
        assert report.table("module", "phase", kind="all_reduce") == expected
        assert report.table("issued_in", "phase", kind="all_reduce") == expected
        assert report.total("bytes", kind="all_reduce") == sum(expected.values()) * OUTPUT_BYTES


@pytest.mark.parametrize("name", ["checkpoint", "checkpoint_reentrant"])
def test_comm_debug_mode_says_the_same(runner: Runner, name: str) -> None:
    """It takes a recomputation for a part of the backward."""
    for rank in range(2):
        report = runner.shim(JOBS[name]).report(rank)
        assert inclusive_of_report(report) == inclusive_of_oracle(runner.oracle(JOBS[name]), rank)


@pytest.mark.parametrize("name", EAGER)
def test_calls_of_the_recomputation(runner: Runner, name: str) -> None:
    """Every module of a block is entered a second time, if only to be left early."""
    report = runner.shim(JOBS[name]).report()
    root = "MLPStacked" if name == "checkpoint_wrapper" else "CheckpointedStack"
    for module in ("net1", "relu", "net2"):
        assert report.module(f"{root}.layers.1.{module}")["calls"] == {"forward": 2, "recompute": 2}


def test_wrapper_names(runner: Runner) -> None:
    """checkpoint_wrapper's component is removed from the clean name."""
    report = runner.shim(JOBS["checkpoint_wrapper"]).report()
    index = report.raw_names().index("MLPStacked.layers.0._checkpoint_wrapped_module.net2")
    assert report.names()[index] == "MLPStacked.layers.0.net2"


@pytest.mark.parametrize("name", ["checkpoint_compile", "checkpoint_reentrant_compile"])
def test_compiled(runner: Runner, name: str) -> None:
    """The graph of the backward holds the recomputation. Two all-reduces a step forward, two backward; what is
    recomputed besides is the partitioner's choice, at most the forward's two."""
    report = runner.shim(JOBS[name]).report()
    found = report.table("module", "phase", kind="all_reduce")
    assert found["OptimizedModule", "forward"] == 4
    assert 4 <= found["OptimizedModule", "backward"] <= 8
    assert len(found) == 2
