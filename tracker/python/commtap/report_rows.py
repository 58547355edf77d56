# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The columns by which rows of a report (docs/report.md) differ, and sums of rows."""

from collections.abc import Iterable, Sequence
from typing import Any

Row = dict[str, Any]

#: The key of a row of `collectives`, without `setup`.
COLLECTIVE_KEY = (
    "module",
    "phase",
    "op",
    "kind",
    "group",
    "dtype",
    "reduce_op",
    "async",
    "issued_in",
    "label",
    "compiled",
)
STEP_COLLECTIVE_KEY = ("kind", "group")
MEMBER_KEY = ("row", "module")
NOT_SEEN_KEY = ("reason", "detail")


def key_of(row: Row, columns: Sequence[str]) -> tuple[Any, ...]:
    """Returns the values of the columns of a key."""
    return tuple(row.get(name) for name in columns)


def summed(rows: Iterable[Row], columns: Sequence[str]) -> dict[tuple[Any, ...], Row]:
    """Returns the rows by key; the calls and bytes of rows of one key are added up."""
    sums: dict[tuple[Any, ...], Row] = {}
    for row in rows:
        total = sums.setdefault(key_of(row, columns), {**row, "count": 0, "bytes": 0})
        total["count"] += row["count"]
        total["bytes"] += row.get("bytes", 0)
    return sums
