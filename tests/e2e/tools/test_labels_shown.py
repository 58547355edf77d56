# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Rows at Global in the output of commands: each label by itself."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from harness import COMMAND, Job, Run, Runner

RANKS, STEPS, LAYERS = 2, 2, 2


def commtap(*arguments: str | Path) -> str:
    """Returns what the command printed. A difference or a finding is an answer too."""
    done = subprocess.run([COMMAND, *arguments], capture_output=True, text=True, timeout=60)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def run(runner: Runner) -> Run:
    return runner.shim(Job("gathering_optimizer.py"))


def lines_of(table: str, start: str) -> list[list[str]]:
    """Returns the words of the line that begins with `start` and of those that go on with it."""
    lines = table.splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith(start))
    end = next(i for i, line in enumerate(lines) if i > first and not line.startswith(" " * 12))
    return [line.split() for line in lines[first:end]]


def test_show_tells_labels_apart(run: Run) -> None:
    """The all_reduces of clipping and of the metric are two lines, as they are two rows of the report."""
    shown = commtap("show", "--tree", run.output_folder)
    assert "OWN without, by LABEL" in shown
    ends = [tuple(words[-4:]) for words in lines_of(shown, "Global ")]
    assert ("8", "1.13", "KiB", "full_tensor") in ends
    assert ("4", "32", "B", "clip_grad_norm_") in ends
    assert ("4", "16", "B", "val_metric") in ends


def test_the_json_of_show_tells_labels_apart(run: Run) -> None:
    document = json.loads(commtap("show", run.output_folder, "--tree", "--json"))
    own: dict[tuple[str, str], dict[Any, int]] = {}
    for row in document["modules"][0]["collectives"]:
        parts = row["own_parts"]
        assert sum(part["count"] for part in parts) == row["own"]["count"]
        assert sum(part["bytes"] for part in parts) == row["own"]["bytes"]
        own[row["phase"], row["kind"]] = {part["label"]: part["count"] for part in parts}
    assert own["optimizer", "all_gather"] == {"full_tensor": RANKS * STEPS * LAYERS}
    assert own["other", "all_reduce"] == {"clip_grad_norm_": RANKS * STEPS, "val_metric": RANKS * STEPS}


def test_diff_names_the_label_that_grew(run: Run, runner: Runner) -> None:
    more = runner.shim(Job("gathering_optimizer.py", ("--metrics", "3")))
    text = commtap("diff", run.output_folder, more.output_folder)
    assert "\nGlobal [val_metric] " in text
    assert "+2 all_reduce per step in Global [val_metric] (other, default_pg): 1 to 3 calls" in text
    assert "clip_grad_norm_" not in text
    assert "Global \\[val\\_metric\\]" in commtap("diff", run.output_folder, more.output_folder, "--format", "markdown")
    changes = json.loads(commtap("diff", run.output_folder, more.output_folder, "--json"))["changes"]
    assert [(change["module"], change["label"]) for change in changes] == [("Global", "val_metric")]
    findings = json.loads(commtap("check", more.output_folder, "--baseline", run.output_folder, "--json"))
    assert [f["label"] for check in findings["checks"] for f in check["findings"]] == ["val_metric"]
