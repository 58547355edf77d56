# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""A second preloaded library that wraps NCCL, before and after the shim, as NVIDIA's contrib/nccl_checkpoint does."""

import dataclasses
from pathlib import Path

import pytest
from harness import BUILD, Job, Run, Runner

from report import Report

NCCL_JOB = Job("nccl", ranks=2)
#: A library that no NCCL's functions are found behind: NCCL is in no global scope, and RCCL has another name.
RCCL_JOB = Job("rccl", ranks=2)


def interposer(name: str) -> str:
    return str(BUILD / "tests" / "nccl" / f"lib{name}.so")


LINKED, ALONE = interposer("nccl-interposer"), interposer("nccl-interposer-alone")


def counts(report: Report) -> tuple[object, ...]:
    """Returns everything that a report says about NCCL and the collectives."""
    return report.nccl, report.collectives, [(entry["reason"], entry["count"]) for entry in report.not_seen]


def said_by_interposer(run: Run) -> int:
    """Returns how many calls passed the other library in rank 0."""
    [line] = [line for line in run.outcomes[0].stderr.decode().splitlines() if line.startswith("interposer: ")]
    return int(line.split()[1])


def with_interposer(job: Job, order: str, library: str) -> Job:
    assert Path(library).is_file()
    return dataclasses.replace(job, **{order: (library,)})


@pytest.mark.parametrize("order", ["before", "after"])
def test_two_interposers_chain(runner: Runner, order: str) -> None:
    """Every call passes both, once; the counts are those without the other library, and so is what the job finds."""
    plain = runner.shim(NCCL_JOB)
    bare, run = runner.pair(with_interposer(NCCL_JOB, order, LINKED))
    assert run.ended_as_meant(), run.outcomes
    assert [outcome.stdout for outcome in run.outcomes] == [outcome.stdout for outcome in bare.outcomes]
    for rank in (0, 1):
        assert counts(run.report(rank)) == counts(plain.report(rank))
        assert b"interposer: " in run.outcomes[rank].stderr


def test_the_shim_asks_along_the_chain(runner: Runner) -> None:
    """In front of the other library the shim has that one's communicators, and asks it for their size."""
    jobs = {order: with_interposer(NCCL_JOB, order, LINKED) for order in ("before", "after")}
    bare = said_by_interposer(runner.bare(jobs["before"]))
    assert said_by_interposer(runner.shim(jobs["before"])) == bare
    assert said_by_interposer(runner.shim(jobs["after"])) > bare


def test_a_library_in_front_of_the_shim_is_not_taken_for_nccl(runner: Runner) -> None:
    """The search for the real function does not come back to a library that the call has passed already."""
    run = runner.shim(with_interposer(RCCL_JOB, "before", ALONE))
    plain = runner.shim(RCCL_JOB)
    assert run.ended_as_meant(), run.outcomes
    assert [outcome.stdout for outcome in run.outcomes] == [outcome.stdout for outcome in plain.outcomes]
    for rank in (0, 1):
        assert counts(run.report(rank)) == counts(plain.report(rank))
