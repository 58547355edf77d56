# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The object behind pytest's fixture `comms`: records of what a test communicates, and assertions on them."""

import json
import os
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from commtap.comm_snapshot import SCHEMA, check, snapshot_of, text_of, write_reports
from commtap.command import run_command
from commtap.recorded_counts import KINDS, UNITS, Filter, by_rank, faults_of_rank
from commtap.recording import recording

_UPDATE = "run pytest --comms-update"
#: The test that has written a snapshot, and the text: another one would replace it.
_WRITERS: dict[Path, tuple[str, str]] = {}


class CommsWarning(UserWarning):
    """Something that a record may lack."""


class Record:
    """The communication inside `comms.record()`: reports of this process's part and of the processes it started."""

    def __init__(self, comms: "Comms") -> None:
        self._comms = comms
        self._reports: list[dict[str, Any]] | None = None

    @property
    def reports(self) -> list[dict[str, Any]]:
        """One report per process (docs/report.md), in the order of ranks.

        Raises:
            RuntimeError: the `with` block has not ended, or ended with an exception.
        """
        if self._reports is None:
            raise RuntimeError(
                "commtap: the counts are known after the block of comms.record(): assert below it; "
                "a block that an exception ended has none"
            )
        return self._reports

    def assert_counts(
        self,
        *,
        module: str | None = None,
        group: str | None = None,
        phase: str | None = None,
        per: str = "record",
        exact: bool = True,
        **kinds: int,
    ) -> None:
        """Asserts the number of calls of each kind, on each rank.

        Args:
            module: counts calls of these modules only, a pattern as in a budget: "Net.layers.*".
            group: counts calls over process groups of this description only, a pattern.
            phase: counts calls of this phase only.
            per: "record" counts all calls of the record. "step" counts them per training step, without set-up.
            exact: whether kinds that are not named must not occur.
            kinds: the calls expected on each rank: all_reduce=2.
        """
        __tracebackhide__ = True
        if unknown := [kind for kind in kinds if kind not in KINDS]:
            raise TypeError(f"{unknown[0]!r} is no kind of collective: {', '.join(KINDS)}")
        if per not in UNITS:
            raise TypeError(f"per={per!r} is none of {', '.join(UNITS)}")
        chosen = Filter(module, group, phase)
        if (nothing := chosen.unknown(self.reports)) is not None:
            raise AssertionError(nothing)
        faults: dict[tuple[str, ...], list[str]] = {}
        for rank, reports in by_rank(self.reports).items():
            if lines := faults_of_rank(reports, chosen, kinds, per, exact):
                faults.setdefault(tuple(lines), []).append(rank)
        if faults:
            raise AssertionError("\n\n".join("\n".join([f"on {', '.join(on)}:", *it]) for it, on in faults.items()))

    def assert_matches(self, name: str) -> None:
        """Asserts that the record is as in the snapshot `name`, or writes it with `pytest --comms-update`.

        Args:
            name: the file's name below `__comms__/TESTFILE`, without ".json".
        """
        __tracebackhide__ = True
        path = self._comms.path_of(name)
        now = snapshot_of(self.reports)
        if self._comms.update:
            test, text = os.environ.get("PYTEST_CURRENT_TEST", "").partition(" (")[0], text_of(now)
            other, written = _WRITERS.setdefault(path, (test, text))
            # The cases of one test may have one snapshot if it fits all.
            if other != test and (other.partition("[")[0] != test.partition("[")[0] or written != text):
                raise AssertionError(f"{path.name} is the snapshot of {other}: give this test another name")
            _write(path, text)
        elif not path.is_file():
            raise AssertionError(f"no snapshot {path}: {_UPDATE} to write it, and commit it")
        elif difference := _difference(path, now):
            raise AssertionError(f"{path.name} has other communication ({_UPDATE} to accept it)\n{difference}")


def _write(path: Path, text: str) -> None:
    """Writes a file atomically; leaves one that has this text as it is."""
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}.{os.getpid()}")
    new.write_text(text, encoding="utf-8")
    new.replace(path)


def _read(path: Path) -> dict[str, Any]:
    try:
        snapshot = json.loads(path.read_text(encoding="utf-8"))
        schema = snapshot["schema"]
        if schema == SCHEMA:
            check(snapshot)
            return snapshot
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise AssertionError(f"{path} is no snapshot: {error!r}: {_UPDATE} to write it") from None
    raise AssertionError(f"{path} is of schema {schema}, this commtap has {SCHEMA}: {_UPDATE} to write it")


def _difference(path: Path, now: dict[str, Any]) -> str:
    """Returns what `commtap diff` prints for a snapshot file and the record; "" if it finds no difference."""
    snapshot = _read(path)
    if snapshot == json.loads(text_of(now)):
        return ""
    with tempfile.TemporaryDirectory(prefix="commtap-") as folder:
        try:
            write_reports(snapshot, Path(folder) / "snapshot")
        except (KeyError, TypeError, AttributeError) as error:
            raise AssertionError(f"{path} is no snapshot: {error!r}: {_UPDATE} to write it") from None
        write_reports(now, Path(folder) / "now")
        done = run_command("diff", "snapshot", "now", cwd=Path(folder))
    return done.stdout + done.stderr if done.returncode != 0 else ""


class Comms:
    """pytest's fixture `comms`.

    Args:
        test_file: the file of the test; snapshots are below `__comms__` next to it.
        update: whether `assert_matches()` writes snapshots.
        make_folder: returns a new folder for the reports of processes that a test starts.
    """

    def __init__(self, test_file: Path, update: bool, make_folder: Callable[[], Path]) -> None:
        self.update = update
        self._test_file = test_file
        self._make_folder = make_folder
        # A launcher has started this pytest as one of several ranks, each of which has its own snapshots.
        launched = int(os.environ.get("WORLD_SIZE") or 1) > 1
        self._suffix = f".rank{os.environ['RANK']}" if launched and os.environ.get("RANK") else ""

    def path_of(self, name: str) -> Path:
        """Returns the path of a snapshot."""
        if not name or Path(name).name != name:
            raise ValueError(f"{name!r} is no name of a file")
        return self._test_file.parent / "__comms__" / self._test_file.stem / f"{name}{self._suffix}.json"

    @contextmanager
    def record(self) -> Iterator[Record]:
        """Counts what this process communicates in the `with` block, and the processes that start and end in it.

        Raises:
            RuntimeError: there is no tracker for this torch, or a process that communicated has not ended.
        """
        record = Record(self)
        with recording(self._make_folder) as found:
            yield record
        for line in found.warnings:
            warnings.warn(line, CommsWarning, stacklevel=3)
        record._reports = found.reports
