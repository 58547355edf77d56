# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The report of a part of a process: what its report (docs/report.md) has at the end and did not have at the begin.

A test's numbers must not depend on the tests before it in the same process. So roots are numbered from the first in
this part (`Net`, not `Net#3`), and nothing is set-up, which a process makes only once.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from commtap.report_rows import COLLECTIVE_KEY, MEMBER_KEY, NOT_SEEN_KEY, STEP_COLLECTIVE_KEY, Row, key_of, summed


def _less(after: int, before: int) -> int:
    if after < before:
        raise RuntimeError("commtap: a counter went down inside comms.record(): do not call commtap.reset() there")
    return after - before


def _rows_less(after: Iterable[Row], before: Iterable[Row], columns: Sequence[str]) -> list[Row]:
    """Returns the rows of `after` with the calls and bytes of `before` subtracted, and without those of no call."""
    old = summed(before, columns)
    found = []
    for key, row in summed(after, columns).items():
        known = old.get(key, {"count": 0, "bytes": 0})
        found.append({**row, **{amount: _less(row[amount], known[amount]) for amount in ("count", "bytes")}})
    return [row for row in found if row["count"] > 0]


def _renamed(rows: Iterable[Row], names: Mapping[str, str]) -> list[Row]:
    columns = ("module", "issued_in")
    return [{**row, **{name: names.get(row[name], row[name]) for name in columns if name in row}} for row in rows]


def _calls_less(after: Row, before: Row | None) -> dict[str, int]:
    old = before["calls"] if before else {}
    calls = {phase: _less(count, old.get(phase, 0)) for phase, count in after["calls"].items()}
    return {phase: count for phase, count in calls.items() if count > 0}


def _modules(after: list[Row], before: list[Row], used: set[str]) -> list[Row]:
    """Returns the modules that were called or are in `used`, with those above them."""
    old = {module["id"]: module for module in before}
    kept = {module["id"]: {**module, "calls": _calls_less(module, old.get(module["id"]))} for module in after}
    needed: set[int] = set()
    for module in kept.values():
        if module["calls"] or module["name"] in used or module["parent"] is None:
            at: Row | None = module
            while at is not None and at["id"] not in needed:
                needed.add(at["id"])
                at = kept.get(at["parent"])
    return [module for module in kept.values() if module["id"] in needed]


def _root_names(modules: Iterable[Row]) -> dict[str, str]:
    """Returns the new name of each module: its root has the number that it has among `modules`."""
    roots: dict[str, str] = {}
    seen: dict[str, int] = {}
    names: dict[str, str] = {}
    for module in modules:
        root, dot, rest = module["name"].partition(".")
        if root not in roots:
            class_name = re.sub(r"#\d+$", "", root)
            seen[class_name] = seen.get(class_name, 0) + 1
            roots[root] = class_name if seen[class_name] == 1 else f"{class_name}#{seen[class_name]}"
        names[module["name"]] = roots[root] + dot + rest
    return names


def _step_less(after: Row, before: Row | None) -> Row:
    if before is None:
        return after
    passes = {name: _less(after[name], before[name]) for name in ("forward_passes", "backward_passes")}
    rows = _rows_less(after["collectives"], before["collectives"], STEP_COLLECTIVE_KEY)
    return {**after, **passes, "collectives": rows}


def _joined(first: Row, second: Row) -> Row:
    """Returns the step `second` with what was communicated before its first forward, while `first` ran."""
    rows = summed([*first["collectives"], *second["collectives"]], STEP_COLLECTIVE_KEY)
    return {**second, "collectives": list(rows.values())}


def _steps(after: list[Row], before: list[Row]) -> list[Row]:
    """Returns the steps, numbered from 0; none if the report no longer has the first of them in a row of its own."""
    if not before:
        return after
    begin = before[-1]
    rows = [row for row in after if row["first_step"] + row["steps"] > begin["first_step"]]
    if not rows or rows[0]["first_step"] != begin["first_step"] or rows[0]["steps"] != begin["steps"]:
        return []
    # A step ends when the forward of the next one begins, so the last step before this part may be the first one here.
    first, *rest = [_step_less(rows[0], begin), *rows[1:]]
    if first["forward_passes"] == first["backward_passes"] == 0:
        if rest:
            rest[0] = _joined(first, rest[0])
        first_rows = [] if rest or not first["collectives"] else [first]
    else:
        first_rows = [first]
    steps, number = [], 0
    for row in (*first_rows, *rest):
        steps.append({**row, "first_step": number})
        number += row["steps"]
    return steps


def _members(report: Row, rows: list[Row], names: Mapping[str, str]) -> list[Row]:
    """Returns the members of `report` that a compiler merged, each with the position of its row in `rows`."""
    positions = {key_of(row, COLLECTIVE_KEY): i for i, row in enumerate(rows)}
    of = [positions.get(key_of(row, COLLECTIVE_KEY)) for row in _renamed(report["collectives"], names)]
    members = [{**each, "row": of[each["row"]]} for each in report.get("members", []) if "count" in each]
    return _renamed([each for each in members if each["row"] is not None], names)


def difference(before: Row, after: Row) -> Row:
    """Returns the report of what this process did between two snapshots of its report.

    Raises:
        RuntimeError: the counters were reset in between.
    """
    # A module may get another name between them; its id stays.
    last = {module["id"]: module["name"] for module in after["modules"]}
    current = {module["name"]: last.get(module["id"], module["name"]) for module in before["modules"]}
    rows = _rows_less(after["collectives"], _renamed(before["collectives"], current), COLLECTIVE_KEY)
    members = _rows_less(_members(after, rows, {}), _members(before, rows, current), MEMBER_KEY)
    used = {row[name] for row in rows for name in ("module", "issued_in")}
    modules = _modules(after["modules"], before["modules"], used)
    names = _root_names(modules)
    return {
        **after,
        "modules": [{**module, "name": names[module["name"]]} for module in modules],
        "collectives": _renamed([{name: row[name] for name in row if name != "setup"} for row in rows], names),
        "members": _renamed(members, names),
        "steps": _steps(after.get("steps", []), before.get("steps", [])),
        "not_seen": _rows_less(after["not_seen"], before["not_seen"], NOT_SEEN_KEY),
    }
