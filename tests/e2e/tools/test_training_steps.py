# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""A step trains if an optimizer stepped in it: every command has the same number, whatever is outside of them."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from harness import COMMAND, Job, Runner


def commtap(*arguments: str | Path, status: int = 0) -> str:
    done = subprocess.run([COMMAND, *arguments], capture_output=True, text=True, timeout=60)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("what", ["before", "rank0", "cached", "after", "plain", "checked"])
def test_every_command_counts_the_steps_in_which_an_optimizer_stepped(runner: Runner, what: str) -> None:
    folder = runner.shim(Job("evaluating.py", (what,))).output_folder
    shown = commtap("show", folder)
    assert "divided by 2 ranks and 4 steps" in shown, shown
    assert f"2 ranks{', 4 steps'}" in commtap("diff", folder, folder)
    merged = json.loads(commtap("export", folder, "--format", "job"))
    assert [(row["first_step"], row["steps"], row["rank_count"]) for row in merged["steps"]] == [
        (step, 1, 2) for step in range(4)
    ]
    outside = merged.get("outside_steps", [])
    expected = {
        "before": [(0, 6, 2)],
        "rank0": [(0, 6, 1)],
        "cached": [(0, 2, 2)],
        "after": [(4, 1, 2)],
        "checked": [(0, 1, 2)],
    }
    assert [(row["first_step"], row["steps"], row["rank_count"]) for row in outside] == expected.get(what, [(0, 6, 2)])
    steps = commtap("show", folder, "--steps")
    assert len(re.findall(r"^ +[0-3] ", steps, re.M)) == 4, steps
    assert len(re.findall(r"^none ", steps, re.M)) == 1, steps
    assert "BACKWARDS" not in steps
    assert json.loads(commtap("diff", folder, folder, "--json"))["before"]["training_steps"] == 4
