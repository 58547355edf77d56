# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Process groups that are destroyed and made again: no command confuses them, whatever keeps the old objects alive."""

import json
import subprocess
from pathlib import Path

import pytest
from harness import COMMAND, Job, Run, Runner

TURNS = 4


def commtap(*arguments: str | Path, status: int = 0) -> str:
    done = subprocess.run([COMMAND, *arguments], capture_output=True, text=True, timeout=60)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module", params=["none", "one", "all"])
def run(runner: Runner, request: pytest.FixtureRequest) -> Run:
    return runner.shim(Job("groups_again.py", (request.param,), ranks=3))


def test_each_group_is_one_of_its_own(run: Run) -> None:
    """The default group has the calls of its turn, the mesh's call and the barrier."""
    for rank in range(3):
        report = run.report(rank)
        worlds = {group["name"]: group["collectives"] for group in report.groups if group["desc"] == "default_pg"}
        names = ["0", *(f"0#{turn + 1}" for turn in range(1, TURNS))]
        assert worlds == {name: turn + 1 + 2 for turn, name in enumerate(names)}
        pairs = [group for group in report.groups if group["ranks"] in ([0, 1], [0, 2])]
        assert [(group["ranks"], group["collectives"]) for group in pairs] == [
            ([0, 1 + turn % 2], turn + 1) for turn in range(TURNS) if rank in (0, 1 + turn % 2)
        ]
        assert {last["sequence"] for last in report.last if last["group"] == "0#3"} == {1, 2, 3, 4, 5}


def test_ranks_that_work_alike_agree(run: Run) -> None:
    folder = run.output_folder
    assert "wrong" not in commtap("why", folder)
    merged = commtap("show", "--ranks", folder)
    assert "RANKS DISAGREE" not in merged, merged
    assert json.loads(commtap("export", folder, "--format", "job"))["disagreements_found"] == 0
    assert "FAILED" not in commtap("check", folder)
    assert "no differences" in commtap("diff", folder, folder)


def test_kept_objects_change_nothing(runner: Runner, run: Run) -> None:
    """The groups of a run without kept objects are those of the others."""
    other = runner.shim(Job("groups_again.py", ("none",), ranks=3)).output_folder
    assert "no differences" in commtap("diff", other, run.output_folder)
