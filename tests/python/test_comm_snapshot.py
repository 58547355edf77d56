# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""commtap.comm_snapshot: a snapshot has what each run of a test has, and no more."""

import json
from pathlib import Path
from typing import Any

import jsonschema
from commtap.comm_snapshot import snapshot_of, text_of, write_reports

REPOSITORY = Path(__file__).resolve().parents[2]


def step(calls: int, ended: bool = True) -> dict[str, Any]:
    collectives = [{"kind": "all_reduce", "group": "7", "count": calls, "bytes": 8 * calls}] if calls else []
    times = {"started_at": "now", "ended_at": "now" if ended else None}
    return {"first_step": 0, "steps": 1, "forward_passes": 1, "backward_passes": 1, "collectives": collectives, **times}


def report(rank: int, host: str = "node1", count: int = 2, order: int = 1) -> dict[str, Any]:
    row = {"phase": "forward", "op": "c10d.allreduce_", "kind": "all_reduce", "group": "7", "dtype": "float32"}
    more = {"reduce_op": "sum", "async": None, "label": None, "lowered": [], "bus_bytes": 4, "sizes": {"8": count}}
    rows = [
        {"module": "Net.b", "issued_in": "Net.a", "count": count, "bytes": 8 * count, **row, **more},
        {"module": "Net.a", "issued_in": "Net.a", "count": 1, "bytes": 8, "setup": True, "splits": {}, **row, **more},
    ]
    return {
        "job": {"rank": rank, "world_size": 2, "host": host, "pid": 42, "started_at": "now"},
        "groups": [
            {"name": "0", "desc": "default_pg", "backend": "gloo", "size": 2, "ranks": "0-1"},
            {"name": "7", "desc": "mesh_tp", "backend": "gloo", "size": 2, "ranks": "0-1", "stretches": [1]},
        ],
        "collectives": rows[::order],
        "steps": [step(2), step(2), step(1), step(0, ended=False)],
    }


def test_ranks_that_are_alike_are_one() -> None:
    taken = snapshot_of([report(0), report(1, host="node2", order=-1)])
    assert taken["world_size"] == 2
    assert [each["ranks"] for each in taken["reports"]] == [[0, 1]]
    other = snapshot_of([report(0), report(1, count=3)])
    assert [each["ranks"] for each in other["reports"]] == [[0], [1]]


def test_what_is_kept() -> None:
    [one] = snapshot_of([report(0)])["reports"]
    row = {"phase": "forward", "op": "c10d.allreduce_", "kind": "all_reduce", "group": "mesh_tp", "dtype": "float32"}
    assert one["groups"] == [{"name": "mesh_tp", "desc": "mesh_tp", "backend": "gloo", "size": 2, "ranks": "0-1"}]
    assert one["collectives"] == [
        {"module": "Net.a", **row, "reduce_op": "sum", "setup": True, "count": 1, "bytes": 8},
        {"module": "Net.b", **row, "reduce_op": "sum", "issued_in": "Net.a", "count": 2, "bytes": 16},
    ]
    assert [(each["times"], each["collectives"][0]["count"]) for each in one["steps"]] == [(2, 2), (1, 1)]


def test_text_has_a_line_per_row() -> None:
    taken = snapshot_of([report(0)])
    text = text_of(taken)
    assert json.loads(text) == taken
    assert [line.strip()[:18] for line in text.splitlines()].count('{"module": "Net.a"') == 1
    assert len(text.splitlines()) == 20


def test_reports_are_commtaps(tmp_path: Path) -> None:
    """`commtap diff` reads them: here as the schema of reports, in e2e by itself."""
    schema = json.loads((REPOSITORY / "docs" / "schema" / "commtap-2.schema.json").read_text(encoding="utf-8"))
    write_reports(json.loads(text_of(snapshot_of([report(0), report(1)]))), tmp_path / "reports")
    written = [json.loads(path.read_text(encoding="utf-8")) for path in sorted((tmp_path / "reports").iterdir())]
    assert [each["job"]["rank"] for each in written] == [0, 1]
    for each in written:
        jsonschema.validate(each, schema)
        assert [row["count"] for row in each["collectives"]] == [1, 2]
        assert [row["first_step"] for row in each["steps"]] == [0, 1, 2]
