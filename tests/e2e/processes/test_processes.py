# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""How processes begin and end: the files that each leaves, and those that it must not leave."""

import signal
import time
from pathlib import Path

import pytest
from catalogue import JOBS
from harness import Job, Launcher, Mode, Runner, assert_unchanged, wait_until
from job_log import logged, of_report


def test_no_group_no_file(runner: Runner) -> None:
    """A process that uses PyTorch but never joins a group leaves no file."""
    run = runner.shim(JOBS["no_group"])
    assert not run.output_folder.exists() or list(run.output_folder.rglob("*")) == []


def test_secrets_stay_out(runner: Runner) -> None:
    """Secrets are in neither the command line of the report nor the ledger before it."""
    job = Job("cuda", ("times", "--hf-token", "hf_abcdef", "API_KEY=s3cr3t", "--lr=1"), ranks=1)
    run = runner.shim(job)
    assert run.report().job["argv"][1:] == ["times", "--hf-token", "(redacted)", "API_KEY=(redacted)", "--lr=1"]
    [path] = run.output_folder.rglob("*.json")
    assert path.stat().st_mode & 0o777 == 0o600
    assert not {"hf_abcdef", "s3cr3t"} & set(path.read_text(encoding="utf-8").split('"'))


def test_command_line_can_be_left_out(runner: Runner) -> None:
    job = Job("cuda", ("times", "--lr=1"), ranks=1, variables=(("COMMTAP_ARGV", "off"),))
    assert runner.shim(job).report().job["argv"] == []


def test_group_without_collectives_leaves_a_report(runner: Runner) -> None:
    """A rank that never communicated leaves a report; a missing file would mean that it was not observed."""
    run = runner.shim(JOBS["unused_group"])
    for rank in range(2):
        report = run.report(rank)
        assert report.collectives == []
        assert report.not_seen == []
        assert report.job["exit"] == "normal"


def test_a_group_across_jobs_of_one_rank(runner: Runner) -> None:
    """The group states more ranks than the environment's world has, so the world is at least as large as the group."""
    run = runner.shim(Job("replica_groups.py", launcher=Launcher.SELF))
    assert len(run.reports) == 2
    for rank in range(2):
        report = run.report(rank)
        assert report.job["world_size"] == 2
        assert report.total("bytes", kind="all_reduce") == 3 * 16 * 4
        assert [group["ranks"] for group in report.groups] == [[0, 1]]
        assert report.not_seen == []


@pytest.mark.parametrize(
    ("name", "exits", "exit_signal", "exit_status"),
    [
        ("raise", ("normal",), None, 1),
        ("exit", ("normal",), None, 3),
        ("_exit", ("_exit",), None, 4),
        ("abort", ("signal",), signal.SIGABRT, None),
        # The process sends itself the signal by kill(), which looks like a signal from outside.
        ("terminate", ("signal", "killed"), signal.SIGTERM, None),
    ],
)
def test_endings(
    runner: Runner, name: str, exits: tuple[str, ...], exit_signal: int | None, exit_status: int | None
) -> None:
    """Each way to end leaves all counts and the kind of ending."""
    run = runner.shim(JOBS[name])
    if run.ledgers:
        run.recover()
    for rank in range(2):
        report = run.report(rank)
        assert report.table("kind") == {"all_reduce": 3, "barrier": 1}
        assert report.total("bytes") == 3 * 16 * 4
        assert report.job["exit"] in exits
        assert report.job["exit_signal"] in (exit_signal, None)
        assert report.job["exit_status"] == exit_status


def test_fork(runner: Runner) -> None:
    """A forked child leaves a report only if it communicates; the parent's report lacks its calls."""
    run = runner.shim(JOBS["fork"])
    assert run.ledgers == []
    assert len(run.reports) == 4
    for rank in range(2):
        mine = [report for report in run.reports if report.job["rank"] == rank]
        parent, child = sorted(mine, key=lambda report: report.job["exit"] == "_exit")
        assert parent.job["exit"] == "normal"
        assert parent.table("kind") == {"all_reduce": 2, "barrier": 1}
        assert child.job["exit"] == "_exit"
        assert child.table("kind", "bytes") == {("all_reduce", 2 * 4 * 4): 2}
        assert child.job["pid"] != parent.job["pid"]
        assert child.not_seen == parent.not_seen == []


def test_subprocess_with_the_same_rank(runner: Runner) -> None:
    """Helper programs inherit RANK, and two per rank end at once; no report replaces another."""
    run = runner.shim(JOBS["subprocess"])
    assert run.ledgers == []
    helpers = [report for report in run.reports if report.job["argv"][-1] == "helper"]
    assert [report.table("kind") for report in helpers] == [{"all_reduce": 5}] * 4
    for rank in range(2):
        [parent] = [report for report in run.reports if report not in helpers and report.job["rank"] == rank]
        assert parent.table("kind") == {"all_reduce": 2, "barrier": 1}


@pytest.mark.parametrize("name", ["spawn", "spawn_fork"])
def test_multiprocessing(runner: Runner, name: str) -> None:
    """Ranks without RANK in their environment leave a report each; their parent leaves none."""
    run = runner.shim(JOBS[name])
    assert run.ledgers == []
    assert len(run.reports) == 2
    for report in run.reports:
        assert report.table("kind") == {"all_reduce": 3, "barrier": 1}
        assert report.job["exit_status"] == 0
        assert report.groups[0]["ranks"] == [0, 1]
        assert report.not_seen == []
    assert [report.job["rank"] for report in run.reports] == [0, 1]


@pytest.mark.parametrize("method", ["fork", "forkserver"])
def test_forked_ranks_that_set_their_place(runner: Runner, method: str) -> None:
    """Each report has what the rank set after the fork, and lies where it said; the process that forked has none."""
    bare, run = runner.pair(Job("zygote.py", (method,), launcher=Launcher.SELF))
    assert_unchanged(bare, run)
    assert run.outcomes[0].stdout == b"[0, 0]\n"
    assert run.ledgers == []
    places = [str(report.path.relative_to(run.output_folder)) for report in run.reports]
    assert places == ["of-0/rank-00000.json", "of-1/rank-00001.json"]
    for rank, report in enumerate(run.reports):
        assert (report.job["rank"], report.job["local_rank"], report.job["world_size"]) == (rank, rank + 4, 2)
        assert report.job["argv"][1:] == ["rank.py", "--number", str(rank)]
        assert report.table("kind") == {"all_reduce": 1, "barrier": 1}
        assert report.not_seen == []


def test_kill_in_mid_step(runner: Runner) -> None:
    """After SIGKILL inside a collective, the ledger stays and has every call, including the open one."""
    run_folder = runner.folder / "killed"
    run_folder.mkdir()
    log = run_folder / "log"
    processes = runner.start(Job("killed.py", (str(log),), status=-9), Mode.SHIM)

    def waiting(rank: int) -> bool:
        path = Path(f"{log}.{rank}")
        return path.exists() and path.read_text(encoding="utf-8").endswith("recv 28\n")

    for rank in range(2):
        wait_until(lambda rank=rank: waiting(rank), "the last collective")
    # The job logs the line before the call, and the call is counted before it blocks.
    time.sleep(0.5)
    for rank in range(2):
        processes.kill(rank)
    run = processes.wait()
    assert run.ended_as_meant()
    assert len(run.ledgers) == 2
    assert run.reports == []
    run.recover()
    assert run.ledgers == []
    for rank in range(2):
        report = run.report(rank)
        assert report.job["exit"] == "killed"
        assert report.job["ended_at"] is None
        assert report.not_seen == []
        # The log has no broadcasts: torch makes them to shard parameters.
        assert of_report(report, ("all_reduce", "recv")) == logged(Path(f"{log}.{rank}"))
        assert report.total(module="MLPModule.net2", phase="forward") == 4


def test_torchrun(runner: Runner) -> None:
    """Under torchrun each rank leaves a report, the launcher none."""
    job = Job("mlp_tp.py", launcher=Launcher.TORCHRUN)
    bare, run = runner.run(job, Mode.BARE), runner.run(job, Mode.SHIM)
    assert_unchanged(bare, run)
    assert run.ledgers == []
    assert [report.job["rank"] for report in run.reports] == [0, 1]
    for report in run.reports:
        assert report.table("module", phase="forward", kind="all_reduce") == {"MLPModule.net2": 1}
        assert report.job["world_size"] == 2
        assert report.job["run_id"] != ""


def test_torchrun_restart(runner: Runner) -> None:
    """A second attempt writes its reports next to the first's, not over them."""
    job = Job("restart.py", launcher=Launcher.TORCHRUN, torchrun=("--max-restarts=1",))
    bare, run = runner.run(job, Mode.BARE), runner.run(job, Mode.SHIM)
    assert (run.outcomes[0].status, run.outcomes[0].stdout) == (0, bare.outcomes[0].stdout)
    # The launcher ends the other rank with a signal, which may leave its ledger.
    if run.ledgers:
        run.recover()
    by_attempt = {
        attempt: [report for report in run.reports if report.job["attempt"] == attempt] for attempt in range(2)
    }
    for attempt, all_reduces in ((0, 2), (1, 3)):
        assert [report.job["rank"] for report in by_attempt[attempt]] == [0, 1]
        for report in by_attempt[attempt]:
            assert report.total(kind="all_reduce") == all_reduces
            assert (report.path.parent.name == "attempt-1") == (attempt == 1)
    assert all(report.job["exit"] == "normal" for report in by_attempt[1])
