# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""commtap.command: the command line as a process of its own."""

from pathlib import Path

import pytest
from commtap import command
from commtap.command import run_command


def test_not_preloaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "commtap"
    script.write_text('#!/bin/sh\necho "$PWD $1 ${LD_PRELOAD-none}"\nexit 3\n', encoding="utf-8")
    script.chmod(0o755)
    monkeypatch.setattr(command, "command_path", lambda: script)
    monkeypatch.setenv("LD_PRELOAD", "")
    done = run_command("diff", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (3, f"{tmp_path} diff none\n")


def test_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "command_path", lambda: tmp_path / "commtap")
    with pytest.raises(RuntimeError, match="commtap is missing"):
        run_command("diff")
