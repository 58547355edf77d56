# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Ops of other libraries count by their own names, without COMMTAP_OPS, with kind, bytes and what they call."""

from typing import NamedTuple

import pytest
from harness import Job, Runner, assert_unchanged

from report import Report

JOB = Job("library_ops.py")
#: Other patterns only add to the known ops.
WITH_PATTERN = Job("library_ops.py", variables=(("COMMTAP_OPS", "another::*"),))
#: A line with a kind replaces that of the list; a bad line does nothing.
WITH_LINES = Job("library_ops.py", variables=(("COMMTAP_OPS", "vllm::reduce_scatter gather tensor*group\nnonsense"),))
ROWS = 4 * 6  # elements of the tensor
F32, BF16 = 4, 2


class Expected(NamedTuple):
    """The rows of one op, without the group."""

    module: str
    kind: str
    count: int
    bytes: int
    lowered: set[str]
    is_async: bool | None = None


EXPECTED = {
    "vllm.all_reduce": Expected(
        "Layer", "all_reduce", 5, 5 * ROWS * F32, {"c10d.allreduce_", "_C_custom_ar.all_reduce"}
    ),
    "vllm.all_gather": Expected("Layer", "all_gather", 1, 2 * ROWS * F32, {"c10d._allgather_base_"}),
    "vllm.reduce_scatter": Expected("Layer", "reduce_scatter", 1, ROWS * F32, {"c10d._reduce_scatter_base_"}),
    "deepep.dispatch": Expected("Experts", "all_to_all", 1, ROWS * BF16, {"c10d.alltoall_base_"}),
    "deepep.combine": Expected("Experts", "all_to_all", 1, ROWS * BF16, set()),
    "hybridep.combine": Expected("Experts", "all_to_all", 1, ROWS * BF16, set()),
    "sgl_kernel.all_reduce": Expected("Global", "all_reduce", 1, ROWS * F32, set()),
    "sglang.inplace_all_reduce": Expected("Global", "all_reduce", 1, ROWS * F32, {"c10d.allreduce_"}),
    "sglang.reg_all_gather_into_tensor": Expected("Global", "all_gather", 1, 2 * ROWS * F32, {"c10d._allgather_base_"}),
    "torchcomms.torchcomm_all_reduce_": Expected(
        "Global", "all_reduce", 1, ROWS * F32, {"c10d.allreduce_"}, is_async=True
    ),
    "torchcomms.torchcomm_send": Expected("Layer", "send", 1, ROWS * F32, set(), is_async=False),
}


def summary(report: Report, op: str) -> Expected:
    """Returns the rows of an op, added up."""
    rows = report.rows(op=op)
    [(module, kind, is_async)] = {(row["module"], row["kind"], row["async"]) for row in rows}
    lowered = {name for row in rows for name in row["lowered"]}
    return Expected(module, kind, report.total("count", op=op), report.total("bytes", op=op), lowered, is_async)


@pytest.mark.parametrize("job", [JOB, WITH_PATTERN], ids=["known", "with_pattern"])
def test_each_op_counts_once(runner: Runner, job: Job) -> None:
    """Kind, bytes, module and lowered ops are as expected, and the ops beneath do not count on their own."""
    for rank in range(job.ranks):
        report = runner.shim(job).report(rank)
        assert {op: summary(report, op) for op in EXPECTED} == EXPECTED
        assert {row["op"] for row in report.collectives} - EXPECTED.keys() == {"c10d.barrier"}
        assert "unknown_op" not in {entry["reason"] for entry in report.not_seen}


def test_groups_of_vllm_are_learnt(runner: Runner) -> None:
    """The first collective of a group by vLLM's name shows which group it is; those of custom kernels do not."""
    report = runner.shim(JOB).report(0)
    [world] = [group["name"] for group in report.groups]
    assert report.table("group", op="vllm.all_reduce") == {"?": 2, world: 3}
    assert report.table("group", op=("vllm.all_gather", "vllm.reduce_scatter")) == {world: 2}
    assert report.table("group", op=("deepep.dispatch", "sgl_kernel.all_reduce")) == {"?": 2}
    [unknown] = [entry for entry in report.not_seen if entry["reason"] == "unknown_group"]
    assert unknown["count"] == report.total("count", group="?")


def test_a_line_of_the_user_replaces_that_of_the_list(runner: Runner) -> None:
    """It counts with the user's kind and argument; a bad line is said once by each process, and the job goes on."""
    run = runner.shim(WITH_LINES)
    for rank in range(WITH_LINES.ranks):
        found = summary(run.report(rank), "vllm.reduce_scatter")
        assert (found.kind, found.bytes) == ("gather", WITH_LINES.ranks * ROWS * F32)
        assert summary(run.report(rank), "vllm.all_reduce") == EXPECTED["vllm.all_reduce"]
    for outcome in run.outcomes:
        assert outcome.stderr.count(b"COMMTAP_OPS=nonsense is invalid") == 1


def test_the_peer_of_a_send(runner: Runner) -> None:
    """Sends of torchcomms have their peer among the last collectives."""
    [send] = [each for each in runner.shim(JOB).report(0).last if each["op"] == "torchcomms.torchcomm_send"]
    assert send["peer"] == 1


def test_the_job_is_not_changed(runner: Runner) -> None:
    assert_unchanged(*runner.pair(JOB))
