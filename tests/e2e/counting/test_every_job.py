# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""For every job: it is unchanged, and its report is complete, valid and consistent."""

import json
from collections import Counter
from collections.abc import Callable

import pytest
from catalogue import AT_GLOBAL, COMPILED, JOBS, WITH_ORACLE, WITH_REPORTS
from comm_debug_mode import KINDS
from harness import Run, Runner, assert_unchanged

from report import Report, bus_factor

KIND_OF_OP = {
    "_c10d_functional.all_gather_into_tensor": "all_gather",
    "_c10d_functional.all_gather_into_tensor_coalesced": "all_gather",
    "_c10d_functional.all_reduce": "all_reduce",
    "_c10d_functional.all_reduce_": "all_reduce",
    "_c10d_functional.all_reduce_coalesced": "all_reduce",
    "_c10d_functional.all_to_all_single": "all_to_all",
    "_c10d_functional.broadcast": "broadcast",
    "_c10d_functional.reduce_scatter_tensor": "reduce_scatter",
    "_c10d_functional.reduce_scatter_tensor_coalesced": "reduce_scatter",
    "c10d._allgather_base_": "all_gather",
    "c10d._reduce_scatter_base_": "reduce_scatter",
    "c10d.allgather_": "all_gather",
    "c10d.allgather_coalesced_": "all_gather",
    "c10d.allreduce_": "all_reduce",
    "c10d.allreduce_coalesced_": "all_reduce",
    "c10d.alltoall_": "all_to_all",
    "c10d.alltoall_base_": "all_to_all",
    "c10d.barrier": "barrier",
    "c10d.broadcast_": "broadcast",
    "c10d.gather_": "gather",
    "c10d.monitored_barrier_": "barrier",
    "c10d.recv_": "recv",
    "c10d.recv_any_source_": "recv",
    "c10d.reduce_": "reduce",
    "c10d.reduce_scatter_": "reduce_scatter",
    "c10d.scatter_": "scatter",
    "c10d.send": "send",
}

#: Jobs that end otherwise than by exit() or a return from main; untimely ones may leave a ledger.
ENDINGS = {"_exit": "_exit"}
UNTIMELY = ("abort", "terminate")

#: A share of the bytes at Global up to which nothing need be said.
SMALL_SHARE = 0.05

WITHOUT_CONTEXT = ("collectives.py", "pipeline.py", "pipeline_by_hand.py", "pipeline_schedules.py", "reuse.py")
STEPS_IN_CONTEXT = [name for name in WITH_ORACLE if JOBS[name].script not in WITHOUT_CONTEXT]


@pytest.mark.parametrize("name", JOBS)
def test_job_is_unchanged(runner: Runner, name: str) -> None:
    """Losses to the last bit, compile counters, stdout, stderr and exit status are equal with and without the shim."""
    assert_unchanged(*runner.pair(JOBS[name]))


@pytest.mark.parametrize("name", COMPILED)
def test_compiled_jobs_compile(runner: Runner, name: str) -> None:
    """The compared counters are not those of a job that fell back to eager code."""
    counters = json.loads(runner.shim(JOBS[name]).outcomes[0].stdout.splitlines()[-1])
    assert counters["unique_graphs"] > 0
    assert counters["compiled"]


def reported(runner: Runner, name: str) -> Run:
    """Returns a job's run with a report of each rank, which a command may have to make of a ledger."""
    run = runner.shim(JOBS[name])
    if run.ledgers and name in UNTIMELY:
        run.recover()
    return run


@pytest.mark.parametrize("name", WITH_REPORTS)
def test_one_complete_report_a_rank(runner: Runner, name: str) -> None:
    """Each rank has a report that lacks nothing. Reading a report checks it against the schema."""
    job, run = JOBS[name], reported(runner, name)
    assert [report.job["rank"] for report in run.reports] == list(range(job.ranks))
    assert run.ledgers == []
    for rank in range(job.ranks):
        report = run.report(rank)
        assert report.not_seen == []
        assert report.job["world_size"] == job.ranks
        assert report.job["local_rank"] == rank
        assert report.job["attempt"] == 0
        assert report.job["exit"] == ENDINGS.get(name, "normal") or name in UNTIMELY
        assert report.job["argv"][-len(job.arguments) - 1 :][0].endswith(job.script)
        assert report.job["torch"].startswith("2.")
        assert report.job["ended_at"] is None or report.job["ended_at"] > report.job["started_at"]


@pytest.mark.parametrize("name", WITH_REPORTS)
def test_report_is_consistent(runner: Runner, name: str) -> None:
    """Every name in a row is defined, kinds fit their ops, and bus bytes follow from bytes and group size."""
    for report in runner.shim(JOBS[name]).reports:
        names = set(report.names())
        for row in report.collectives:
            assert row["module"] in names
            assert row["issued_in"] in names
            assert row["kind"] == KIND_OF_OP[row["op"]]
            expected = row["bytes"] * bus_factor(row["kind"], report.group_size(row["group"]))
            assert row["bus_bytes"] == pytest.approx(expected, abs=row["count"])
            assert (row["bytes"] == 0) == (row["kind"] == "barrier")
        keys = ["module", "phase", "op", "kind", "group", "dtype", "reduce_op", "async", "issued_in", "label"]
        rows = [(*(row[key] for key in keys), row.get("compiled"), row.get("setup")) for row in report.collectives]
        assert len(set(rows)) == len(rows)
        assert len({group["name"] for group in report.groups}) == len(report.groups)
        assert all(group["ranks"] and len(group["ranks"]) == group["size"] for group in report.groups)
        assert [module["id"] for module in report.modules] == list(range(len(report.modules)))


def share_at_global(reports: list[Report], field: str) -> float:
    """Returns the share of a field's sum over all ranks that is attributed to no module."""
    everything = sum(report.total(field) for report in reports)
    return sum(report.total(field, module="Global") for report in reports) / everything if everything else 0.0


@pytest.mark.parametrize("name", WITH_REPORTS)
def test_share_at_global_is_explained(
    runner: Runner, name: str, record_property: Callable[[str, object], None]
) -> None:
    """The catalogue says why a job has more than a small share of its bytes at Global, and says it of no other job."""
    reports = reported(runner, name).reports
    counts, sizes = (share_at_global(reports, field) for field in ("count", "bytes"))
    record_property("at_global", (name, counts, sizes))
    assert (sizes > SMALL_SHARE) == (name in AT_GLOBAL), f"{sizes:.1%} of the bytes"


@pytest.mark.parametrize("name", WITH_ORACLE)
def test_totals_are_those_of_a_dispatch_mode(runner: Runner, name: str) -> None:
    """Calls and bytes by op and dtype, on every rank, equal a TorchDispatchMode's log of the whole job."""
    job = JOBS[name]
    for rank in range(job.ranks):
        counts: Counter = Counter()
        sizes: Counter = Counter()
        for call in runner.oracle(job).oracles[rank]["ops"]:
            counts[call["op"], call["dtype"]] += 1
            sizes[call["op"], call["dtype"]] += call["bytes"]
        report = runner.shim(job).report(rank)
        assert report.table("op", "dtype") == dict(counts)
        assert report.table("op", "dtype", field="bytes") == dict(sizes)


@pytest.mark.parametrize("name", STEPS_IN_CONTEXT)
def test_totals_are_those_of_comm_debug_mode(runner: Runner, name: str) -> None:
    """Calls by kind, of all steps' forwards and backwards, are equal on every rank."""
    job = JOBS[name]
    for rank in range(job.ranks):
        counts: Counter = Counter()
        for step in runner.oracle(job).oracles[rank]["steps"]:
            for op, count in step["counts"].items():
                counts[KINDS[op]] += count
        report = runner.shim(job).report(rank)
        assert report.table("kind", phase=("forward", "backward", "recompute")) == dict(counts)


@pytest.mark.parametrize("name", WITH_ORACLE)
def test_parameters_are_those_of_the_model(runner: Runner, name: str) -> None:
    """Shapes, dtypes, meshes and placements equal what the job finds with PyTorch's public methods."""
    job = JOBS[name]
    for rank in range(job.ranks):
        known = {(each["module"], each["name"]): each for each in runner.shim(job).report(rank).parameters()}
        for expected in runner.oracle(job).oracles[rank]["parameters"]:
            assert known.get((expected["module"], expected["name"])) == expected
