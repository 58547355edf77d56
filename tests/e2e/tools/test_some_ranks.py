# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Rows that not all ranks have, in `show`, `diff` and `check`."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from harness import COMMAND, Job, Run, Runner


def commtap(status: int, *arguments: str | Path) -> str:
    done = subprocess.run([COMMAND, *arguments], capture_output=True, text=True, timeout=60)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def both(runner: Runner) -> Run:
    return runner.shim(Job("some_ranks.py"))


def test_half_of_the_ranks_that_stop_a_collective_are_a_difference(both: Run, runner: Runner) -> None:
    """Each rank that makes the call makes as many as before, with as many bytes."""
    before, after = both.output_folder, runner.shim(Job("some_ranks.py", ("--first",))).output_folder
    assert "no differences" in commtap(0, "diff", before, before)
    line = "on fewer ranks: all_reduce in Net (forward, own): ranks 0-1 to rank 0, 3 calls, 48 B"
    assert f"\nDifferences, per rank and run\n  {line}\n" in commtap(1, "diff", before, after)
    (change,) = json.loads(commtap(1, "diff", before, after, "--json"))["changes"]
    assert (change["before"]["rank_count"], change["after"]["rank_count"]) == (2, 1)
    assert (change["gained_ranks"], change["lost_ranks"]) == ("", "1")
    assert f"FAILED all_reduce on own differs from the baseline\n  {line}\n" in commtap(
        1, "check", after, "--baseline", before
    )
    assert "on more ranks: all_reduce in Net" in commtap(1, "check", before, "--baseline", after, "--allow", "less")
    commtap(0, "check", after, "--baseline", before, "--allow", "less")
    commtap(0, "diff", before, after, "--tolerance", "kind=all_reduce,ranks=1")


def test_a_module_is_counted_per_rank_whatever_rows_its_ranks_have(both: Run, runner: Runner) -> None:
    """One rank sends and the other one receives: five calls of 1 KiB on each."""
    after = runner.shim(Job("some_ranks.py", ("--sends", "10"))).output_folder
    text = commtap(1, "diff", both.output_folder, after)
    assert re.search(r"^Pipe +5 +10 +5\.00 KiB +10\.0 KiB +\+100 %$", text, re.M), text


def test_show_says_which_ranks_have_what(both: Run) -> None:
    text = commtap(0, "show", "--tree", both.output_folder)
    assert re.search(r"^  Pipe +forward +10 +send +5 +5\.00 KiB +5 +5\.00 KiB +0$", text, re.M), text
    assert re.search(r"^ +recv +5 +5\.00 KiB +5 +5\.00 KiB +1$", text, re.M), text
    assert "RANKS: of the line's own calls" in text
