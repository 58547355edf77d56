# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""commtap.recorded_counts: the counts that `assert_counts()` compares, and the sentences if they differ."""

import re
from pathlib import Path
from typing import Any

import pytest
from commtap.recorded_counts import KINDS, PHASES, Filter, by_rank, faults_of_rank, matcher, steps_of

REPOSITORY = Path(__file__).resolve().parents[2]


def row(kind: str, count: int, module: str = "Net", **more: Any) -> dict[str, Any]:
    return {"kind": kind, "count": count, "module": module, "phase": "forward", "group": "7", "label": None, **more}


def report(rows: list[Any], steps: int = 0, rank: int | None = 0) -> dict[str, Any]:
    return {
        "job": {"rank": rank, "pid": 42},
        "groups": [{"name": "7", "desc": "mesh_tp"}, {"name": "0", "desc": ""}],
        "modules": [{"name": name} for name in ("Global", "Net", "Net.layers.0", "Net.layers.0.mlp")],
        "collectives": rows,
        "steps": [{"first_step": i, "steps": 1, "ended_at": "now", "collectives": []} for i in range(steps)],
    }


def first(rows: list[Any], steps: int = 0, per: str = "record", exact: bool = True, **kinds: int) -> list[str]:
    return faults_of_rank([report(rows, steps)], Filter(), kinds, per, exact)[:-2][:1]


def test_names_are_the_reports() -> None:
    source = (REPOSITORY / "report" / "model" / "vocabulary.h").read_text(encoding="utf-8")
    for enumeration, names in (("Kind", KINDS), ("Phase", PHASES)):
        text = source.partition(f"struct EnumNames<{enumeration}>")[2].partition("kNames =")[2]
        assert re.findall(r'"(\w+)"', text.partition(";")[0]) == list(names)


@pytest.mark.parametrize(
    ("pattern", "name", "expected"),
    [
        ("Net.layers.*", "Net.layers.0", True),
        ("Net.layers.*", "Net.layers.0.mlp", False),
        ("Net.**", "Net.layers.0.mlp", True),
        ("Net", "Network", False),
        (r"a\*", "a*", True),
        (r"a\*", "ab", False),
        ("Net#2", "Net#2", True),
        ("a[b]", "a[b]", True),
    ],
)
def test_patterns(pattern: str, name: str, expected: bool) -> None:
    assert matcher(pattern)(name) is expected


def test_one_call_more_fails() -> None:
    rows = [row("all_gather", 3), row("all_reduce", 2)]
    assert first(rows, all_gather=3, all_reduce=2) == []
    assert first(rows, all_gather=2, all_reduce=2) == ["all_gather: 3 calls, expected 2"]
    assert first(rows, all_reduce=2) == ["all_gather: 3 calls, expected 0"]
    assert first(rows, exact=False, all_reduce=2) == []
    assert first(rows, exact=False, send=1) == ["send: 0 calls, expected 1"]


def test_per_step() -> None:
    """Without set-up. What is not in each step alike is no number per step."""
    rows = [row("all_reduce", 6), row("broadcast", 1, setup=True)]
    assert first(rows, steps=3, per="step", all_reduce=2) == []
    wrong = ["all_reduce: 2 calls per step (6 in 3 steps), expected 1"]
    assert first(rows, steps=3, per="step", all_reduce=1) == wrong
    uneven = ["all_reduce: 1.50 calls per step (6 in 4 steps), expected 1"]
    assert first(rows, steps=4, per="step", all_reduce=1) == uneven
    [line] = faults_of_rank([report(rows)], Filter(), {"all_reduce": 2}, "step", True)
    assert line.startswith("no step: ")


def test_filters() -> None:
    one = report([row("all_reduce", 1, "Net.layers.0"), row("send", 1, group="0", phase="backward")])
    assert [each["kind"] for each in Filter(module="Net.layers.*").rows(one)] == ["all_reduce"]
    assert [each["kind"] for each in Filter(group="mesh_*").rows(one)] == ["all_reduce"]
    assert [each["kind"] for each in Filter(phase="backward").rows(one)] == ["send"]
    assert Filter("Net.layers.*.mlp", "mesh_tp", "forward").unknown([one]) is None


def test_a_filter_that_names_nothing() -> None:
    """Else a renamed module would pass unseen."""
    one = [report([])]
    assert str(Filter(module="Net.layer.*").unknown(one)).startswith("module='Net.layer.*' names none of: Global, Net,")
    assert Filter(group="tp").unknown(one) == "group='tp' names none of: 0, mesh_tp"
    assert str(Filter(phase="back").unknown(one)).startswith("phase='back' is none of forward,")


def test_the_table_shows_where() -> None:
    lines = faults_of_rank([report([row("all_gather", 1, "Global", label="clip")])], Filter(), {}, "record", True)
    assert lines == [
        "all_gather: 1 call, expected 0",
        "",
        "KIND        CALLS  MODULE         PHASE    GROUP",
        "all_gather  1      Global [clip]  forward  mesh_tp",
    ]


def test_processes_of_a_rank_are_added_up() -> None:
    found = by_rank([report([], rank=0), report([], rank=1), report([], rank=0), report([], rank=None)])
    assert {rank: len(reports) for rank, reports in found.items()} == {"rank 0": 2, "rank 1": 1, "process 42": 1}


def test_a_step_that_has_not_ended_counts_if_it_communicated() -> None:
    one = report([], steps=2)
    one["steps"][1]["ended_at"] = None
    assert steps_of([one]) == 1
    one["steps"][1]["collectives"] = [{"kind": "all_reduce"}]
    assert steps_of([one]) == 2
