# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The table of docs/design/hangs.md: the verdicts that the tests demand on each job of the zoo of hangs."""

from made_pages import hold
from test_why import HANGS, NO_HANGS
from test_why_after_the_end import CONTROLS, KINDS, Facts

from report import REPOSITORY

PAGE = REPOSITORY / "docs" / "design" / "hangs.md"
MARKS = ("<!-- zoo: made by tests/e2e/tools/test_zoo_table.py -->\n", "<!-- end of zoo -->\n")
TITLES = ("job", "while it runs", "SIGTERM to `torchrun`", "SIGKILL to all", "a watchdog, or by itself")

HEALTHY: Facts = ("healthy", "none", "")


def cell(facts: Facts | None) -> str:
    if facts is None:
        return "-"
    status, reason, cause = facts
    return f"`{status}`" + (f", `{reason}`" if reason != "none" else "") + (f": {cause}" if cause else "")


def verdicts() -> dict[str, list[Facts | None]]:
    """Returns what is demanded in each state of a job, by the job's name."""
    found: dict[str, list[Facts | None]] = {}
    for kind in KINDS:
        found[kind.name] = [kind.live, kind.cancelled, kind.killed, kind.aborted or kind.by_itself]
    for hang in HANGS:
        found.setdefault(hang.name, [(hang.status[0], hang.reason, hang.cause), None, None, None])
    for name, _, _, reason in NO_HANGS:
        live = HEALTHY if reason == "healthy" else ("unknown", reason, "")
        found.setdefault(name, [live, None, None, None])
    states = {"cancelled": (1, HEALTHY), "killed": (2, ("unknown", "none", "")), "ended": (3, HEALTHY)}
    for name, how in CONTROLS:
        at, facts = states[how]
        found.setdefault(name, [HEALTHY, None, None, None])[at] = facts
    return found


def test_the_page_has_the_verdicts_that_the_tests_demand() -> None:
    """COMMTAP_REMAKE=1 writes the page."""
    rows = [TITLES, ["---"] * len(TITLES)]
    rows += [(f"`{name}`", *map(cell, states)) for name, states in verdicts().items()]
    table = "".join(f"| {' | '.join(row)} |\n" for row in rows)
    hold(PAGE, MARKS, table)
