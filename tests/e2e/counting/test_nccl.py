# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""NCCL calls, from c10d and from other code, compared with the counts of a stub of NCCL."""

import importlib.metadata
import mmap
import re
import subprocess

import pytest
from harness import BUILD, COMMAND, LIBRARY, Job, Mode, Run, Runner

from report import Report

JOB = Job("nccl", ranks=2)
#: These calls in a library of AMD's name, and those that only AMD's has.
RCCL_JOB = Job("rccl", ranks=2)
#: Calls through dlsym() on the library's handle, which bypass the shim.
BY_HANDLE = {"ncclAllReduce": 1}
#: NCCL's ncclBcast calls this function: it must count as one call, not two.
BENEATH_ANOTHER = ("ncclBroadcast",)

Call = dict[str, object]


@pytest.fixture(params=[JOB, RCCL_JOB], ids=["nccl", "rccl"])
def run(runner: Runner, request: pytest.FixtureRequest) -> Run:
    return runner.shim(request.param)


def calls(report: Report, **where: object) -> list[Call]:
    assert report.nccl is not None
    return [row for row in report.nccl["calls"] if all(row[name] == value for name, value in where.items())]


def amounts(rows: list[Call]) -> dict[str, tuple[object, object, object]]:
    """Returns (count, failed, bytes) by function."""
    found = {str(row["function"]): (row["count"], row["failed"], row["bytes"]) for row in rows}
    assert len(found) == len(rows), rows
    return found


def test_every_call_is_counted_once(run: Run) -> None:
    """Every call counts once, failed ones too; NCCL's internal calls do not count."""
    for rank in (0, 1):
        said = dict(line.split() for line in run.outcomes[rank].stdout.decode().splitlines())
        counted = dict.fromkeys(said, 0)
        for row in calls(run.report(rank)):
            counted[row["function"]] += row["count"]
        for function, count in said.items():
            wanted = 0 if function in BENEATH_ANOTHER else int(count) - BY_HANDLE.get(function, 0)
            assert counted[function] == wanted, function


def test_the_job_is_not_changed(run: Run, runner: Runner) -> None:
    """NCCL gets the same calls, and the job gets the same results."""
    bare = runner.bare(run.job)
    assert [outcome.stdout for outcome in bare.outcomes] == [outcome.stdout for outcome in run.outcomes]


def test_calls_belong_to_the_collective_that_makes_them(run: Run) -> None:
    """A call has its collective's op, group, module and phase, and nccl-tests' payload."""
    for rank in (0, 1):
        report = run.report(rank)
        place = {"module": "Layer", "group": "0", "phase": "forward", "communicator": 0}
        assert amounts(calls(report, op="c10d.allreduce_", in_group=False, **place)) == {"ncclAllReduce": (3, 0, 96)}
        assert amounts(calls(report, op="c10d.broadcast_", in_group=False, **place)) == {"ncclBcast": (1, 0, 32)}
        in_group = calls(report, op="c10d.alltoall_base_", in_group=True)
        assert amounts(in_group) == {
            "ncclGroupStart": (1, 0, 0),
            "ncclSend": (2, 0, 32),
            "ncclRecv": (2, 0, 32),
            "ncclGroupEnd": (1, 0, 0),
        }
        assert {row["dtype"] for row in in_group} == {"float32", None}


def test_calls_beside_c10d_belong_to_the_module(run: Run) -> None:
    """For all_gather and reduce_scatter the whole buffer counts; a failed call has no bytes."""
    report = run.report(1)
    beside = calls(report, module="Engine", op=None, group=None)
    assert amounts(beside) == {
        "ncclAllGather": (1, 0, 2 * 4 * 2),
        "ncclReduceScatter": (1, 0, 2 * 8 * 2),
        "ncclAllReduce": (1, 1, 0),
    }
    assert {row["dtype"] for row in beside} == {"float32", "int64"}


def test_communicators(run: Run) -> None:
    """Size and rank come from NCCL. A communicator that is not ready is queried again; addresses may be reused."""
    report = run.report(1)
    assert report.nccl is not None
    assert report.nccl["version"] == "2.29.7"
    assert report.nccl["communicators"] == [
        {"size": 2, "rank": 1, "group": "0"},
        {"size": 4, "rank": 1, "group": None},
        {"size": 1, "rank": 0, "group": None},
        {"size": 1, "rank": 0, "group": None},
    ]
    gathers = {row["communicator"]: row["bytes"] for row in calls(report, module="Global", function="ncclAllGather")}
    assert gathers == {1: 4 + 4 + 4 * 4, 2: 4, 3: 4}
    assert [(row["reason"], row["count"]) for row in report.not_seen] == [("unknown_communicator", 2)]


def test_calls_that_only_rccl_has(runner: Runner) -> None:
    """They have the payload of NCCL's functions of the same kind; of an uneven all_to_all, what this rank sends."""
    assert amounts(calls(runner.shim(RCCL_JOB).report(1), module="Rccl")) == {
        "ncclAllReduceWithBias": (1, 0, 3 * 4),
        "ncclAllToAll": (1, 0, 2 * 4 * 4),
        "ncclAllToAllv": (1, 0, (1 + 2) * 4),
    }


def test_show(run: Run) -> None:
    """`show` prints each collective next to its NCCL calls."""
    done = subprocess.run(
        [COMMAND, "show", "--nccl", run.output_folder], capture_output=True, text=True, check=True, timeout=60
    )
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert "NCCL 2.29.7: 8 communicators in 2 processes" in lines
    assert "c10d.allreduce_ default_pg 6 192 B ncclAllReduce 6 192 B" in lines
    assert "Engine ncclAllReduce 2 2 0 B" in lines


def test_the_library_of_the_wheel(runner: Runner) -> None:
    """The wheel's NCCL without a GPU: its version, the calls that succeed and those that fail."""
    job = Job("real_nccl.py", (str(BUILD / "tests" / "nccl" / "libnccl-user.so"),), ranks=1)
    bare, run = runner.bare(job), runner.shim(job)
    assert bare.outcomes[0].stdout == run.outcomes[0].stdout
    version, *results = [line.split() for line in run.outcomes[0].stdout.decode().splitlines()]
    assert version[1] == importlib.metadata.version("nvidia-nccl-cu13")
    report = run.report(0)
    assert report.nccl is not None
    assert report.nccl["version"] == version[1]
    counted = amounts(calls(report))
    assert counted == {function: (1, int(result != "0"), 0) for function, result in results}
    assert [result for _, result in results] == ["0", "0", "4", "1"]  # 4: invalid argument; 1: CUDA error


def test_the_library_of_the_wheel_finds_a_plugin() -> None:
    """NCCL looks for the newest plugin version first, and commtap's plugin has that version."""
    [library] = [
        path.locate() for path in importlib.metadata.files("nvidia-nccl-cu13") or () if path.name == "libnccl.so.2"
    ]
    with open(library, "rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as text:
        asked = {int(number) for number in re.findall(rb"ncclProfiler_v(\d+)", text)}
    symbols = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], capture_output=True, text=True, check=True).stdout
    ours = {int(number) for number in re.findall(r"ncclProfiler_v(\d+)", symbols)}
    assert ours == {4, 5, 6, 7}
    assert max(asked) in ours


@pytest.mark.parametrize("version", [4, 5, 6, 7])
def test_plugin(runner: Runner, version: int) -> None:
    """Calls that bypass the shim are counted once through NCCL's profiler plugin; other events are ignored."""
    run = runner.start(Job("nccl", (str(version),), ranks=2), Mode.SHIM).wait()
    assert run.ended_as_meant()
    asked = 1 << 1 | 1 << 2 if version == 4 else 1 << 9 | 1 << 10
    assert run.outcomes[0].stdout.decode().splitlines() == [f"mask {asked}"] * 2
    for rank in (0, 1):
        report = run.report(rank)
        assert report.nccl is not None
        ranks_of = [communicator["size"] for communicator in report.nccl["communicators"]]
        assert ranks_of == [2, 4]
        rows = {(row["function"], row["communicator"]): row for row in calls(report, source="plugin", in_group=None)}
        assert len(rows) == len(report.nccl["calls"]) == 4
        for communicator, size in enumerate(ranks_of):
            gather, to_peer = rows["ncclAllGather", communicator], rows["ncclSend", communicator]
            assert (gather["count"], gather["bytes"], gather["module"]) == (1, 6 * 2 * size, "Engine")
            assert gather["dtype"] == ("int8" if version == 4 else "bfloat16")
            assert (to_peer["count"], to_peer["bytes"], to_peer["dtype"]) == (1, 3 * 8, "float64")


@pytest.mark.parametrize("version", [4, 5, 6, 7])
@pytest.mark.parametrize(("timing", "timed"), [("device", 3), ("host", 0)])
def test_plugin_tells_how_long_kernels_run(runner: Runner, version: int, timing: str, timed: int) -> None:
    """A collective's kernel time spans its first channel's begin to its last channel's end, if timing is on."""
    job = Job("nccl", (str(version), "reduce"), ranks=1, variables=(("COMMTAP_TIMING", timing),))
    run = runner.start(job, Mode.SHIM).wait()
    assert run.ended_as_meant()
    report = run.report()
    [row] = report.rows(op="c10d.allreduce_")
    assert row["count"] == 3
    assert len(calls(report, source="plugin", op="c10d.allreduce_")) == 2 * 3  # a different communicator each time
    if timed == 0:
        assert "time" not in row
        assert [(entry["reason"], entry["count"]) for entry in report.not_seen] == [("untimed", 3)]
        return
    running = row["time"]["running_ns"]
    assert (running["count"], running["min"], running["max"]) == (2 * timed, 7_000, 50_000)
    assert running["sum"] == timed * (50_000 + 7_000)
    assert row["time"]["timed_bytes"] == timed * 4 * 8
    assert report.not_seen == []


def test_plugin_asks_for_nothing_where_commtap_is_off(runner: Runner) -> None:
    """With COMMTAP=0 the plugin requests no events; without commtap there is no plugin."""
    off = Job("nccl", ("7",), ranks=1, variables=(("COMMTAP", "0"),))
    assert runner.start(off, Mode.SHIM).wait().outcomes[0].stdout == b"mask 0\nmask 0\n"
    assert runner.start(off, Mode.BARE).wait().outcomes[0].stdout == b"mask -1\nmask -1\n"


def test_switched_off(runner: Runner) -> None:
    """With COMMTAP=0 the shim still interposes NCCL and forwards every call."""
    off = Job("nccl", ranks=2, variables=(("COMMTAP", "0"),))
    run = runner.start(off, Mode.SHIM).wait()
    assert run.ended_as_meant()
    assert run.reports == []
    assert [outcome.stdout for outcome in run.outcomes] == [outcome.stdout for outcome in runner.bare(JOB).outcomes]
