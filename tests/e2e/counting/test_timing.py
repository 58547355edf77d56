# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""COMMTAP_TIMING: durations equal the job's own delays, and fit its counts."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from catalogue import JOBS
from harness import COMMAND, PACKAGE, Job, Run, Runner

from report import Report, Row

#: The values in tests/jobs/timing.py.
ROUNDS, LATE_NS, COMPUTE_NS, MANY = 5, 100e6, 50e6, 60

POINT_TO_POINT = ("send", "recv")
#: A barrier made of the backend's own sends and receives: it returns no Work, and the report says so.
NO_WORK = "c10d.monitored_barrier_"
#: Gloo implements it as one reduce after another to each rank; each is a Work.
WORK_PER_RANK = "c10d.reduce_scatter_"


def timed(name: str, *arguments: str, timing: str = "host", ranks: int = 2, status: int = 0) -> Job:
    return Job(name, arguments, ranks=ranks, status=status, variables=(("COMMTAP_TIMING", timing),))


def timed_like(name: str) -> Job:
    usual = JOBS[name]
    return timed(usual.script, *usual.arguments, ranks=usual.ranks)


def only(report: Report, **where: str) -> Row:
    (row,) = report.rows(**where)
    return row


@pytest.fixture
def late(runner: Runner) -> Run:
    return runner.shim(timed("timing.py"))


def test_running_and_blocked_apart(late: Run) -> None:
    """Rank 0's collective runs for as long as rank 1 is late. Rank 0 computes for half of it and waits for half."""
    first, second = (only(late.report(rank), module="Late", kind="all_reduce")["time"] for rank in (0, 1))
    assert first["running_ns"]["count"] == first["exposed_ns"]["count"] == ROUNDS
    assert 0.9 * LATE_NS * ROUNDS < first["running_ns"]["sum"] < 3 * LATE_NS * ROUNDS
    assert first["running_ns"]["min"] > 0.7 * LATE_NS
    hidden = first["running_ns"]["sum"] - first["exposed_ns"]["sum"]
    assert hidden == pytest.approx(COMPUTE_NS * ROUNDS, rel=0.5)
    assert second["running_ns"]["sum"] < 0.5 * first["running_ns"]["sum"], "the late rank waits for no other"


def test_a_full_queue(late: Run) -> None:
    """Each of sixty broadcasts issued at once spends most of its time in the queue."""
    time = only(late.report(), module="Many", kind="broadcast")["time"]
    assert time["queued_ns"]["count"] == time["running_ns"]["count"] == MANY
    assert time["queued_ns"]["sum"] > time["running_ns"]["sum"]


def test_numbers_fit_together(late: Run) -> None:
    """Histograms and extremes fit the sum; bandwidths follow nccl-tests' formulas."""
    for row in late.report().collectives:
        for name in ("queued_ns", "running_ns", "exposed_ns"):
            if durations := row["time"].get(name):
                classes = {int(start): count for start, count in durations["histogram"].items()}
                assert sum(classes.values()) == durations["count"]
                assert min(classes) <= durations["min"] <= durations["max"] < 2 * max(max(classes), 1)
                assert sum(start * count for start, count in classes.items()) <= durations["sum"]
        if row["kind"] == "barrier":
            assert "timed_bytes" not in row["time"]
            continue
        seconds = row["time"]["running_ns"]["sum"] / 1e9
        assert row["time"]["timed_bytes"] == row["bytes"]
        assert row["time"]["algbw_bytes_per_second"] == pytest.approx(row["bytes"] / seconds, rel=1e-6)
        assert row["time"]["busbw_bytes_per_second"] == pytest.approx(row["bus_bytes"] / seconds, rel=1e-6)


def test_steps_and_rows_add_up(late: Run) -> None:
    report = late.report()
    for name, field in (("running_ns", "running_ns"), ("exposed_ns", "exposed_ns")):
        in_rows = sum(row["time"].get(name, {"sum": 0})["sum"] for row in report.collectives)
        assert in_rows == sum(amount[field] for step in report.steps for amount in step["collectives"])


def test_the_last_ones_say_when(late: Run) -> None:
    for last in late.report().last:
        assert last["state"] == "completed"
        assert last["issued_at"] <= last["started_at"] <= last["completed_at"]


def test_a_timeline(late: Run) -> None:
    """Each of the last collectives is a span from begin to completion; steps are spans too."""
    done = subprocess.run(
        [COMMAND, "export", "--format", "perfetto", late.output_folder], capture_output=True, check=True, timeout=60
    )
    events = json.loads(done.stdout)["traceEvents"]
    for rank in (0, 1):
        spans = [event for event in events if event["pid"] == rank and event.get("cat") == "collective"]
        report = late.report(rank)
        assert {event["ph"] for event in spans} == {"X"}
        assert len(spans) == len(report.last)
        waited = [span["dur"] for span in spans if span["args"]["module"] == "Late"]
        running = only(report, module="Late", kind="all_reduce")["time"]["running_ns"]
        assert sum(waited) * 1e3 == pytest.approx(running["sum"], abs=1e4 * ROUNDS)


def test_show(late: Run) -> None:
    """`show` names the straggler and about how late it is."""
    done = subprocess.run(
        [COMMAND, "show", "--time", late.output_folder], capture_output=True, text=True, check=True, timeout=60
    )
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("Late ") and "(rank" in line]
    late_by = re.search(r"(\d+)(?:\.\d+)? ms \(rank 1\)", line)
    assert late_by is not None, line
    assert 0.6 * LATE_NS < float(late_by[1]) * 1e6 < 3 * LATE_NS


@pytest.fixture
def exposed(runner: Runner) -> Run:
    return runner.shim(timed("exposed.py"))


#: The rank that waits in tests/jobs/exposed.py: how long it is exposed in a round for each module, and where.
EXPOSED_NS = {
    "Cases.sync": (80e6, "Cases.sync", "forward"),
    "Cases.hides_all_issues": (0, "Cases.hides_all", "forward"),
    "Cases.hides_half_issues": (40e6, "Cases.hides_half", "forward"),
    "Cases.hides_none_issues": (80e6, "Cases.hides_none", "forward"),
    "Net": (80e6, "Global", "backward"),
}


def test_where_the_job_stands_still(exposed: Run) -> None:
    """A wait is counted for the module that communicates, and in the module that waits."""
    late, report = exposed.report(1), exposed.report(0)
    for module, (expected_ns, place, phase) in EXPOSED_NS.items():
        (row,) = [row for row in report.rows(module=module, kind="all_reduce") if not row.get("setup")]
        exposed_ns = row["time"].get("exposed_ns", {"sum": 0})["sum"]
        # A busy machine makes rank 0 come later itself, and most in a backward, so that it waits for less.
        least = (0.3 if module == "Net" else 0.6) * expected_ns
        assert least * ROUNDS <= exposed_ns <= (1.25 * expected_ns + 10e6) * ROUNDS, module
        if expected_ns:
            stalls = row["time"]["stalled_in"]
            assert [(stall["module"], stall["phase"]) for stall in stalls] == [(place, phase)], module
        (row,) = [row for row in late.rows(module=module, kind="all_reduce") if not row.get("setup")]
        assert row["time"].get("exposed_ns", {"sum": 0})["sum"] < 20e6 * ROUNDS, "the late rank waits for no other"


def test_stalls_add_up(exposed: Run) -> None:
    for row in (row for report in exposed.reports for row in report.collectives):
        stalls = row["time"].get("stalled_in", [])
        durations = row["time"].get("exposed_ns", {"count": 0, "sum": 0})
        assert sum(stall["count"] for stall in stalls) == durations["count"]
        assert sum(stall["exposed_ns"] for stall in stalls) == durations["sum"]


def test_show_says_where_and_for_whom(exposed: Run) -> None:
    """The waits are for a late peer, not for the network; `check` holds them to a budget of the step."""
    shown = subprocess.run(
        [COMMAND, "show", "--time", exposed.output_folder], capture_output=True, text=True, check=True, timeout=60
    ).stdout
    places = shown[shown.index("Where the job stood still") :]
    assert re.search(
        r"^Cases\.hides_none +forward +\d+ .*all_reduce of Cases\.hides_none_issues$", places, re.MULTILINE
    )
    late = re.search(r"EXPOSED with set-up for all_reduce on \w+: at least ([\d.]+) %", shown)
    assert late is not None, shown
    assert float(late[1]) > 80
    budget = exposed.output_folder.parent / "budget.toml"
    for most, status in (("95%", 0), ("0.1%", 1)):  # the first step has the start-up, which a busy machine prolongs
        entry = (
            '{ module = "**", count = 1000, bytes = 1e9 }, { module = "**", count = 1000, bytes = 1e9, setup = true }'
        )
        budget.write_text(f'schema = "commtap.budget/1"\nper = "step"\nexposed = "{most}"\nbudget = [{entry}]\n')
        command = [COMMAND, "check", exposed.output_folder, "--budget", budget]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == status, done.stdout


@pytest.mark.parametrize("name", ["collectives", "fsdp2", "mlp", "threads"])
def test_each_collective_has_a_duration(runner: Runner, name: str) -> None:
    """Every collective has a duration, from any issuer and thread. Sends and receives have only blocked time."""
    for report in runner.shim(timed_like(name)).reports:
        assert [entry["detail"] for entry in report.not_seen] == ([NO_WORK] if name == "collectives" else [])
        for row in report.collectives:
            if row["op"] == NO_WORK:
                assert "time" not in row
            elif row["kind"] in POINT_TO_POINT:
                assert "running_ns" not in row["time"]
                assert row["time"]["exposed_ns"]["count"] == row["count"]
            else:
                running = row["time"]["running_ns"]["count"]
                assert row["time"]["queued_ns"]["count"] == running
                if row["op"].endswith("_coalesced"):  # the backend runs it tensor by tensor
                    assert running >= row["count"], row
                else:
                    works = report.job["world_size"] if row["op"] == WORK_PER_RANK else 1
                    assert running == row["count"] * works, row


def test_ddp_waits_for_its_buckets(runner: Runner) -> None:
    """DDP waits for a future, not for a Work: without Reducer::finalize_backward it would seem not to wait."""
    rows = runner.shim(timed_like("ddp")).report().rows(kind="all_reduce", phase="backward")
    assert sum(row["time"].get("exposed_ns", {"sum": 0})["sum"] for row in rows) > 0
    for row in rows:
        assert row["time"]["running_ns"]["count"] == row["count"]


def test_a_sample(runner: Runner) -> None:
    """All collectives of every third step are timed, and no other; counts have no gap."""
    job = Job("steps.py", ranks=2, variables=(("COMMTAP_TIMING", "sample:3"),))
    report = runner.shim(job).report()
    assert report.job["timing"] == "sample:3"
    timed = sum(row["time"]["running_ns"]["count"] for row in report.collectives if "time" in row)
    issued = {step["first_step"]: sum(row["count"] for row in step["collectives"]) for step in report.steps}
    assert timed == issued[0] + issued[3]  # a call may complete in the next step, so times do not show its own
    assert 0 < issued[3] < sum(issued.values()) - issued[0]
    assert report.not_seen == []


def test_off_measures_nothing(runner: Runner) -> None:
    report = runner.shim(Job("timing.py")).report()
    assert report.job["timing"] == "off"
    assert not any("time" in row for row in report.collectives)
    assert {last["state"] for last in report.last} == {"returned"}
    assert not any(last["completed_at"] for last in report.last)


def test_the_jobs_exception_passes(runner: Runner) -> None:
    """An exception passes the interposed functions unchanged; the collective is among the last ones as failed."""
    run = runner.shim(timed("broken.py"))
    assert run.outcomes[0].stdout == b"RuntimeError\n"
    report = run.report()
    assert [last["state"] for last in report.last] == ["completed", "failed"]
    assert report.last[-1]["completed_at"] is None
    assert only(report, kind="all_reduce")["time"]["running_ns"]["count"] == 1


def test_not_preloaded(tmp_path: Path) -> None:
    """Without the preload nothing is interposed, and the report says so for each collective."""
    source = """
import commtap, torch, torch.distributed as dist
dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
with commtap.CommDebugMode():
    for _ in range(3):
        dist.all_reduce(torch.ones(2))
"""
    variables = {
        "COMMTAP_TIMING": "host",
        "COMMTAP_OUT": str(tmp_path / "out"),
        "PYTHONPATH": str(PACKAGE),
    }
    subprocess.run([sys.executable, "-c", source], env=os.environ | variables, check=True, timeout=120)
    (path,) = (tmp_path / "out").glob("*.json")
    report = Report.read(path)
    assert [(entry["reason"], entry["count"]) for entry in report.not_seen] == [("untimed", 3)]
    assert [(row["count"], "time" in row) for row in report.collectives] == [(3, False)]


def test_a_merged_job(late: Run) -> None:
    """The merged report has all ranks' durations, the straggler, and each step's waits."""
    done = subprocess.run(
        [COMMAND, "export", "--format", "job", late.output_folder], capture_output=True, check=True, timeout=60
    )
    job = json.loads(done.stdout)
    (row,) = [row for row in job["module_times"] if row["module"] == "Late"]
    times = [only(late.report(rank), module="Late", kind="all_reduce")["time"] for rank in (0, 1)]
    for name in ("running_ns", "exposed_ns"):
        assert row["time"][name]["sum"] == sum(time[name]["sum"] for time in times)
    assert row["straggler"]["rank"] == 1
    assert 0.6 * LATE_NS < row["straggler"]["late_by_ns"] < 3 * LATE_NS
    in_steps = sum(amount["exposed_ns"]["sum"] for step in job["steps"] for amount in step["collectives"])
    assert in_steps == sum(
        row["time"]["exposed_ns"]["sum"] for row in job["group_times"] if "exposed_ns" in row["time"]
    )
