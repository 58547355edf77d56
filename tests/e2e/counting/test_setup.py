# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""`setup`: what a process communicates before its first forward is distinguished from the same calls after it."""

import csv
import io
import json
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from catalogue import JOBS
from harness import COMMAND, Job, Run, Runner

from report import REPOSITORY, Report

STEPS, PARAMETERS = 2, 4


def run_of(runner: Runner, name: str) -> Run:
    variables = (("PYTHONPATH", str(REPOSITORY / "tracker" / "python")),) if name == "switched_off" else ()
    return runner.shim(Job("set_up.py", (name,), variables=variables))


def counts(report: Report, **where: str) -> tuple[int, int]:
    """Returns the calls of rows in set-up, and of the others."""
    sums: Counter = Counter()
    for row in report.rows(**where):
        assert row.get("setup") in (None, True)  # absent if false
        sums["setup" in row] += row["count"]
    return sums[True], sums[False]


#: The all_reduces of one number, in set-up and later.
ANNOUNCED = {
    "ddp": (1, STEPS),
    "fsdp2": (1, STEPS),
    "by_hand": (1, STEPS),
    "evaluated": (1, 1 + STEPS),
    "in_a_thread": (1, 1),
    "without_modules": (0, 1 + 2 * STEPS),
    "switched_off": (0, 1 + STEPS),
}


@pytest.mark.parametrize("name", ANNOUNCED)
def test_set_up_ends_with_the_first_forward(runner: Runner, name: str) -> None:
    """A job without modules has no forward, so nothing is marked; nor is it after counting was switched off."""
    for report in run_of(runner, name).reports:
        assert counts(report, module="Global", kind="all_reduce") == ANNOUNCED[name]
        assert counts(report, kind="barrier") == (0, 1)


def test_wrapping_a_model_is_set_up(runner: Runner) -> None:
    """DDP's constructor broadcasts parameters. It also broadcasts the order of its buckets, in the second forward."""
    report = run_of(runner, "ddp").report()
    setup, later = counts(report, phase="other", kind="broadcast")
    assert setup > 0
    assert later == 0
    assert counts(report, phase="forward", kind="broadcast")[0] == 0
    assert counts(report, phase="backward", kind="all_reduce") == (0, STEPS)
    wrapped_later = run_of(runner, "evaluated").report()
    assert counts(wrapped_later, phase="other", kind="broadcast") == (0, setup)


def test_parameters_that_are_sent_before_and_after(runner: Runner) -> None:
    """FSDP2 gathers in its first forward: that is no set-up."""
    by_hand = run_of(runner, "by_hand").report()
    assert counts(by_hand, kind="broadcast") == (PARAMETERS, PARAMETERS)
    assert counts(by_hand, kind="broadcast", module="Global") == (PARAMETERS, 0)
    sharded = run_of(runner, "fsdp2").report()
    assert counts(sharded, kind="broadcast") == (PARAMETERS, 0)
    setup, later = counts(sharded, kind="all_gather")
    assert setup == 0
    assert later > 0


@pytest.mark.parametrize(
    "name", ["pipeline", "pipeline_infer_shapes", "pipeline_by_hand", "compiled_function", "transformer_compile"]
)
def test_what_forwards_and_backwards_send_is_no_set_up(runner: Runner, name: str) -> None:
    """A later stage of a pipeline receives before its first forward; a compiled function's modules are not called."""
    for report in runner.shim(JOBS[name]).reports:
        for row in report.collectives:
            assert "setup" not in row or (row["phase"] == "other" and "compiled" not in row), row


def commtap(*arguments: str | Path) -> str:
    done = subprocess.run([COMMAND, *arguments], capture_output=True, text=True, timeout=60)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def test_commands_mark_set_up(runner: Runner) -> None:
    before, after = (run_of(runner, name).output_folder for name in ("by_hand", "evaluated"))
    shown = commtap("show", "--tree", before)
    assert "(set-up)" in shown
    rows = json.loads(commtap("show", before, "--tree", "--json"))["modules"][0]["collectives"]
    parts = {row["kind"]: row["own_parts"] for row in rows}
    assert [(part["setup"], part["count"]) for part in parts["all_reduce"]] == [(False, 2 * STEPS), (True, 2)]
    text = commtap("diff", before, after)
    assert "+0.5 all_reduce per step in Global (other, default_pg)" in text
    changes = json.loads(commtap("diff", before, after, "--json"))["changes"]
    assert {change["setup"] for change in changes if change["kind"] == "all_reduce" and change["phase"] == "other"} == {
        False
    }
    merged = json.loads(commtap("export", before, "--format", "job"))["collectives"]
    assert [row.get("setup") for row in merged if row["kind"] == "all_reduce"].count(True) == 1
    table = list(csv.DictReader(io.StringIO(commtap("export", before, "--format", "csv"))))
    assert {row["setup"] for row in table if row["kind"] == "all_reduce"} == {"true", "false"}
