# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""commtap.control: each function calls its C function, and turns an error into an exception."""

import ctypes
import json
from collections.abc import Callable
from typing import Any

import commtap
import pytest
from commtap import control
from commtap.native import CollectiveRow
from fake_native import FakeNative


@pytest.mark.parametrize("name", ["start", "stop", "reset", "mark_step"])
def test_a_function_without_arguments(library: FakeNative, name: str) -> None:
    assert getattr(commtap, name)() is None
    assert library.calls == [(name, ())]
    library.results[name] = -3
    with pytest.raises(RuntimeError, match=r"^commtap: cannot \w+.* \(error -3\)$"):
        getattr(commtap, name)()


@pytest.mark.parametrize(("result", "expected"), [(0, False), (1, True), (-1, False)])
def test_is_backward(library: FakeNative, result: int, expected: bool) -> None:
    library.results["is_backward"] = result
    assert commtap.is_backward() is expected


def test_current_step(library: FakeNative) -> None:
    library.results["current_step"] = 7
    assert commtap.current_step() == 7
    library.results["current_step"] = -1
    with pytest.raises(RuntimeError, match="no step"):
        commtap.current_step()


def text_source(text: bytes) -> Callable[[Any, int], int]:
    """A C function that copies a text into a buffer and returns the whole length, as snprintf does."""

    def read(buffer: Any, size: int) -> int:
        ctypes.memmove(buffer, text[: size - 1] + b"\0", min(len(text), size - 1) + 1)
        return len(text)

    return read


@pytest.mark.parametrize("length", [0, 1, 4095, 4096, 4097, 100_000])
def test_a_text_of_any_length(library: FakeNative, length: int) -> None:
    library.results["current_module"] = text_source(b"m" * length)
    assert commtap.current_module() == "m" * length


def test_a_text_that_is_not_utf8(library: FakeNative) -> None:
    library.results["current_module"] = text_source(b"Net\xff")
    assert commtap.current_module() == "Net\ufffd"


def test_a_text_that_grows_between_two_calls(library: FakeNative) -> None:
    lengths = iter([5000, 10_000, 20_000, 20_000])
    library.results["current_module"] = lambda buffer, size: text_source(b"m" * next(lengths))(buffer, size)
    assert commtap.current_module() == "m" * 20_000


def test_snapshot(library: FakeNative) -> None:
    report = {"schema": "commtap/2", "rows": list(range(5000))}
    library.results["snapshot"] = text_source(json.dumps(report).encode())
    assert commtap.snapshot() == report
    library.results["snapshot"] = -3
    with pytest.raises(RuntimeError, match="no snapshot"):
        commtap.snapshot()


def test_snapshot_file(library: FakeNative) -> None:
    assert commtap.snapshot("some/path.json") is None
    assert library.calls == [("snapshot_file", (b"some/path.json",))]
    library.results["snapshot_file"] = -3
    with pytest.raises(RuntimeError, match=r"cannot write some/path\.json \(error -3\)"):
        commtap.snapshot("some/path.json")


def test_scope(library: FakeNative) -> None:
    with commtap.scope("é"):
        assert library.calls == [("scope_push", ("é".encode(),))]
    assert library.names() == ["scope_push", "scope_pop"]


def test_a_scope_ends_with_an_exception(library: FakeNative) -> None:
    with pytest.raises(ZeroDivisionError), commtap.scope("step"):
        raise ZeroDivisionError
    assert library.names() == ["scope_push", "scope_pop"]


def test_a_scope_that_was_not_entered_is_not_left(library: FakeNative) -> None:
    library.results["scope_push"] = -2
    with pytest.raises(RuntimeError, match="'' is no name of a scope"), commtap.scope(""):
        pass
    assert library.names() == ["scope_push"]


def rows_source(library: FakeNative, count: int) -> None:
    """The library's captures have `count` rows, numbered in their bytes."""

    def read(capture: int, rows: Any, capacity: int) -> int:
        for i in range(min(count, capacity)):
            row: CollectiveRow = rows[i]
            row.module, row.issued_in, row.issued_in_id = b"Net", b"Net.up", 3
            row.phase, row.op, row.kind = b"forward", b"c10d.allreduce_", b"all_reduce"
            row.group, row.dtype, row.count, row.bytes = b"tp\xff", b"float32", 2, i
        return count

    library.results |= {"capture_begin": 7, "capture_read": read}


def test_a_capture_reads_its_rows_until_it_ends(library: FakeNative) -> None:
    rows_source(library, 2)
    with commtap.Capture(commtap.Threads.THIS) as capture:
        assert [row.bytes for row in capture.collectives()] == [0, 1]
        rows_source(library, 3)
    assert library.calls[0] == ("capture_begin", (commtap.Threads.THIS,))
    assert library.calls[-1] == ("capture_end", (7,))
    calls = len(library.calls)
    assert capture.collectives()[2] == commtap.Collective(
        module="Net",
        issued_in="Net.up",
        issued_in_id=3,
        phase="forward",
        op="c10d.allreduce_",
        kind="all_reduce",
        group="tp\ufffd",
        dtype="float32",
        count=2,
        bytes=2,
    )
    assert len(library.calls) == calls


@pytest.mark.parametrize("count", [0, 64, 65, 1000])
def test_a_capture_of_any_number_of_rows(library: FakeNative, count: int) -> None:
    rows_source(library, count)
    with commtap.Capture() as capture:
        pass
    assert [row.bytes for row in capture.collectives()] == list(range(count))


def test_a_capture_that_cannot_begin(library: FakeNative) -> None:
    library.results["capture_begin"] = -3
    with pytest.raises(RuntimeError, match="cannot capture"), commtap.Capture():
        pass
    assert library.names() == ["capture_begin"]


def test_a_capture_begins_empty_each_time(library: FakeNative) -> None:
    rows_source(library, 2)
    capture = commtap.Capture()
    assert capture.collectives() == []
    with capture:
        pass
    library.results["capture_begin"] = -3
    with pytest.raises(RuntimeError):
        capture.__enter__()
    assert capture.collectives() == []


def test_all_names_are_exported() -> None:
    assert all(hasattr(commtap, name) for name in commtap.__all__)
    assert {name for name in commtap.__all__ if hasattr(control, name)} >= {"Capture", "Threads", "scope", "snapshot"}
