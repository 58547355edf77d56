# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Ranks without a launcher: how they end, which are counted, and what the commands say of them."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from harness import COMMAND, JOBS_FOLDER, TIMEOUT_S

from report import Report

AFTER_WORK = "ended by a signal or its launcher after the work; the numbers are whole"
STEPS = 5


def run(out: Path, way: str, status: int = 0) -> str:
    """Runs the job under commtap, and returns what commtap says."""
    command = [COMMAND, "run", "--out", out, "--", sys.executable, JOBS_FOLDER / "ended_workers.py", way]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=TIMEOUT_S)
    assert done.returncode == status, done.stderr
    return done.stderr


def say(verb: str, out: Path, *options: str) -> tuple[int, str]:
    """Runs a verb, and returns its status and output."""
    done = subprocess.run([COMMAND, verb, *options, out], capture_output=True, text=True, timeout=TIMEOUT_S)
    return done.returncode, done.stdout


def reports(out: Path) -> list[Report]:
    """Reads the reports."""
    return [Report.read(path) for path in sorted(out.rglob("*.json"))]


def listed(out: Path) -> dict[str, object]:
    """Returns the only run of a folder."""
    (only,) = json.loads(say("list", out, "--json")[1])["runs"]
    return only


@pytest.mark.parametrize(("way", "status"), [("after_work", 0), ("destroyed", 3), ("ray", 0)])
def test_workers_that_had_ended_their_work(tmp_path: Path, way: str, status: int) -> None:
    """All had the same calls and the command succeeded; or their groups were destroyed, whatever the command's end.

    Ray ends its workers by signals, or they exit with an error as Ray has ended.
    """
    said = run(tmp_path, way, status)
    assert [report.job["exit"] for report in reports(tmp_path)] == ["after_work", "after_work"]
    assert f"ranks 0-1: {AFTER_WORK}" in said
    assert "why:" not in said
    assert AFTER_WORK in say("show", tmp_path)[1]
    verdict, line = say("why", tmp_path)
    assert (verdict, line.startswith("healthy")) == (0, True), line
    assert say("check", tmp_path)[0] == 0
    assert listed(tmp_path)["end"] == ("normal" if status == 0 else "failed")


def test_a_pool_whose_workers_exit_well_after_an_error(tmp_path: Path) -> None:
    """Only the command's status says that it failed; and the rank that did not come exited after the other gave up."""
    said = run(tmp_path, "caught", 1)
    assert [report.job["exit"] for report in reports(tmp_path)] == ["normal", "normal"]
    verdict, text = say("why", tmp_path, "--json")
    line = json.loads(text)["line"]
    assert (verdict, line.startswith("rank 1 has not entered all_reduce #4")) == (1, True), line
    assert re.search(r"it has exited, [5-9]\.\d\d s after others began to wait; others had waited for", line), line
    assert f"why: {line}" in said
    assert listed(tmp_path)["end"] == "failed"
    assert "python" in say("list", tmp_path, "--failed")[1]


def test_a_rank_that_was_killed_between_two_steps(tmp_path: Path) -> None:
    """The other one has made one more call, and waits: their numbers end there, though the command succeeds."""
    said = run(tmp_path, "between")
    assert [report.job["exit"] for report in reports(tmp_path)] == ["killed", "killed"]
    assert "crashed or killed" in said
    assert say("check", tmp_path)[0] == 1


def test_each_round_is_counted(tmp_path: Path) -> None:
    """Workers that are killed after their work, one after the other, are no crash loop."""
    said = run(tmp_path, "rounds")
    found = reports(tmp_path)
    assert [report.total(kind="all_reduce") for report in found] == [STEPS] * 4
    assert not any(report.not_seen for report in found)
    assert "4 processes of a rank are added up" in said


def test_another_preload(tmp_path: Path) -> None:
    """A process that was started with another LD_PRELOAD is named, and the check fails."""
    said = run(tmp_path, "other_preload")
    assert "NOT COUNTED: 1 process loaded torch without commtap" in said
    assert "ended_workers.py work" in said
    status, checked = say("check", tmp_path)
    assert (status, "not_preloaded" in checked) == (1, True)
    assert "1 not_preloaded: processes that loaded torch without commtap" in say("show", tmp_path)[1]


def test_a_sweep_says_how_many_runs_it_adds_up(tmp_path: Path) -> None:
    """The trials have one folder and one run."""
    line = "3 processes of a rank are added up, as in a sweep: the numbers, also those per step, are their sums"
    assert line in run(tmp_path, "sweep")
    assert line in say("show", tmp_path)[1]


def test_a_job_in_the_background(tmp_path: Path) -> None:
    """The command has ended, and a process of it still runs."""
    command = [COMMAND, "run", "--out", tmp_path, "--", sys.executable, JOBS_FOLDER / "ended_workers.py", "background"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S)
    pid = int(done.stdout)
    try:
        assert (
            f"no report was written to {tmp_path} yet: 1 process of the command may still write one (pid {pid})"
            in done.stderr
        )
    finally:
        os.kill(pid, signal.SIGKILL)


def test_a_job_that_takes_the_preload_for_one_path(tmp_path: Path) -> None:
    """It fails with two libraries in LD_PRELOAD, and the closing line names that cause; with one it does not."""
    job = "import ctypes, os; ctypes.CDLL(os.environ['LD_PRELOAD'])"
    command = [COMMAND, "run", "--out", tmp_path, "--", sys.executable, "-c", job]
    cause = "it takes LD_PRELOAD, which names several libraries, for one path"
    for preload, status in (("libm.so.6", 1), ("", 0)):
        done = subprocess.run(
            command, env=os.environ | {"LD_PRELOAD": preload}, capture_output=True, text=True, timeout=TIMEOUT_S
        )
        assert (done.returncode, cause in done.stderr) == (status, status == 1)


def test_list_names_the_command(tmp_path: Path) -> None:
    """A process of multiprocessing has a command line that names no program; `commtap run` knows the command."""
    script = tmp_path / "spawned.py"
    script.write_text(
        "import torch, torch.distributed as dist, torch.multiprocessing as mp\n"
        "def work(rank, store):\n"
        "    dist.init_process_group('gloo', init_method=f'file://{store}', rank=rank, world_size=2)\n"
        "    dist.all_reduce(torch.ones(1))\n"
        "    dist.destroy_process_group()\n"
        "if __name__ == '__main__':\n"
        f"    mp.spawn(work, ('{tmp_path}/store',), nprocs=2)\n"
    )
    out = tmp_path / "out"
    command = [COMMAND, "run", "--out", out, "--", sys.executable, "-u", script]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    subprocess.run(command, env=environment, check=True, capture_output=True, timeout=TIMEOUT_S)
    assert f" {Path(sys.executable).name} {script}\n" in say("list", out)[1]
