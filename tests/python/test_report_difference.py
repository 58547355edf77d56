# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""commtap.report_difference: the report of a part of a process does not depend on what the process did before."""

from typing import Any

import pytest
from commtap.report_difference import difference


def row(module: str, count: int, kind: str = "all_reduce", **more: Any) -> dict[str, Any]:
    key = {"phase": "forward", "op": f"c10d.{kind}", "kind": kind, "group": "0", "dtype": "float32"}
    rest = {"reduce_op": None, "async": True, "issued_in": module, "label": None}
    return {"module": module, **key, **rest, "count": count, "bytes": 8 * count, "sizes": {"8": count}, **more}


def step(first: int, calls: int, forwards: int = 1, ended: bool = True, steps: int = 1) -> dict[str, Any]:
    collectives = [{"kind": "all_reduce", "group": "0", "count": calls, "bytes": 8 * calls}] if calls else []
    passes = {"forward_passes": forwards, "backward_passes": forwards}
    time = {"ended_at": "now" if ended else None}
    return {"first_step": first, "steps": steps, **time, **passes, "collectives": collectives}


def module(number: int, parent: int | None, name: str, calls: int = 0) -> dict[str, Any]:
    return {"id": number, "parent": parent, "name": name, "calls": {"forward": calls} if calls else {}}


def report(rows: list[Any], modules: list[Any] | None = None, **more: Any) -> dict[str, Any]:
    known = [module(0, None, "Global"), *(modules or [])]
    return {"collectives": rows, "modules": known, "steps": [], "not_seen": [], **more}


def calls(part: dict[str, Any]) -> list[tuple[str, int, int]]:
    return [(each["module"], each["count"], each["bytes"]) for each in part["collectives"]]


def test_only_what_is_new_is_left() -> None:
    before = report([row("Net", 3), row("Net.a", 1)], [module(1, 0, "Net", 2), module(2, 1, "Net.a", 2)])
    after = report([row("Net", 5), row("Net.a", 1)], [module(1, 0, "Net", 3), module(2, 1, "Net.a", 2)])
    part = difference(before, after)
    assert calls(part) == [("Net", 2, 16)]
    assert [(each["name"], each["calls"]) for each in part["modules"]] == [("Global", {}), ("Net", {"forward": 1})]


def test_roots_are_numbered_from_the_first_of_the_part() -> None:
    """`Net` belongs to an earlier test that has not freed its model."""
    before = report([row("Net", 3)], [module(1, 0, "Net", 2)])
    modules = [module(1, 0, "Net", 2), module(2, 0, "Net#2", 1), module(3, 2, "Net#2.a", 1), module(4, 0, "Net#3", 1)]
    part = difference(before, report([row("Net", 3), row("Net#2.a", 1), row("Net#3", 1)], modules))
    assert calls(part) == [("Net.a", 1, 8), ("Net#2", 1, 8)]


def test_a_module_that_got_another_name() -> None:
    before = report([row("Linear", 3)], [module(1, 0, "Linear", 2)])
    after = report([row("Net.a", 4)], [module(2, 0, "Net", 1), module(1, 2, "Net.a", 3)])
    assert calls(difference(before, after)) == [("Net.a", 1, 8)]


def test_set_up_is_not_marked() -> None:
    """The process marks rows at its first forward: also those that it had before."""
    before = report([row("Net", 3)])
    part = difference(before, report([row("Net", 4, setup=True), row("Net", 2)]))
    assert calls(part) == [("Net", 3, 24)]
    assert "setup" not in part["collectives"][0]


def test_reset() -> None:
    with pytest.raises(RuntimeError, match=r"commtap\.reset"):
        difference(report([row("Net", 3)]), report([row("Net", 2)]))


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ([], [step(0, 2), step(1, 2, ended=False)], [(0, 1, 2), (1, 1, 2)]),
        # The step before the part ends with the first forward in it.
        ([step(0, 2, ended=False)], [step(0, 2), step(1, 3, ended=False)], [(0, 1, 3)]),
        # A barrier before the first forward belongs to the step of this forward.
        ([step(0, 2, ended=False)], [step(0, 3), step(1, 3, ended=False)], [(0, 1, 4)]),
        ([step(0, 2, ended=False)], [step(0, 3, ended=False)], [(0, 1, 1)]),
        # The part begins inside a step.
        ([step(0, 2, ended=False)], [step(0, 5, forwards=2), step(1, 3)], [(0, 1, 3), (1, 1, 3)]),
        # The report no longer separates steps of the part from those before.
        ([step(0, 2), step(1, 2, ended=False)], [step(0, 2), step(1, 9, steps=2)], []),
        ([step(0, 2)], [step(0, 2)], []),
    ],
)
def test_steps(before: list[Any], after: list[Any], expected: list[tuple[int, int, int]]) -> None:
    part = difference(report([], steps=before), report([], steps=after))
    found = [(each["first_step"], each["steps"], each["collectives"][0]["count"]) for each in part["steps"]]
    assert found == expected


def test_merged_collectives_keep_their_members() -> None:
    """A compiler merged two collectives of Net.a into one of Net."""
    rows = [row("Other", 1), row("Net", 2, compiled=True)]
    before = report(rows, members=[{"row": 1, "module": "Net.a", "bytes": 16, "count": 4}])
    after = report(
        [rows[0], row("Net", 3, compiled=True)],
        members=[{"row": 1, "module": "Net.a", "bytes": 24, "count": 6}, {"row": 0, "module": "Other", "bytes": 8}],
    )
    assert difference(before, after)["members"] == [{"row": 0, "module": "Net.a", "bytes": 8, "count": 2}]


def test_not_seen() -> None:
    seen = {"reason": "rows_full", "detail": "", "meaning": "Some are missing."}
    before = report([], not_seen=[{**seen, "count": 1}])
    assert difference(before, before)["not_seen"] == []
    part = difference(before, report([], not_seen=[{**seen, "count": 3}]))
    assert [each["count"] for each in part["not_seen"]] == [2]
