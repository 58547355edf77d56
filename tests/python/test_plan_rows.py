# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The rows of two ranks' reports that `commtap plan` takes for the same row."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "plan"))

from commtap_plan import planner

ROW = {
    "module": "Global",
    "issued_in": "Global",
    "phase": "other",
    "op": "c10d.allreduce_",
    "kind": "all_reduce",
    "group": "0",
    "dtype": "float32",
    "reduce_op": "sum",
    "async": False,
    "label": None,
    "count": 1,
    "bytes": 4,
}
GROUPS = [{"name": "0", "desc": "dp"}, {"name": "1", "desc": ""}]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("module", "Net"),
        ("issued_in", "Net"),
        ("phase", "backward"),
        ("op", "c10d.reduce_"),
        ("kind", "reduce"),
        ("group", "1"),
        ("dtype", "bfloat16"),
        ("reduce_op", "max"),
        ("async", True),
        ("label", "val_metric"),
        ("compiled", True),
        ("setup", True),
    ],
)
def test_rows_that_differ_in_a_column_are_two(name: str, value: object) -> None:
    rows = planner.rows_of({"groups": GROUPS, "collectives": [ROW, ROW | {name: value}]})
    assert list(rows.values()) == [(1, 4), (1, 4)]


def test_equal_rows_add_up() -> None:
    """The reports of a plan's ranks may number the same process group otherwise."""
    rows = planner.rows_of({"groups": GROUPS, "collectives": [ROW, ROW]})
    assert list(rows.values()) == [(2, 8)]
    [key] = rows
    assert "dp" in key
