# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""commtap.comms: the assertions of pytest's fixture, on records that are made up."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from commtap import comms as comms_module
from commtap.comms import Comms, CommsWarning, Record
from commtap.recording import Recording


def report(rank: int = 0, calls: int = 2) -> dict[str, Any]:
    row = {"module": "Net", "issued_in": "Net", "phase": "forward", "op": "c10d.allreduce_", "kind": "all_reduce"}
    rows = [{**row, "group": "0", "label": None, "count": calls, "bytes": 8 * calls}] if calls else []
    return {
        "job": {"rank": rank, "world_size": 2, "pid": rank},
        "groups": [{"name": "0", "desc": "default_pg", "backend": "gloo", "size": 2, "ranks": "0-1"}],
        "modules": [{"name": "Net"}],
        "collectives": rows,
        "steps": [],
    }


class Diff:
    """A command `diff` that finds what a test says."""

    def __init__(self) -> None:
        self.calls = 0
        self.found = "one more\n"

    def __call__(self, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
        self.calls += 1
        assert arguments == ("diff", "snapshot", "now")
        assert sorted(path.name for path in cwd.iterdir()) == ["now", "snapshot"]
        return subprocess.CompletedProcess(arguments, 1 if self.found else 0, self.found, "")


@pytest.fixture
def diff(monkeypatch: pytest.MonkeyPatch) -> Diff:
    made = Diff()
    monkeypatch.setattr(comms_module, "run_command", made)
    for name in ("RANK", "WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)
    return made


def made(folder: Path, update: bool = False) -> Comms:
    return Comms(folder / "test_net.py", update, lambda: folder)


def seen(comms: Comms, monkeypatch: pytest.MonkeyPatch, *reports: dict[str, Any], warning: str = "") -> Record:
    @contextmanager
    def recording(_: Any) -> Iterator[Recording]:
        found = Recording()
        yield found
        found.reports, found.warnings = list(reports), [warning] if warning else []

    monkeypatch.setattr(comms_module, "recording", recording)
    with comms.record() as record, pytest.raises(RuntimeError, match="assert below it"):
        record.assert_counts()
    return record


@pytest.mark.usefixtures("diff")
def test_counts_of_each_rank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record = seen(made(tmp_path), monkeypatch, report(0), report(1), report(2, calls=3))
    with pytest.raises(AssertionError) as error:
        record.assert_counts(all_reduce=1)
    first, second = str(error.value).split("\n\non ")
    assert first.startswith("on rank 0, rank 1:\nall_reduce: 2 calls, expected 1\n\nKIND ")
    assert second.startswith("rank 2:\nall_reduce: 3 calls, expected 1\n")
    seen(made(tmp_path), monkeypatch, report()).assert_counts(all_reduce=2)


@pytest.mark.usefixtures("diff")
def test_wrong_arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record = seen(made(tmp_path), monkeypatch, report())
    with pytest.raises(TypeError, match="'allreduce' is no kind of collective: all_reduce, "):
        record.assert_counts(allreduce=2)
    with pytest.raises(TypeError, match="per='steps' is none of record, step"):
        record.assert_counts(per="steps", all_reduce=2)
    with pytest.raises(AssertionError, match="module='Nett' names none of: Net"):
        record.assert_counts(module="Nett", exact=False)
    for name in ("", "a/b", "/a"):
        with pytest.raises(ValueError, match="is no name of a file"):
            record.assert_matches(name)


def test_snapshots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, diff: Diff) -> None:
    path = tmp_path / "__comms__" / "test_net" / "step.json"
    record = seen(made(tmp_path), monkeypatch, report())
    with pytest.raises(AssertionError, match=f"no snapshot {path}: run pytest --comms-update to write it"):
        record.assert_matches("step")
    seen(made(tmp_path, update=True), monkeypatch, report()).assert_matches("step")
    assert [each.name for each in path.parent.iterdir()] == ["step.json"]
    record.assert_matches("step")
    assert diff.calls == 0
    other = seen(made(tmp_path), monkeypatch, report(calls=3))
    with pytest.raises(AssertionError, match=r"step\.json has other communication .*\none more"):
        other.assert_matches("step")
    diff.found = ""
    other.assert_matches("step")


def snapshot(group: str = "0", **step: Any) -> str:
    """Returns a snapshot whose only step has these numbers."""
    collectives = [{"module": "Net", "group": group, "count": 1, "bytes": 8}]
    steps = [{"times": 1, "steps": 1, "collectives": [], **step}]
    reports = [{"ranks": [0], "groups": [{"name": "0"}], "collectives": collectives, "steps": steps}]
    return json.dumps({"schema": "commtap.snapshot/1", "world_size": 1, "reports": reports})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"schema": "commtap.snapshot/9"}',
        '{"schema": "commtap.snapshot/1"}',
        "[" * 200_000 + "]" * 200_000,
        snapshot(group="9"),
        snapshot(times=-1),
        snapshot(times=10**12),
        snapshot(steps=0),
        snapshot(collectives=[{"count": -1, "bytes": 0}]),
        snapshot(collectives=[{"count": 1.5, "bytes": 0}]),
    ],
)
@pytest.mark.usefixtures("diff")
def test_damaged_snapshots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    path = made(tmp_path).path_of("step")
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    with pytest.raises(AssertionError, match=r"step.json is .*: run pytest --comms-update to write it"):
        seen(made(tmp_path), monkeypatch, report()).assert_matches("step")


@pytest.mark.usefixtures("diff")
def test_a_snapshot_of_two_tests_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record = seen(made(tmp_path, update=True), monkeypatch, report())
    monkeypatch.setenv("PYTEST_CURRENT_TEST", "test_net.py::test_one (call)")
    record.assert_matches("step")
    record.assert_matches("step")
    monkeypatch.setenv("PYTEST_CURRENT_TEST", "test_net.py::test_two (call)")
    with pytest.raises(AssertionError, match=r"step\.json is the snapshot of test_net\.py::test_one: give"):
        record.assert_matches("step")


def test_an_equal_snapshot_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, diff: Diff) -> None:
    comms = made(tmp_path, update=True)
    seen(comms, monkeypatch, report()).assert_matches("step")
    before = comms.path_of("step").stat()
    seen(comms, monkeypatch, report()).assert_matches("step")
    assert comms.path_of("step").stat().st_ino == before.st_ino
    seen(comms, monkeypatch, report(calls=3)).assert_matches("step")
    assert json.loads(comms.path_of("step").read_text(encoding="utf-8"))["reports"][0]["collectives"][0]["count"] == 3
    assert diff.calls == 0


@pytest.mark.usefixtures("diff")
def test_each_rank_of_a_launcher_has_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK", "3")
    monkeypatch.setenv("WORLD_SIZE", "1")
    assert made(tmp_path).path_of("step").name == "step.json"
    monkeypatch.setenv("WORLD_SIZE", "4")
    assert made(tmp_path).path_of("step").name == "step.rank3.json"


@pytest.mark.usefixtures("diff")
def test_something_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.warns(CommsWarning, match="forked"):
        seen(made(tmp_path), monkeypatch, report(), warning="commtap did not count 1 forked processes")
