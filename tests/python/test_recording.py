# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""commtap.recording: the environment of started processes, and the reports of a block."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from commtap import recording as recording_module
from commtap.recording import recording

NAMES = ("COMMTAP_OUT", "COMMTAP_RUN_ID", "COMMTAP_COMPRESS", "LD_PRELOAD")


def report(calls: int, rank: int | None = None, not_seen: int = 0) -> dict[str, Any]:
    key = {"module": "Global", "issued_in": "Global", "phase": "other", "kind": "all_reduce", "group": "0"}
    missed = {"reason": "rows_full", "detail": "x", "meaning": "Rows are missing.", "count": not_seen}
    return {
        "schema": "commtap/2",
        "job": {"rank": rank, "pid": 1},
        "groups": [],
        "modules": [],
        "collectives": [{**key, "count": calls, "bytes": 0}] if calls else [],
        "not_seen": [missed] if not_seen else [],
    }


@pytest.fixture
def snapshots(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Returns the list of reports that this process is to have, one after the other."""
    coming: list[dict[str, Any]] = []
    monkeypatch.setattr(recording_module, "snapshot", lambda: coming.pop(0))
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    return coming


def test_the_part_of_this_process(snapshots: list[dict[str, Any]], tmp_path: Path) -> None:
    snapshots += [report(2), report(5)]
    with recording(lambda: tmp_path) as found:
        pass
    assert [each["collectives"][0]["count"] for each in found.reports] == [3]
    assert found.warnings == []


def test_started_processes(snapshots: list[dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They find the folder of the innermost block, which is in that of the outer one. This process only starts them."""
    monkeypatch.setenv("LD_PRELOAD", "other.so")
    snapshots += [report(2)] * 4
    before = dict(os.environ)

    def start(rank: int) -> None:
        out = Path(os.environ["COMMTAP_OUT"])
        assert out.name == os.environ["COMMTAP_RUN_ID"]
        assert os.environ["LD_PRELOAD"].startswith("other.so:")
        out.mkdir(parents=True, exist_ok=True)
        (out / f"rank-{rank}.json").write_text(json.dumps(report(1, rank)), encoding="utf-8")

    with recording(lambda: tmp_path) as outer:
        start(1)
        with recording(lambda: tmp_path / "other") as inner:
            start(0)
    assert os.environ == before
    assert [each["job"]["rank"] for each in outer.reports] == [0, 1]
    assert [each["job"]["rank"] for each in inner.reports] == [0]


def test_a_killed_process_is_named(snapshots: list[dict[str, Any]], tmp_path: Path) -> None:
    snapshots += [report(0)] * 2
    with recording(lambda: tmp_path) as found:
        out = Path(os.environ["COMMTAP_OUT"])
        out.mkdir(parents=True)
        for rank, ending in ((0, "normal"), (1, "killed")):
            ended = report(1, rank)
            ended["job"]["exit"] = ending
            (out / f"rank-{rank}.json").write_text(json.dumps(ended), encoding="utf-8")
    assert found.warnings == ["rank 1 (process 1) crashed or was killed inside the record: its counts end there"]


def test_the_environment_comes_back(snapshots: list[dict[str, Any]], tmp_path: Path) -> None:
    snapshots.append(report(0))
    before = dict(os.environ)

    def fail() -> None:
        with recording(lambda: tmp_path):
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert os.environ == before


@pytest.mark.parametrize(("out", "expected"), [("out", "out"), ("out/%j", "made"), ("", "made")])
def test_folder(
    snapshots: list[dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, out: str, expected: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COMMTAP_OUT", out)
    snapshots += [report(0)] * 2
    with recording(lambda: tmp_path / "made"):
        assert Path(os.environ["COMMTAP_OUT"]).parent == tmp_path / expected


def test_something_is_missing(snapshots: list[dict[str, Any]], tmp_path: Path) -> None:
    snapshots += [report(0, not_seen=1), report(0, not_seen=3)]
    with recording(lambda: tmp_path) as found:
        pass
    assert found.warnings == ["commtap missed something: Rows are missing. (2 times: x)"]
