# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Process groups over NCCL that split, share their ranks, or come and go by the hundred."""

from collections import Counter

import pytest
from harness import Job, Run, Runner

QUORUMS = 300
BYTES = 8 * 4
COUNTS = {"0": 6, "split": 2, "one": 3, "other": 4, "quorum": QUORUMS} | {f"quorum_{i}": 1 for i in range(QUORUMS)}


@pytest.fixture
def run(runner: Runner) -> Run:
    return runner.shim(Job("nccl_groups", ranks=2))


def test_each_group_is_counted_under_its_name(run: Run, runner: Runner) -> None:
    """Two groups of the same ranks have rows of their own; so does each group that takes an address that is free."""
    assert [outcome.stdout for outcome in run.outcomes] == [outcome.stdout for outcome in runner.bare(run.job).outcomes]
    for rank in (0, 1):
        report = run.report(rank)
        counted: Counter[str] = Counter()
        for row in report.collectives:
            counted[row["group"]] += row["count"]
            assert row["bytes"] == row["count"] * BYTES
        assert counted == COUNTS
        assert sum(COUNTS.values()) == int(run.outcomes[rank].stdout)
        assert report.not_seen == []


def test_groups_have_their_ranks_and_descriptions(run: Run) -> None:
    described = {group["name"]: (group["desc"], group["size"]) for group in run.report(1).groups}
    expected = {
        "0": ("default_pg", 2),
        "split": ("tp", 1),
        "one": ("dp", 2),
        "other": ("dp", 2),
        "quorum": ("quorum", 2),
    }
    assert described == expected | {f"quorum_{i}": ("quorum", 2) for i in range(QUORUMS)}


def test_each_communicator_belongs_to_its_group(run: Run) -> None:
    """Communicators at one address, one after the other, are distinguished; each has the calls of its own group."""
    for rank in (0, 1):
        report = run.report(rank)
        assert report.nccl is not None
        communicators = report.nccl["communicators"]
        groups = Counter(communicator["group"] for communicator in communicators)
        expected = {"0": 1, "split": 1, "one": 1, "other": 1, "quorum": QUORUMS}
        assert groups == expected | {f"quorum_{i}": 1 for i in range(QUORUMS)}
        sizes = {communicator["group"]: communicator["size"] for communicator in communicators}
        assert sizes == {name: 1 if name == "split" else 2 for name in COUNTS}
        calls: Counter[str] = Counter()
        for row in report.nccl["calls"]:
            if row["function"] == "ncclAllReduce":
                assert communicators[row["communicator"]]["group"] == row["group"]
                calls[row["group"]] += row["count"]
        assert calls == COUNTS
