# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Inputs that are no files, files that are large in memory, escapes in what a user sets. `./dev attack` tries more."""

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest
from harness import COMMAND, LIBRARY
from measured import run_measured

from report import REPOSITORY

REPORT = REPOSITORY / "tests" / "corpus" / "ddp" / "rank-00000.json"
TIMEOUT_S = 20
#: Below --max-file-size and its windows, far below the text of the bomb.
MOST_MIB = 300
ESCAPE = "\x1b[2J"


def run(*arguments: object) -> tuple[int, str, float]:
    """Returns the command's status, what it says, and its largest memory in MiB."""
    return run_measured(*arguments, cpu_s=TIMEOUT_S)


@pytest.mark.parametrize("kind", ["pipe", "device"])
@pytest.mark.parametrize(
    "words",
    [
        ("check", REPORT, "--budget"),
        ("why", "127.0.0.1:1", "--token-file"),
        ("show", "127.0.0.1:1", "--token-file"),
        ("serve", ".", "--listen", "0.0.0.0:0", "--token-file"),
        ("options", "--format", "fields"),
    ],
    ids=lambda words: words[0],
)
def test_only_regular_files_are_read(words: tuple[object, ...], kind: str, tmp_path: Path) -> None:
    path = tmp_path / "input"
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")
    done = subprocess.run([COMMAND, *words, path], capture_output=True, text=True, timeout=TIMEOUT_S)
    assert done.returncode == 2
    assert f"{path} is not a regular file" in done.stderr


@pytest.mark.parametrize("key", [".".join(["a"] * 1_000_000), "[" + ".".join(["a"] * 1_000_000) + "]"])
def test_a_budget_of_dotted_keys(key: str, tmp_path: Path) -> None:
    (tmp_path / "budget.toml").write_text(f'schema = "commtap.budget/1"\n{key} = 1\n')
    status, said, _ = run("check", REPORT, "--budget", tmp_path / "budget.toml")
    assert status == 2
    assert "line 2: a key has more than 8 dots" in said


def write_bomb(path: Path, again: bytes) -> None:
    """Writes a report whose text has 384 MiB. In pieces: what this process has in memory counts for its children."""
    report = REPORT.read_bytes().strip()
    with gzip.open(path, "wb", 1) as file:
        file.write(report[:-1] + b', "more": [')
        for _ in range(384):
            file.write(again * ((1 << 20) // len(again)))
        file.write(b"[]]}")


@pytest.mark.parametrize("again", [b" ", b"[],"])
def test_max_file_size_bounds_memory(again: bytes, tmp_path: Path) -> None:
    bomb = tmp_path / "rank-00000.json.gz"
    write_bomb(bomb, again)
    for words in (
        ["show"],
        ["show", "--ranks"],
        ["advise"],
        ["html", "-o", tmp_path / "page"],
        ["export", "--format", "csv"],
        ["export", "--format", "job"],
    ):
        status, said, memory = run(*words, bomb, "--max-file-size", "64MiB")
        assert status == 1, said
        assert f"{bomb} has more than " in said
        assert "--max-file-size" in said
        assert memory < MOST_MIB


@pytest.mark.parametrize("variable", ["COMMTAP_LOG", "COMMTAP_LEVEL", "COMMTAP_OPS", "COMMTAP_TIMING"])
def test_a_variable_cannot_control_the_terminal(variable: str, tmp_path: Path) -> None:
    preloaded = {"LD_PRELOAD": str(LIBRARY), "COMMTAP_OUT": str(tmp_path), variable: ESCAPE}
    done = subprocess.run(
        [sys.executable, "-c", "import torch"], env=os.environ | preloaded, capture_output=True, text=True, check=True
    )
    assert ESCAPE not in done.stderr
    assert f"{variable}=\\x1b[2J is invalid" in done.stderr
