# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Start, stop, reset, snapshots, scopes and captures: `shim/commtap.h` in Python."""

import contextlib
import ctypes
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from commtap.native import CollectiveRow, native


class Threads(IntEnum):
    """Whose collectives a capture counts."""

    #: Those of all threads of the process: autograd's, the job's own.
    ALL = 0
    #: Those that the thread makes that began the capture.
    THIS = 1


@dataclass(frozen=True)
class Collective:
    """Calls of one op by one module in one phase over one group."""

    #: For whom, by its raw name: "MLPModule.net1".
    module: str
    #: Inside whom the call was made.
    issued_in: str
    #: The same as the report's modules[].id.
    issued_in_id: int
    #: "forward", "backward", "recompute", "optimizer" or "other".
    phase: str
    #: "c10d.allreduce_".
    op: str
    #: "all_reduce".
    kind: str
    #: The process group's name; "" if it is not known.
    group: str
    #: "float32"; "" for none.
    dtype: str
    #: Calls.
    count: int
    #: Payload of all calls in bytes, as nccl-tests defines it (docs/report.md).
    bytes: int


def _check(result: int, what: str) -> int:
    if result < 0:
        raise RuntimeError(f"commtap: {what} (error {result})")
    return result


def start() -> None:
    """Watching goes on after `stop`."""
    _check(native().start(), "cannot start")


def stop() -> None:
    """Takes everything out of the process that costs anything; nothing is counted until `start`."""
    _check(native().stop(), "cannot stop")


def reset() -> None:
    """All counters of the report are 0 again. Open captures and contexts keep theirs."""
    _check(native().reset(), "cannot reset")


def mark_step() -> None:
    """A training step is over: for loops whose steps are not those of a `torch.optim` optimizer, which count else."""
    _check(native().mark_step(), "cannot end the step")


def _text(read: Callable[[Any, int], int], what: str) -> str:
    size = 4096
    while True:
        buffer = ctypes.create_string_buffer(size)
        length = _check(read(buffer, size), what)
        if length < size:
            return buffer.raw[:length].decode(errors="replace")
        size = length + 4096


def snapshot(path: str | None = None) -> dict[str, Any] | None:
    """The report as it stands (docs/report.md).

    Args:
        path: of a file to write it to, whole or not at all; None returns it.

    Raises:
        RuntimeError: the file cannot be written.
    """
    if path is None:
        return json.loads(_text(native().snapshot, "no snapshot"))
    _check(native().snapshot_file(str(path).encode()), f"cannot write {path}")
    return None


@contextlib.contextmanager
def scope(name: str) -> Iterator[None]:
    """Inside it this thread is in a module `name` below the one that it was in.

    For code that is no `torch.nn.Module`; a module call needs none of it.

    Raises:
        RuntimeError: the name is empty.
    """
    _check(native().scope_push(name.encode()), f"{name!r} is no name of a scope")
    try:
        yield
    finally:
        native().scope_pop()


def current_module() -> str:
    """The clean name of the module that this thread is in; in backward of the one whose backward it is."""
    return _text(native().current_module, "no module")


def is_backward() -> bool:
    """Whether autograd runs a backward on this thread."""
    return native().is_backward() == 1


class Capture:
    """Counts what happens while it is open, in a table of its own. A context manager; captures nest.

    Counting is the tracker's: on every thread, in compiled code too, at no cost to ordinary ops.
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
        """One row for each distinct combination, in the order of first calls; also while it is open."""
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
