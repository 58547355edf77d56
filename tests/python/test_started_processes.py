# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""commtap.started_processes: the processes that a block forked, and the reports that processes left."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from commtap import started_processes
from commtap.locations import library_path
from commtap.started_processes import note_forks, reports_of_forks, reports_of_started


def fork() -> int:
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return pid


def write(folder: Path, pid: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{pid}.json").write_text(json.dumps({"schema": "commtap/2", "job": {"pid": pid}}), encoding="utf-8")


def pids_of(reports: list) -> list[int]:
    return [report["job"]["pid"] for report in reports]


def test_forks_of_a_block() -> None:
    fork()
    with note_forks() as outer:
        first = fork()
        with note_forks() as inner:
            second = fork()
            subprocess.run([sys.executable, "-c", ""], check=True)
        third = fork()
    fork()
    assert (outer, inner) == ([first, second, third], [second])
    with note_forks() as none:
        pass
    assert none == []


def test_reports_of_forks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMMTAP_OUT", str(tmp_path))
    monkeypatch.setenv("LD_PRELOAD", str(library_path()))
    monkeypatch.delenv("COMMTAP_COMPRESS", raising=False)
    pid = fork()
    write(tmp_path, pid)
    write(tmp_path, pid + 1_000_000)
    found, missing = reports_of_forks([pid, fork()])
    assert (pids_of(found), missing) == ([pid], "")
    found, missing = reports_of_forks([os.getpid()])
    assert (found, missing) == ([], "commtap did not count 1 forked processes that have not ended")


def test_forks_that_cannot_be_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMMTAP_OUT", str(tmp_path))
    monkeypatch.delenv("LD_PRELOAD", raising=False)
    assert reports_of_forks([]) == ([], "")
    assert reports_of_forks([1])[1].startswith("commtap did not count 1 forked processes: run pytest --commtap")


def test_reports_of_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert reports_of_started(tmp_path / "none") == []
    write(tmp_path, 1)
    write(tmp_path / "record-1-2", 2)
    (tmp_path / "other.json").write_text("{}", encoding="utf-8")
    assert pids_of(reports_of_started(tmp_path)) == [1, 2]
    asked: list[tuple[str, ...]] = []
    monkeypatch.setattr(started_processes, "run_command", lambda *arguments: asked.append(arguments))
    (tmp_path / "rank-00001.ledger").touch()
    with pytest.raises(RuntimeError, match="1 processes that were started inside"):
        reports_of_started(tmp_path)
    assert asked == [("list", str(tmp_path))]
