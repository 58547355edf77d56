# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Start, stop, reset, snapshots, scopes and captures: the functions of `shim/commtap.h` in Python."""

import contextlib
import ctypes
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from commtap.native import CollectiveRow, native


class Threads(IntEnum):
    """The threads whose collectives a capture counts."""

    #: All threads of the process, including autograd's and the job's own.
    ALL = 0
    #: Only the thread that begins the capture.
    THIS = 1


@dataclass(frozen=True)
class Collective:
    """The calls of one op, in one module and phase, over one group."""

    #: The raw name of the attributed module: "MLPModule.net1".
    module: str
    #: The raw name of the issuing module.
    issued_in: str
    #: The id of the issuing module: modules[].id in the report.
    issued_in_id: int
    #: "forward", "backward", "recompute", "optimizer" or "other".
    phase: str
    #: The op's name: "c10d.allreduce_".
    op: str
    #: The kind of collective: "all_reduce".
    kind: str
    #: The process group's name; "" if unknown.
    group: str
    #: The payload's dtype: "float32"; "" if there is no payload.
    dtype: str
    #: The number of calls.
    count: int
    #: The payload of all calls in bytes, as nccl-tests defines it (docs/report.md).
    bytes: int


def _check(result: int, what: str) -> int:
    if result < 0:
        raise RuntimeError(f"commtap: {what} (error {result})")
    return result


def start() -> None:
    """Resumes counting after `stop`. Counting is on when the library is loaded.

    Must not run while another thread makes a collective.

    Raises:
        RuntimeError: there is no tracker for this torch, or the change failed.
    """
    _check(native().start(), "cannot start")


def stop() -> None:
    """Stops counting until `start`, and removes the kernels and the module hook from the process.

    Must not run while another thread makes a collective.

    Raises:
        RuntimeError: there is no tracker for this torch, or the change failed.
    """
    _check(native().stop(), "cannot stop")


def reset() -> None:
    """Sets all counters of the report, and the call counts of its modules, to 0.

    Open captures and contexts keep their counts.

    Raises:
        RuntimeError: there is no tracker for this torch.
    """
    _check(native().reset(), "cannot reset")


def mark_step() -> None:
    """Ends a training step. From then on the steps of `torch.optim` optimizers no longer end one.

    Raises:
        RuntimeError: there is no tracker for this torch.
    """
    _check(native().mark_step(), "cannot end the step")


def current_step() -> int:
    """Returns the number of the running training step, from 0.

    Raises:
        RuntimeError: there is no tracker for this torch.
    """
    return _check(native().current_step(), "no step")


def _text(read: Callable[[Any, int], int], what: str) -> str:
    size = 4096
    while True:
        buffer = ctypes.create_string_buffer(size)
        length = _check(read(buffer, size), what)
        if length < size:
            return buffer.raw[:length].decode(errors="replace")
        size = length + 4096


def snapshot(path: str | None = None) -> dict[str, Any] | None:
    """Returns the report so far (docs/report.md), or writes it to a file atomically.

    Args:
        path: the file to write; with None the report is returned and nothing is written.

    Returns:
        The parsed report; None if `path` is given.

    Raises:
        RuntimeError: the file cannot be written, or there is no tracker for this torch.
    """
    if path is None:
        return json.loads(_text(native().snapshot, "no snapshot"))
    _check(native().snapshot_file(str(path).encode()), f"cannot write {path}")
    return None


@contextlib.contextmanager
def scope(name: str) -> Iterator[None]:
    """Puts this thread in a module `name`, a child of the current module, for the duration of a `with` block.

    For code without a `torch.nn.Module`; module calls are attributed without it.

    Args:
        name: the module's name below its parent; must not be empty.

    Raises:
        RuntimeError: the name is empty, or there is no tracker for this torch.
    """
    _check(native().scope_push(name.encode()), f"{name!r} is no name of a scope")
    try:
        yield
    finally:
        native().scope_pop()


def current_module() -> str:
    """Returns the clean name of the module that this thread is in; in backward, of the module whose backward runs."""
    return _text(native().current_module, "no module")


def is_backward() -> bool:
    """Returns whether autograd runs a backward on this thread."""
    return native().is_backward() == 1


class Capture:
    """Counts the collectives made while it is open, in a table of its own. A context manager; captures nest.

    The tracker counts them on every thread and in compiled code. Ops other than collectives run unchanged.

    Args:
        threads: the threads whose collectives are counted.

    Raises:
        RuntimeError: at entry, if there is no tracker for this torch.

    Example::

        with commtap.Capture() as capture:
            model(batch).sum().backward()
        payload = sum(row.bytes for row in capture.collectives())
    """

    def __init__(self, threads: Threads = Threads.ALL) -> None:
        self.threads = threads
        self._number = 0
        self._rows: list[Collective] = []

    def __enter__(self) -> "Capture":
        self._rows = []
        self._number = _check(native().capture_begin(self.threads), "cannot capture")
        return self

    def __exit__(self, *_: object) -> None:
        self._rows = self._read()
        native().capture_end(self._number)
        self._number = 0

    def collectives(self) -> list[Collective]:
        """Returns one row per distinct combination, in the order of first calls, also while the capture is open."""
        return self._read() if self._number else self._rows

    def _read(self) -> list[Collective]:
        capacity = 64
        while True:
            rows = (CollectiveRow * capacity)()
            found = _check(native().capture_read(self._number, rows, capacity), "the capture has ended")
            if found <= capacity:
                return [_collective(row) for row in rows[:found]]
            capacity = found + 64


def _collective(row: CollectiveRow) -> Collective:
    return Collective(
        module=row.module.decode(errors="replace"),
        issued_in=row.issued_in.decode(errors="replace"),
        issued_in_id=row.issued_in_id,
        phase=row.phase.decode(),
        op=row.op.decode(),
        kind=row.kind.decode(),
        group=row.group.decode(errors="replace"),
        dtype=row.dtype.decode(),
        count=row.count,
        bytes=row.bytes,
    )
