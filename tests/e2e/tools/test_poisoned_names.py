# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Names from a job reach no terminal, page or comment raw: each text of its reports is poisoned, for every verb."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from harness import COMMAND, Job, Runner

#: Clears the screen, rings, reverses the direction of what follows, and begins lines that would be read as others'.
POISON = "\x1b[2J\x07\u202e\n::error::owned\r\n# HELP owned\n"
#: Fields whose values are words of the format, times, or objects as text.
WORDS = {
    "schema", "kind", "phase", "exit", "started_at", "ended_at", "ranks", "issued_at", "completed_at", "state",
    "timing", "steps_from", "reason", "mesh", "placements", "shape", "run_id", "lowered",
}  # fmt: skip
#: The lines that the poison would begin, and what is not to be in any output.
RAW = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u202e]|^::error::owned|^# HELP owned", re.MULTILINE)

VERBS = [
    ("show",),
    ("show", "--tree", "--all", "--per-step"),
    ("show", "--time", "--steps", "--last", "9", "--nccl", "--operations"),
    ("show", "--json", "--tree"),
    ("show", "--ranks"),
    ("export", "--format", "job"),
    ("check",),
    *(("check", "--format", name) for name in ("markdown", "github", "junit")),
    ("check", "--json"),
    ("advise",),
    ("list",),
    ("list", "--json"),
    ("top", "--once"),
    ("why",),
    ("why", "--json"),
    ("export", "--format", "openmetrics"),
    ("export", "--format", "prometheus"),
    *(("export", "--format", "csv", "--table", name) for name in ("collectives", "groups", "modules", "last")),
    ("export", "--format", "perfetto"),
]


def poisoned(value: Any, field: str = "") -> Any:
    if isinstance(value, dict):
        return {name: poisoned(each, name) for name, each in value.items()}
    if isinstance(value, list):
        return [poisoned(each, field) for each in value]
    return value + POISON if isinstance(value, str) and field not in WORDS else value


@pytest.fixture(scope="module")
def folders(runner: Runner, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Returns two folders with poisoned reports of a timed run whose ranks were killed; calls differ between them."""
    run = runner.shim(Job("timing.py", variables=(("COMMTAP_TIMING", "host"),)))
    made = []
    for calls in (0, 1):
        folder = tmp_path_factory.mktemp("poisoned")
        for rank in range(2):
            document = poisoned(json.loads(run.report(rank).path.read_text(encoding="utf-8")))
            document["job"] |= {"exit": "killed", "ended_at": None}
            for row in document["collectives"]:
                row["count"] += calls * rank  # so that ranks disagree, and runs differ
            (folder / f"rank-{rank}.json").write_text(json.dumps(document), encoding="utf-8")
        made.append(folder)
    return made


def output_of(*arguments: str | Path) -> str:
    done = subprocess.run([COMMAND, *arguments], capture_output=True, timeout=60)
    text = (done.stdout + done.stderr).decode()
    assert done.returncode in (0, 1, 2), text
    return text


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_no_verb_prints_names_raw(folders: list[Path], verb: tuple[str, ...]) -> None:
    for folder in folders:
        text = output_of(*verb, folder)
        assert not RAW.search(text), text


@pytest.mark.parametrize("form", [("--format", "text"), ("--format", "markdown"), ("--json",)], ids=" ".join)
def test_no_difference_prints_names_raw(folders: list[Path], form: tuple[str, ...]) -> None:
    text = output_of("diff", *form, *folders)
    assert "owned" in text
    assert not RAW.search(text), text


def test_no_page_has_names_raw(folders: list[Path], tmp_path: Path) -> None:
    output_of("html", folders[1], "-o", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "owned" in page
    assert not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202e]|^::error::owned", page, re.MULTILINE)
