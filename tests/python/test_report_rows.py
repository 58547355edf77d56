# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of `commtap.report_rows`."""

import re
from pathlib import Path

from commtap.report_rows import COLLECTIVE_KEY, STEP_COLLECTIVE_KEY, key_of, summed

REPOSITORY = Path(__file__).resolve().parents[2]


def test_the_key_is_the_reports() -> None:
    """The columns that report/json/row_columns.h marks as the key of a row, without set-up."""
    folder = REPOSITORY / "report" / "json"
    fields = dict(re.findall(r'k(\w+) = "(\w+)"', (folder / "fields.h").read_text(encoding="utf-8")))
    source = (folder / "row_columns.h").read_text(encoding="utf-8")
    columns = source.partition("auto kCallColumns = ")[2].partition("kColumns<Collective> = ")
    described = columns[0] + columns[2].partition("\n    });")[0]
    keys = [each for each in described.split("    column")[1:] if ".key = true" in each]
    names = [fields[re.search(r"field::k(\w+)", each)[1]] for each in keys]
    assert set(names) - {"setup"} == set(COLLECTIVE_KEY)


def test_rows_of_one_key_are_added_up() -> None:
    """Calls and bytes; a row without bytes, as of `not_seen`, has none."""
    rows = [
        {"kind": "send", "group": "pp", "count": 1, "bytes": 8},
        {"kind": "recv", "group": "pp", "count": 5},
        {"kind": "send", "group": "pp", "count": 2, "bytes": 16},
    ]
    sums = summed(rows, STEP_COLLECTIVE_KEY)
    assert sums[key_of(rows[0], STEP_COLLECTIVE_KEY)] == {"kind": "send", "group": "pp", "count": 3, "bytes": 24}
    assert sums["recv", "pp"]["count"] == 5
    assert sums["recv", "pp"]["bytes"] == 0
    assert rows[0]["count"] == 1
