# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""`./dev matrix`: what it takes for a difference, and the table of docs/supported.md."""

import re
import subprocess
import sys
from typing import Any

import pytest

from report import REPOSITORY

sys.path.insert(0, str(REPOSITORY / ".dev"))
import matrix
from matrix_jobs import MECHANISMS

OWN = matrix.Difference(("2.15",), "pipeline*", ("c10d.send int64", "steps"), "a handshake")


def row(op: str, count: int = 1, dtype: str = "int64") -> dict[str, Any]:
    return {"op": op, "count": count, "dtype": dtype}


def result(*rows: dict[str, Any], faults: tuple[str, ...] = (), **others: Any) -> dict[str, Any]:
    return {"faults": list(faults), "reports": [{"rank": 0, "rows": list(rows), "not_seen": [], "steps": []} | others]}


@pytest.fixture(autouse=True)
def differences(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix, "DIFFERENCES", (OWN,))


def test_equal_reports() -> None:
    verdict = matrix.judge(("2.14", "3.11"), "ddp", result(row("c10d.send")), result(row("c10d.send")))
    assert verdict == matrix.Verdict([], set())
    assert matrix.cell([verdict]) == "yes"


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        (result(row("c10d.send", 2)), "c10d.send"),
        (result(), "c10d.send"),
        (result(row("c10d.send"), not_seen=["a reason"]), "not_seen"),
        (result(row("c10d.send"), faults=("other than the oracle",)), "other than the oracle"),
        ({"faults": [], "reports": []}, "0 reports instead of 1"),
    ],
)
def test_every_other_difference_is_a_fault(changed: dict[str, Any], fault: str) -> None:
    verdict = matrix.judge(("2.14", "3.11"), "ddp", changed, result(row("c10d.send")))
    assert any(fault in each for each in verdict.faults)
    assert verdict.of_torch == set()
    assert matrix.cell([verdict]) == "**no**"


@pytest.mark.parametrize(
    ("pair", "job", "changed", "excused"),
    [
        (("2.15", "3.13"), "pipeline_gpipe", result(row("c10d.send", 2)), True),
        (("2.14", "3.13"), "pipeline_gpipe", result(row("c10d.send", 2)), False),
        (("2.15", "3.13"), "ddp", result(row("c10d.send", 2)), False),
        (("2.15", "3.13"), "pipeline_gpipe", result(row("c10d.send"), row("c10d.recv_")), False),
        (("2.15", "3.13"), "pipeline_gpipe", result(row("c10d.send"), row("c10d.send", dtype="float32")), False),
        (("2.15", "3.13"), "pipeline_gpipe", result(row("c10d.send"), steps=[1]), True),
        (("2.15", "3.13"), "pipeline_gpipe", result(row("c10d.send", 2), faults=("a fault",)), False),
    ],
)
def test_a_difference_of_torch_excuses_what_it_names(
    pair: tuple[str, str], job: str, changed: dict[str, Any], excused: bool
) -> None:
    verdict = matrix.judge(pair, job, changed, result(row("c10d.send")))
    assert (verdict.faults == []) == excused
    assert matrix.cell([verdict]) == ("yes [1]" if excused else "**no**")


def line(torch: str, python: str, date: str) -> str:
    return f"| {torch} | {python} | {date} | {' | '.join(['yes'] * len(matrix.columns()))} |"


def test_a_line_replaces_its_former_one() -> None:
    """Other pairs keep theirs, with their dates, in the order of versions."""
    page = "before\n<!-- matrix -->\n<!-- end of matrix -->\nafter\n"
    for each in (
        line("2.13.0+cpu", "3.11.7", "2026-11-01"),
        line("2.9.1", "3.12.1", "2026-11-02"),
        line("2.13.1", "3.11.9", "2026-11-03"),
        line("2.13.0", "3.9.1", "2026-11-04"),
    ):
        page = matrix.filled_page(page, each)
    assert re.findall(r"^\| (\S+) \| (\S+) \| (2026\S+)", page, re.MULTILINE) == [
        ("2.9.1", "3.12.1", "2026-11-02"),
        ("2.13.0", "3.9.1", "2026-11-04"),
        ("2.13.1", "3.11.9", "2026-11-03"),
    ]
    assert page.startswith("before\n<!-- matrix -->\n")
    assert page.endswith("\n1. torch 2.15: a handshake\n\n<!-- end of matrix -->\nafter\n")


def test_the_pairs() -> None:
    """Each torch and each Python is run, and a torch alone means its pair."""
    assert [torch for torch, _ in matrix.PAIRS] == ["2.11", "2.12", "2.13", "2.14", "2.15"]
    assert {python for _, python in matrix.PAIRS} == {"3.10", "3.11", "3.12", "3.13"}
    assert matrix.chosen("2.13", None) == [matrix.REFERENCE]
    assert matrix.chosen("2.13", "3.9") == [("2.13", "3.9")]
    assert matrix.chosen(None, None) == list(matrix.PAIRS)
    with pytest.raises(SystemExit, match="name a CPython"):
        matrix.chosen("2.9", None)


def test_the_page_is_of_the_present_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its columns are the mechanisms, and it says what each difference of torch is."""
    monkeypatch.undo()
    text = matrix.PAGE.read_text(encoding="utf-8")
    table = text.partition(matrix.BEGIN)[2].partition(matrix.END)[0]
    lines = [each for each in table.splitlines() if re.match(r"\| \d", each)]
    assert lines
    assert all(matrix.filled_page(text, each) == text for each in lines)
    assert all(f"| {name} |" in text or f"{name}," in text for name in MECHANISMS)


def test_an_unknown_python_is_named() -> None:
    with pytest.raises(matrix.MissingError, match=r"there is no python3\.4 on the PATH"):
        matrix.find_python("3.4")


def test_without_a_wheel(tmp_path: Any) -> None:
    """The command says what to do, before it makes an environment."""
    done = subprocess.run(
        [sys.executable, REPOSITORY / ".dev" / "matrix.py", "--prefix", tmp_path], capture_output=True, text=True
    )
    assert done.returncode == 1
    assert f"libcommtap.so below {tmp_path} does not exist" in done.stderr
