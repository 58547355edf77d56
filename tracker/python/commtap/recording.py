# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Records what a block of code communicates: the part of this process, and the processes that it starts."""

import itertools
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from commtap.control import snapshot
from commtap.preload import ld_preload
from commtap.report_difference import difference
from commtap.report_rows import Row
from commtap.started_processes import note_forks, reports_of_forks, reports_of_started

_numbers = itertools.count()


@dataclass
class Recording:
    """The communication of a block; filled at its end."""

    #: One per process that communicated, in the order of ranks; at least one.
    reports: list[Row] = field(default_factory=list)
    #: A sentence for each thing that the reports may lack.
    warnings: list[str] = field(default_factory=list)


@contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    """Sets variables for the processes that a block starts, and restores them."""
    old = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in old.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _folder(make_folder: Callable[[], Path]) -> Path:
    """Returns the folder for reports of started processes: below that of this process, whose run then has them."""
    name = f"record-{os.getpid()}-{next(_numbers)}"
    out = os.environ.get("COMMTAP_OUT", "")
    return Path(out).absolute() / name if out and "%" not in out else make_folder() / name


def _fill(recording: Recording, own: Row, others: list[Row]) -> None:
    """Fills a recording. This process is left out if it only started the others."""
    reports = [*([own] if own["collectives"] or not others else []), *others]
    recording.reports = sorted(reports, key=lambda each: (each["job"]["rank"] is None, each["job"]["rank"] or 0))
    for each in others:
        job = each["job"]
        if job.get("exit") in ("killed", "signal"):
            name = f"process {job['pid']}" if job["rank"] is None else f"rank {job['rank']} (process {job['pid']})"
            recording.warnings.append(f"{name} crashed or was killed inside the record: its counts end there")
    for each in reports:
        for row in each["not_seen"]:
            detail = f": {row['detail']}" if row["detail"] else ""
            recording.warnings.append(f"commtap missed something: {row['meaning']} ({row['count']} times{detail})")


@contextmanager
def recording(make_folder: Callable[[], Path]) -> Iterator[Recording]:
    """Counts what is communicated inside the `with` block. Blocks nest.

    Args:
        make_folder: returns a folder for reports of started processes, if COMMTAP_OUT names none.

    Raises:
        RuntimeError: there is no tracker for this torch, or a started process that communicates has not ended.
    """
    found = Recording()
    before = snapshot()
    assert before is not None
    folder = _folder(make_folder)
    # A run id of its own, so that the ranks that a block starts are not taken for those of an earlier block.
    own = {
        "COMMTAP_OUT": str(folder),
        "COMMTAP_RUN_ID": folder.name,
        "COMMTAP_COMPRESS": "off",
        "LD_PRELOAD": ld_preload(os.environ),
    }
    with note_forks() as forks, _environment(own):
        yield found
    after = snapshot()
    assert after is not None
    forked, not_counted = reports_of_forks(forks)
    if not_counted:
        found.warnings.append(not_counted)
    _fill(found, difference(before, after), [*reports_of_started(folder), *forked])
