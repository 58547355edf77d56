# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""CUDA graphs and device times, with fakes of CUDA that know their work and record the launches."""

import subprocess

import pytest
from harness import COMMAND, Job, Mode, Run, Runner

from report import Report

GRAPHS = Job("cuda", ("graphs",), ranks=2)
TIMES = Job("cuda", ("times",), ranks=2)
#: One launch of the layers' graph: 3 all_reduces of 8, 8 and 1024 floats, and an all_to_all of 8.
REDUCED_BYTES = 4 * (8 + 8 + 1024)
EXCHANGED_BYTES = 4 * 8
#: The runs of that graph: alone (5, 2 and 1), in a graph that launches it (2), in that graph's updated copy (1), in a
#: graph that has it as a child (1), and as a copy (3).
RUNS = 5 + 2 + 1 + (2 + 1) + 1 + 3

Row = dict[str, object]


def timed(what: str, timing: str) -> Job:
    return Job("cuda", (what,), ranks=2, variables=(("COMMTAP_TIMING", timing),))


@pytest.fixture
def run(runner: Runner) -> Run:
    return runner.shim(GRAPHS)


def amounts(rows: list[Row]) -> tuple[int, int]:
    """Returns the rows' total (count, bytes)."""
    return sum(row["count"] for row in rows), sum(row["bytes"] for row in rows)


def rows(report: Report, module: str, op: str) -> list[Row]:
    return [row for row in report.collectives if row["module"] == module and row["op"] == op]


def calls(report: Report, function: str, **where: object) -> list[Row]:
    assert report.nccl is not None
    found = [row for row in report.nccl["calls"] if row["function"] == function]
    return [row for row in found if all(row[name] == value for name, value in where.items())]


def test_a_collective_counts_when_its_graph_is_launched(run: Run) -> None:
    """Every launch counts, the capture does not, and a failed capture never counts."""
    for rank in (0, 1):
        report = run.report(rank)
        assert amounts(rows(report, "Layer", "c10d.allreduce_")) == (3 * RUNS, REDUCED_BYTES * RUNS)
        assert amounts(rows(report, "Layer", "c10d.alltoall_base_")) == (RUNS, EXCHANGED_BYTES * RUNS)
        at_once, in_outer, in_parent, of_other_runtime = (2, 4 * 4), (3, 4 * 32), (1, 4 * 64), (10, 4 * 128)
        beside = (at_once, in_outer, in_parent, of_other_runtime)
        assert amounts(rows(report, "Global", "c10d.allreduce_")) == (
            sum(count for count, _ in beside),
            sum(count * size for count, size in beside),
        )
        assert report.not_seen == []


def test_sizes_and_steps_of_launches(run: Run) -> None:
    """A launch counts as eager calls do: in their size classes and in the running step."""
    report = run.report()
    [row] = rows(report, "Layer", "c10d.allreduce_")
    assert row["sizes"] == {"32": 2 * RUNS, "4096": RUNS}
    reduced = [
        sum(amount["count"] for amount in step["collectives"] if amount["kind"] == "all_reduce")
        for step in report.steps
    ]
    assert reduced[:2] == [2 + 3 * 5, 3 * 2]
    assert sum(reduced) == 16 + 3 * RUNS


def test_calls_to_nccl_count_with_launches(run: Run) -> None:
    """Captured calls are reported separately; group calls run only at capture."""
    report = run.report(1)
    [reduce] = calls(report, "ncclAllReduce", module="Layer")
    assert (reduce["count"], reduce["bytes"], reduce["captured"]) == (3 * RUNS, REDUCED_BYTES * RUNS, 3)
    [gather] = calls(report, "ncclAllGather")
    assert (gather["count"], gather["bytes"], gather["captured"]) == (2 * RUNS, 2 * (2 * 4 * 2) * RUNS, 2)
    [send] = calls(report, "ncclSend")
    assert (send["count"], send["captured"], send["in_group"]) == (2 * RUNS, 2, True)
    [start] = calls(report, "ncclGroupStart")
    assert (start["count"], start["captured"]) == (1, 0)


def test_graphs(run: Run) -> None:
    """The report lists the collectives of each launch."""
    graphs = run.report().cuda_graphs
    layers = graphs[0]
    assert layers["launches"] == 5 + 2 + 1 + 3
    assert {(row["op"], row["count"], row["bytes"], row["module"]) for row in layers["collectives"]} == {
        ("c10d.allreduce_", 3, REDUCED_BYTES, "Layer"),
        ("c10d.alltoall_base_", 1, EXCHANGED_BYTES, "Layer"),
    }
    assert {(row["function"], row["count"]) for row in layers["nccl_calls"]} == {
        ("ncclAllReduce", 3),
        ("ncclSend", 2),
        ("ncclRecv", 2),
        ("ncclAllGather", 2),
    }
    per_launch = [(graph["launches"], sum(row["count"] for row in graph["collectives"])) for graph in graphs[1:]]
    assert per_launch == [(2 + 1, 5), (0, 1), (1, 5), (10, 1)]


def test_show(run: Run) -> None:
    """A graph that several ranks have is one row."""
    done = subprocess.run(
        [COMMAND, "show", "--nccl", run.output_folder], capture_output=True, text=True, check=True, timeout=60
    )
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert "11 2 4 4.09 KiB 9 4.16 KiB Layer" in lines


@pytest.mark.parametrize("job", [GRAPHS, TIMES, timed("times", "device"), timed("graphs", "device")], ids=str)
def test_the_job_is_not_changed(runner: Runner, job: Job) -> None:
    """Only a runtime's own callers call it, and commtap makes no CUDA call that would break a capture."""
    bare, run = runner.bare(job), runner.start(job, Mode.SHIM).wait()
    assert [outcome.stdout for outcome in bare.outcomes] == [outcome.stdout for outcome in run.outcomes]
    said = run.outcomes[0].stdout.decode().splitlines()
    assert said[-1] == "forbidden 0"
    if "graphs" in job.arguments:
        assert said[0] == f"launches {5 + 2 + 1 + 1 + 2 + 1 + 3 + 1} 10"


def test_times_are_of_the_stream(runner: Runner) -> None:
    """Times are between events before and after a call or group; calls replayed by graphs have none."""
    run = runner.shim(timed("times", "device"))
    for rank in (0, 1):
        report = run.report(rank)
        assert report.job["timing"] == "device"
        [reduce] = rows(report, "Layer", "c10d.allreduce_")
        running = reduce["time"]["running_ns"]
        assert (running["count"], running["min"], running["max"]) == (4, 100_000, 2_000_000)
        assert running["sum"] == 100_000 + 300_000 + 2 * 2_000_000
        assert reduce["time"]["timed_bytes"] == reduce["bytes"] == 4 * (100 + 300 + 2 * 1000)
        assert "queued_ns" not in reduce["time"]
        assert "exposed_ns" not in reduce["time"]
        [exchange] = rows(report, "Layer", "c10d.alltoall_base_")
        assert exchange["time"]["running_ns"]["sum"] == 80_000
        [beside] = rows(report, "Global", "c10d.allreduce_")
        assert (beside["count"], beside["time"]["running_ns"]["count"]) == (5, 1)
        assert beside["time"]["running_ns"]["sum"] == 200_000
        assert report.not_seen == []
        states = [entry["state"] for entry in report.last]
        assert states == ["completed"] * 5 + ["returned", "completed"]


def test_a_sample(runner: Runner) -> None:
    """Every second step is timed; the collectives of the others are not reported as missing."""
    report = runner.shim(timed("times", "sample:2")).report()
    [reduce] = rows(report, "Layer", "c10d.allreduce_")
    assert (reduce["count"], reduce["time"]["running_ns"]["count"]) == (4, 3)
    assert reduce["time"]["running_ns"]["sum"] == 100_000 + 2 * 2_000_000
    assert report.not_seen == []


def test_what_computation_does_not_hide_is_exposed(runner: Runner) -> None:
    """A stream that computes waits for an event of the collective's stream, by either runtime."""
    report = runner.shim(timed("waits", "device")).report()
    [reduce] = rows(report, "Layer", "c10d.allreduce_")
    exposed = reduce["time"]["exposed_ns"]
    assert (exposed["count"], exposed["min"], exposed["max"]) == (2, 250_000, 250_000)
    assert reduce["time"]["running_ns"]["sum"] == 2 * 400_000
    assert report.not_seen == []


def test_what_is_not_over_at_the_end_is_untimed(runner: Runner) -> None:
    """The process waits 0.1 s at its end for open collectives and reports them as untimed."""
    report = runner.shim(timed("hangs", "device")).report()
    assert [(entry["reason"], entry["count"]) for entry in report.not_seen] == [("untimed", 1)]
    assert report.last[-1]["state"] == "returned"


def test_no_times_of_a_gpu_by_the_clock_of_the_host(runner: Runner) -> None:
    """Times are absent, and the report says so."""
    report = runner.shim(timed("times", "host")).report()
    assert all("time" not in row for row in report.collectives)
    assert [(entry["reason"], entry["count"]) for entry in report.not_seen] == [("untimed", 6)]
