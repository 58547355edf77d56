# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The questions of docs/agents.md are answered by the JSON of the commands that it names."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from harness import COMMAND, JOBS_FOLDER, REPOSITORY, Job, Run, Runner

from report import document_of

PAGE = (REPOSITORY / "docs" / "agents.md").read_text(encoding="utf-8")
ROWS = [row for row in re.findall(r"^\| (.+?) \| (.+?) \| (.+?) \|$", PAGE, re.MULTILINE) if "commtap" in row[1]]


@pytest.fixture(scope="module")
def run(runner: Runner) -> Run:
    return runner.shim(Job("fsdp2.py", variables=(("COMMTAP_VERIFY", "1"),)))


def holds(document: Any, word: str) -> bool:
    """Returns whether a document has a field of this name, or this value."""
    if isinstance(document, dict):
        return word in document or any(holds(each, word) for each in document.values())
    return any(holds(each, word) for each in document) if isinstance(document, list) else document == word


def test_the_page_has_nine_questions() -> None:
    assert len(ROWS) == 9


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_a_question_is_answered(row: tuple[str, str, str], run: Run, tmp_path: Path) -> None:
    """The last command of each row prints one document, which follows its schema and has the fields to read."""
    _, commands, fields = row
    baseline = tmp_path / "job.json"
    subprocess.run([COMMAND, "export", run.output_folder, "--format", "job", "-o", baseline], check=True, timeout=60)
    given = {"FOLDER": run.output_folder, "BEFORE": run.output_folder, "AFTER": run.output_folder, "FILE": baseline}
    given |= {
        "COMMAND": "no-such-program",
        "1024": "2",
        "train.py": JOBS_FOLDER / "planned.py",
        "python": sys.executable,
    }
    command = re.findall(r"`commtap ([^`]*--json[^`]*)`", commands)[-1]
    words = [str(given.get(word, word)) for word in command.split()]
    done = subprocess.run([COMMAND, *words], capture_output=True, text=True, timeout=120, cwd=tmp_path)
    assert done.returncode in (0, 1), done.stderr
    document = document_of(done.stdout)
    for word in re.findall(r"`([a-z_]+)(?:\[\])?`", fields.replace("means.by_module", "by_module")):
        assert holds(document, word), word


def test_the_runs_that_go_are_known_before(run: Run) -> None:
    """`prune --dry-run --json` has the runs, and removes nothing."""
    command = [COMMAND, "prune", "--keep", "0s", "--dry-run", "--json", run.output_folder]
    before = sorted(run.output_folder.rglob("*"))
    document = document_of(subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout)
    assert (document["removed"], len(document["kept"]["just_changed"])) == ([], 1)
    assert sorted(run.output_folder.rglob("*")) == before
