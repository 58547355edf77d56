# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Snapshot files: what of reports (docs/report.md) is the same in each run, short enough to be reviewed.

A snapshot has each distinct report once, with the ranks that have it. It leaves out columns with their usual value, and
has no times, hosts, pids or versions.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from commtap.report_rows import COLLECTIVE_KEY, Row

SCHEMA = "commtap.snapshot/1"

#: The values that a row has if the snapshot does not name them.
_COLLECTIVE = {"dtype": None, "reduce_op": None, "async": None, "label": None}
#: What commtap reads of a report, and does not compare.
_COLLECTIVE_LEFT_OUT = {"lowered": [], "bus_bytes": 0, "sizes": {}}
_MODULE_LEFT_OUT = {"parameters": [], "wrappers": [], "class": None}
_STEP = ("steps", "forward_passes", "backward_passes", "training_steps", "collectives")
_MOST_STEPS = 1_000_000
#: The start of the clock: `commtap diff` shows no time for it.
_AT = "1970-01-01T00:00:00.000000Z"
_JOB = {
    "run_id": "recorded",
    "local_rank": None,
    "attempt": 0,
    "host": "",
    "argv": [],
    "started_at": _AT,
    "ended_at": _AT,
    "exit": "normal",
    "exit_signal": None,
    "exit_status": 0,
    "torch": None,
    "python": None,
    "commtap": "",
    "timing": "off",
    "steps_from": None,
    "planned": False,
}
_GROUP_LEFT_OUT = {"collectives": 0, "point_to_point": 0, "stretches": []}


def _group_names(groups: list[Row]) -> dict[str, str]:
    """Returns a name for each group that other runs give it, too: its description, where PyTorch numbers the groups."""
    names: dict[str, str] = {}
    seen: dict[str, int] = {}
    for group in groups:
        wanted = group["desc"] or "group"
        seen[wanted] = seen.get(wanted, 0) + 1
        names[group["name"]] = wanted if seen[wanted] == 1 else f"{wanted}#{seen[wanted]}"
    return names


def _collective(row: Row, groups: dict[str, str]) -> Row:
    columns = (*COLLECTIVE_KEY, "setup", "count", "bytes")
    short = {name: row[name] for name in columns if row.get(name) is not None}
    short["group"] = groups.get(row["group"], row["group"])
    if row["issued_in"] == row["module"]:
        del short["issued_in"]
    return short


def _steps(rows: Iterable[Row], groups: dict[str, str]) -> list[Row]:
    """Returns the steps; steps in a row that are equal are one, with the number of them as `times`."""
    steps: list[Row] = []
    for row in rows:
        if row["ended_at"] is None and not row["collectives"] and "training_steps" not in row:
            continue
        short = {name: row[name] for name in _STEP if name in row}
        short["collectives"] = sorted(
            ({**each, "group": groups.get(each["group"], each["group"])} for each in row["collectives"]),
            key=lambda each: (each["kind"], each["group"]),
        )
        if steps and {**steps[-1], "times": 1} == {**short, "times": 1}:
            steps[-1]["times"] += 1
        else:
            steps.append({"times": 1, **short})
    return steps


def shortened(report: Row) -> Row:
    """Returns the part of a report that a snapshot keeps, without its rank."""
    used = {row["group"] for row in report["collectives"]}
    groups = [group for group in report["groups"] if group["name"] in used]
    names = _group_names(groups)
    rows = list(enumerate(_collective(row, names) for row in report["collectives"]))
    rows.sort(key=lambda each: json.dumps(each[1]))
    positions = {old: new for new, (old, _) in enumerate(rows)}
    members = [{**each, "row": positions[each["row"]]} for each in report.get("members", []) if "count" in each]
    return {
        "groups": [
            {"name": names[each["name"]], **{name: each[name] for name in ("desc", "backend", "size", "ranks")}}
            for each in groups
        ],
        "collectives": [row for _, row in rows],
        **({"members": sorted(members, key=json.dumps)} if members else {}),
        "steps": _steps(report.get("steps", []), names),
    }


def _lengthened_steps(steps: Iterable[Row]) -> list[Row]:
    rows: list[Row] = []
    number = 0
    for step in steps:
        for _ in range(step["times"]):
            row = {name: step[name] for name in _STEP if name in step}
            rows.append({"first_step": number, "started_at": _AT, "ended_at": _AT, **row})
            number += step["steps"]
    return rows


def _lengthened_modules(collectives: Iterable[Row]) -> list[Row]:
    names = {row[name] for row in collectives for name in ("module", "issued_in")}
    return [
        {"id": i, "parent": 0 if i else None, "name": name, "raw_name": name, "calls": {}, **_MODULE_LEFT_OUT}
        for i, name in enumerate(["Global", *sorted(names - {"Global"})])
    ]


def lengthened(short: Row, rank: int | None, world_size: int | None, pid: int) -> Row:
    """Returns a report that commtap reads, of what a snapshot keeps."""
    collectives = [
        {"issued_in": row["module"], **_COLLECTIVE, **row, **_COLLECTIVE_LEFT_OUT} for row in short["collectives"]
    ]
    return {
        "schema": "commtap/2",
        "job": {**_JOB, "rank": rank, "world_size": world_size, "pid": pid},
        "groups": [{**group, **_GROUP_LEFT_OUT} for group in short["groups"]],
        "modules": _lengthened_modules(collectives),
        "collectives": collectives,
        "members": short.get("members", []),
        "steps": _lengthened_steps(short["steps"]),
        "last": [],
        "not_seen": [],
    }


def _number(row: Row, name: str, least: int = 0) -> int:
    number = row[name]
    if type(number) is not int or number < least:
        raise ValueError(f"{name} is {number!r}")
    return number


def check(snapshot: Row) -> None:
    """Raises ValueError, KeyError, TypeError or AttributeError if a snapshot has what no record has."""
    for short in snapshot["reports"]:
        groups = {group["name"] for group in short["groups"]} | {"?"}
        steps = sum(_number(step, "times", 1) * _number(step, "steps", 1) for step in short["steps"])
        if steps > _MOST_STEPS:
            raise ValueError(f"{steps} steps")
        if unknown := [row["group"] for row in short["collectives"] if row["group"] not in groups]:
            raise ValueError(f"group {unknown[0]!r} is not defined")
        for row in (*short["collectives"], *(row for step in short["steps"] for row in step["collectives"])):
            _number(row, "count")
            _number(row, "bytes")


def snapshot_of(reports: Iterable[Row]) -> Row:
    """Returns the snapshot of the reports of a record."""
    found: list[Row] = []
    world_size = None
    for report in reports:
        world_size = world_size or report["job"]["world_size"]
        short = shortened(report)
        same = next((each for each in found if {**each, "ranks": None} == {"ranks": None, **short}), None)
        if same is None:
            found.append({"ranks": [report["job"]["rank"]], **short})
        else:
            same["ranks"].append(report["job"]["rank"])
    return {"schema": SCHEMA, "world_size": world_size, "reports": found}


def text_of(snapshot: Row) -> str:
    """Returns the text of a snapshot file: a row of a table is a line."""

    def lines(value: Any, indent: str) -> str:
        rows = isinstance(value, list) and value and isinstance(value[0], dict)
        if not rows and not isinstance(value, dict):
            return json.dumps(value)
        inner = indent + "  "
        if isinstance(value, dict):
            items = [f"{json.dumps(name)}: {lines(each, inner)}" for name, each in value.items()]
            return "{\n" + ",\n".join(inner + item for item in items) + f"\n{indent}}}"
        is_table = not any("collectives" in row and "groups" in row for row in value)
        items = [json.dumps(row) if is_table else lines(row, inner) for row in value]
        return "[\n" + ",\n".join(inner + item for item in items) + f"\n{indent}]"

    return lines(snapshot, "") + "\n"


def write_reports(snapshot: Row, folder: Path) -> None:
    """Writes the reports of a snapshot into a new folder, for `commtap diff`."""
    folder.mkdir()
    number = 0
    for short in snapshot["reports"]:
        for rank in short["ranks"]:
            number += 1
            report = lengthened(short, rank, snapshot["world_size"], number)
            (folder / f"{number}.json").write_text(json.dumps(report), encoding="utf-8")
