# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The reports of processes that a block of code started: by exec, with a folder of their own, or by fork."""

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path

from commtap.command import run_command
from commtap.locations import library_path
from commtap.report_rows import Row

#: The pipes, one per open block, into which each forked process writes its pid.
_pipes: list[int] = []
_is_hooked = False


def _note_fork() -> None:
    """Runs in a forked process."""
    for pipe in _pipes:
        try:
            os.write(pipe, b"%d\n" % os.getpid())
        except OSError:
            # The pipe is full, or the process has closed all its files.
            continue


@contextlib.contextmanager
def note_forks() -> Iterator[list[int]]:
    """Yields a list that has, after the block, the pids of the processes that it forked."""
    global _is_hooked
    if not _is_hooked:
        os.register_at_fork(after_in_child=_note_fork)
        _is_hooked = True
    pids: list[int] = []
    reader, writer = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    _pipes.append(writer)
    try:
        yield pids
    finally:
        _pipes.remove(writer)
        os.close(writer)
        # That is raised if no process has written and a forked one still has the other end.
        with contextlib.suppress(BlockingIOError):
            pids += [int(line) for line in os.read(reader, 65536).split()]
        os.close(reader)


def _reports_in(folder: Path) -> list[Row]:
    if any(folder.rglob("*.ledger")):
        run_command("list", str(folder))
    found = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.json"))]
    return [report for report in found if report.get("schema", "").startswith("commtap/")]


def reports_of_started(folder: Path) -> list[Row]:
    """Returns the reports of the processes that wrote to `folder`.

    Raises:
        RuntimeError: a process that writes there has not ended.
    """
    if not folder.is_dir():
        return []
    found = _reports_in(folder)
    if left := sorted(folder.rglob("*.ledger")):
        raise RuntimeError(
            f"commtap: {len(left)} processes that were started inside comms.record() have not ended, or what they left "
            f"cannot be read: end them inside it, and see commtap show {folder}"
        )
    return found


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


def reports_of_forks(pids: list[int]) -> tuple[list[Row], str]:
    """Returns the reports of forked processes, and a sentence on those that are not counted, else "".

    They write to the folder of this process, for which it must have been preloaded.
    """
    if not pids:
        return [], ""
    out = os.environ.get("COMMTAP_OUT", "")
    is_readable = "%" not in out and os.environ.get("COMMTAP_COMPRESS", "off") == "off"
    if not out or not is_readable or str(library_path()) not in os.environ.get("LD_PRELOAD", ""):
        advice = "run pytest --commtap, without COMMTAP_OUT and COMMTAP_COMPRESS"
        return [], f"commtap did not count {len(pids)} forked processes: {advice}"
    found = [report for report in _reports_in(Path(out)) if report["job"]["pid"] in pids]
    running = sum(map(_is_running, set(pids) - {report["job"]["pid"] for report in found}))
    return found, f"commtap did not count {running} forked processes that have not ended" if running else ""
