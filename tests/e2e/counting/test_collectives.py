# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Each collective of the API, outside any module, on two ranks: its row's fields and its size."""

from typing import NamedTuple

import pytest
from catalogue import JOBS
from harness import Runner


class Expected(NamedTuple):
    """An expected row, with module Global and phase other."""

    op: str
    dtype: str | None
    reduce_op: str | None
    is_async: bool | None
    count: int
    size: int


SIZE = 2
#: Rows of ops that neither the functional nor the object collectives use; those have tests of their own.
PLAIN = [
    # Reductions: 6 floats; 3 int64; 5 doubles; an input of 2 x 2 floats, as a list and as one tensor of 2 x 3.
    Expected("c10d.allreduce_", "float32", "sum", False, 1, 6 * 4),
    Expected("c10d.allreduce_", "int64", "max", True, 1, 3 * 8),
    Expected("c10d.reduce_", "float64", "sum", False, 1, 5 * 8),
    Expected("c10d.reduce_scatter_", "float32", "sum", False, 1, SIZE * 2 * 4),
    Expected("c10d._reduce_scatter_base_", "float32", "sum", False, 1, SIZE * 3 * 4),
    # Gathers: the whole output; for gather and scatter, this rank's share times the group size.
    Expected("c10d.allgather_", "bfloat16", None, False, 1, SIZE * 4 * 2),
    Expected("c10d._allgather_base_", "float32", None, False, 1, SIZE * 2 * 4),
    Expected("c10d.gather_", "float32", None, False, 1, SIZE * 3 * 4),
    Expected("c10d.scatter_", "float32", None, False, 1, SIZE * 7 * 4),
    Expected("c10d.alltoall_", "float32", None, False, 1, SIZE * 3 * 4),
    Expected("c10d.monitored_barrier_", None, None, None, 1, 0),
    # The job makes one barrier itself and one at its end.
    Expected("c10d.barrier", None, None, False, 2, 0),
    # Two tensors of 3 and 5 floats, once in the coalesced call and once in the coalescing manager.
    Expected("c10d.allreduce_coalesced_", "float32", "sum", False, 2, 2 * (3 + 5) * 4),
    Expected("c10d.allgather_coalesced_", "float32", None, False, 1, SIZE * (2 + 4) * 4),
]


@pytest.mark.parametrize("rank", range(SIZE))
@pytest.mark.parametrize("expected", PLAIN, ids=lambda expected: f"{expected.op}-{expected.dtype}")
def test_collective(runner: Runner, rank: int, expected: Expected) -> None:
    """Op, dtype, reduction, async flag, calls and bytes are as expected, on each rank."""
    report = runner.shim(JOBS["collectives"]).report(rank)
    rows = report.rows(op=expected.op, dtype=expected.dtype)
    assert [(row["module"], row["issued_in"], row["phase"], row["lowered"]) for row in rows] == [
        ("Global", "Global", "other", [])
    ]
    [row] = rows
    assert (row["reduce_op"], row["async"], row["count"], row["bytes"]) == (
        expected.reduce_op,
        expected.is_async,
        expected.count,
        expected.size,
    )


@pytest.mark.parametrize("rank", range(SIZE))
def test_all_to_all_single(runner: Runner, rank: int) -> None:
    """The payload is this rank's whole input: 2 floats to each; with unequal splits, rank + 1 floats to each."""
    [row] = runner.shim(JOBS["collectives"]).report(rank).rows(op="c10d.alltoall_base_")
    assert (row["count"], row["bytes"]) == (2, (SIZE * 2 + SIZE * (rank + 1)) * 4)


def test_point_to_point(runner: Runner) -> None:
    """Rank 0 sends 5 floats, 8 floats, and 4 int32 without waiting; both ranks send 6 floats around the ring.

    Rank 1 receives the 8 floats from any source, which is a separate op.
    """
    sender, receiver = (runner.shim(JOBS["collectives"]).report(rank) for rank in range(SIZE))
    point_to_point = {"op": ("c10d.send", "c10d.recv_", "c10d.recv_any_source_")}
    assert sender.table("op", "dtype", **point_to_point) == {
        ("c10d.send", "float32"): 3,
        ("c10d.send", "int32"): 1,
        ("c10d.recv_", "float32"): 1,
    }
    assert sender.table("op", "dtype", field="bytes", **point_to_point) == {
        ("c10d.send", "float32"): (5 + 8 + 6) * 4,
        ("c10d.send", "int32"): 4 * 4,
        ("c10d.recv_", "float32"): 6 * 4,
    }
    assert receiver.table("op", "dtype", field="bytes", **point_to_point) == {
        ("c10d.send", "float32"): 6 * 4,
        ("c10d.recv_", "float32"): (5 + 6) * 4,
        ("c10d.recv_", "int32"): 4 * 4,
        ("c10d.recv_any_source_", "float32"): 8 * 4,
    }
    assert all(row["async"] is None for row in sender.rows(**point_to_point))


@pytest.mark.parametrize("rank", range(SIZE))
def test_object_collectives(runner: Runner, rank: int) -> None:
    """Object collectives move pickled bytes after their lengths.

    all_gather_object and gather_object gather the lengths on every rank. broadcast_object_list and
    scatter_object_list send them from rank 0. A plain broadcast adds 9 bytes.
    """
    report = runner.shim(JOBS["collectives"]).report(rank)
    kinds = {"kind": ("all_gather", "broadcast", "gather", "scatter"), "dtype": ("int64", "uint8")}
    assert report.table("kind", "dtype", **kinds) == {
        ("all_gather", "int64"): 2,
        ("all_gather", "uint8"): 1,
        ("gather", "uint8"): 1,
        ("broadcast", "int64"): 2,
        ("broadcast", "uint8"): 2,
        ("scatter", "uint8"): 1,
        ("scatter", "int64"): 1,
    }
    assert report.total("bytes", kind="all_gather", dtype="int64") == 2 * SIZE * 8
    assert report.total("bytes", kind="scatter", dtype="int64") == SIZE * 8
    # One length for the list's only object; one for the longest scattered object.
    assert report.total("bytes", kind="broadcast", dtype="int64") == 2 * 8


@pytest.mark.parametrize("rank", range(SIZE))
@pytest.mark.parametrize(
    ("op", "lowered", "reduce_op", "size"),
    [
        ("all_reduce", "c10d.allreduce_", "sum", 4 * 4),
        ("all_gather_into_tensor", "c10d.allgather_into_tensor_coalesced_", None, SIZE * 4 * 4),
        ("reduce_scatter_tensor", "c10d.reduce_scatter_tensor_coalesced_", "sum", 4 * 4),
        ("all_to_all_single", "c10d.alltoall_base_", None, 4 * 4),
        ("broadcast", "c10d.broadcast_", None, 4 * 4),
        ("all_reduce_coalesced", "c10d.allreduce_coalesced_", "max", (4 + 2) * 4),
        ("all_gather_into_tensor_coalesced", "c10d.allgather_into_tensor_coalesced_", None, SIZE * (4 + 2) * 4),
        ("reduce_scatter_tensor_coalesced", "c10d.reduce_scatter_tensor_coalesced_", "sum", (4 + 2) * 4),
    ],
)
def test_functional(runner: Runner, rank: int, op: str, lowered: str, reduce_op: str | None, size: int) -> None:
    """One call is one collective; the underlying c10d op is named but not counted."""
    [row] = runner.shim(JOBS["collectives"]).report(rank).rows(op=f"_c10d_functional.{op}")
    assert (row["count"], row["bytes"], row["dtype"]) == (1, size, "float32")
    assert (row["lowered"], row["reduce_op"]) == ([lowered], reduce_op)
