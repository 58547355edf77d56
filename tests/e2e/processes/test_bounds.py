# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""More than fits: the job goes on, what commtap takes stays below what docs/reliability.md says, and the report says
what is missing."""

import functools
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from harness import Job, Run, Runner

# As docs/reliability.md has them: records, and bytes.
MODULES = 128 << 10
RANKS = 2 << 20
STEP_RECORDS = 512
MODULE_LEVELS = 200
MEMORY = 256 << 20
DISK = 80 << 20

# As tests/jobs/bounds.py makes them.
DISTINCT = 150_000
MANY_DISTINCT = 1_000_000
WORLD = 4096
GROUPS = 1000
STEPS = 100_000
NAMESAKES = 20_000

Document = dict[str, Any]


@functools.cache
def read(run_folder: Path) -> Document:
    """As it is: the schema is checked elsewhere, and takes minutes on a million ranks."""
    [path] = (run_folder / "reports").glob("*.json")
    return json.loads(path.read_text(encoding="utf-8"))


#: What the job does, and how often.
MODULES_FULL = ("modules", "--count", str(DISTINCT))
MODULES_FULL_MANY_TIMES = ("modules", "--count", str(MANY_DISTINCT))
REST = ("rest",)


def runs(runner: Runner, arguments: tuple[str, ...]) -> tuple[Run, Run]:
    return runner.pair(Job("bounds.py", arguments, ranks=1))


def report(runner: Runner, arguments: tuple[str, ...]) -> Document:
    return read(runner.shim(Job("bounds.py", arguments, ranks=1)).folder)


def calls(document: Document, key: str) -> Counter:
    counts: Counter = Counter()
    for row in document["collectives"]:
        counts[row[key]] += row["count"]
    return counts


def not_seen(document: Document) -> dict[str, int]:
    return {entry["reason"]: entry["count"] for entry in document["not_seen"]}


@pytest.mark.parametrize(
    "arguments",
    [MODULES_FULL, pytest.param(MODULES_FULL_MANY_TIMES, marks=pytest.mark.long), REST],
    ids=["modules", "many-modules", "rest"],
)
def test_memory_and_disk(runner: Runner, arguments: tuple[str, ...]) -> None:
    """Commtap's memory in the process and the ledger's disk space stay below their bounds."""
    bare, shim = runs(runner, arguments)
    assert shim.ended_as_meant(), shim.outcomes
    without, within = (json.loads((run.folder / "measured").read_text(encoding="utf-8")) for run in (bare, shim))
    assert within["memory"] - without["memory"] < MEMORY
    assert 0 < within["disk"] < DISK


@pytest.mark.parametrize(
    ("arguments", "distinct"),
    [
        (MODULES_FULL, DISTINCT),
        pytest.param(MODULES_FULL_MANY_TIMES, MANY_DISTINCT, marks=pytest.mark.long),
    ],
    ids=["modules", "many-modules"],
)
def test_distinct_modules(runner: Runner, arguments: tuple[str, ...], distinct: int) -> None:
    """The first have their rows, the others are counted; what communicates in one that did not fit is Global's."""
    document = report(runner, arguments)
    assert len(document["modules"]) == MODULES
    # Two that communicate and so many that do not; Global has the first place.
    assert not_seen(document) == {"modules_full": distinct + 2 - (MODULES - 1)}
    assert calls(document, "module") == {"Tiny": 2, "Global": 1}


def test_modules_of_one_name(runner: Runner) -> None:
    """As many as are alive at the same time have names of their own."""
    modules = [each for each in report(runner, REST)["modules"] if each["class"] == "Same"]
    assert {each["name"] for each in modules} == {"Same", *(f"Same#{i}" for i in range(2, NAMESAKES + 1))}
    assert all(each["calls"] == {"forward": 1} for each in modules)


def test_module_that_is_nested_too_deep(runner: Runner) -> None:
    """Its first levels are there, and the job's stack is not used up."""
    document = report(runner, REST)
    assert max(each["name"].count(".inside") for each in document["modules"]) == MODULE_LEVELS
    assert not_seen(document)["module_facts_missing"] == 1


def test_groups(runner: Runner) -> None:
    """A thousand groups, and the ranks of as many as there is room for."""
    document = report(runner, REST)
    groups = [group for group in document["groups"] if group["desc"].startswith("group ")]
    assert [group["desc"] for group in groups] == [f"group {i}" for i in range(GROUPS)]
    listed = [group for group in document["groups"] if group["ranks"]]
    assert all(group["ranks"] == f"0-{WORLD - 1}" for group in listed)
    assert len(listed) == RANKS // WORLD
    assert not_seen(document)["group_ranks_full"] == len(document["groups"]) - len(listed)
    counted = calls(document, "group")
    assert [counted[group["name"]] for group in groups] == [1] * GROUPS


def test_steps(runner: Runner) -> None:
    """All of them, in no more records than there are."""
    steps = report(runner, REST)["steps"]
    assert len(steps) <= STEP_RECORDS
    assert sum(step["steps"] for step in steps if step["ended_at"] is not None) == STEPS
    assert sum(row["count"] for step in steps for row in step["collectives"]) == GROUPS + STEPS
