# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""part_of_tests.py: which objects of a program a part leaves out, and what ninja has to make for the rest."""

import json
import sys
from pathlib import Path

import pytest

from report import REPOSITORY

sys.path.insert(0, str(REPOSITORY / ".dev"))

from part_of_tests import inputs_of, left_out

PROGRAM = Path("tests/unit/test_report")


@pytest.fixture
def build(tmp_path: Path) -> Path:
    """A build tree of one program: two units with test cases, one with a fixture, and a source by itself."""
    folder = tmp_path / f"{PROGRAM}.p"
    folder.mkdir(parents=True)
    units = []
    for name, files in {
        "report-unity0.cpp": {"test_first.cc": "a number is found", "test_second.cc": "a rank is late"},
        "report-unity1.cpp": {"test_third.cc": "a file is held"},
        "report-unity2.cpp": {"test_fourth.cc": "a text is cut", "samples.cc": None},
    }.items():
        for file, case in files.items():
            (folder / file).write_text(f'TEST_CASE("{case}") {{}}\n' if case else "", encoding="utf-8")
        (folder / name).write_text("".join(f"#include<{folder / file}>\n" for file in files), encoding="utf-8")
        units.append({"file": f"{PROGRAM}.p/{name}", "output": f"{PROGRAM}.p/{name}.o"})
    (folder / "test_fifth.cc").write_text('TEST_CASE("A number is lost") {}\n', encoding="utf-8")
    units.append({"file": f"{PROGRAM}.p/test_fifth.cc", "output": f"{PROGRAM}.p/test_fifth.cc.o"})
    units.append({"file": "tests/unit/other.cc", "output": "tests/unit/test_other.p/other.cc.o"})
    (tmp_path / "compile_commands.json").write_text(json.dumps(units), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a number", {"report-unity1.cpp.o"}),
        ("late", {"report-unity1.cpp.o", "test_fifth.cc.o"}),
        ("held", {"report-unity0.cpp.o", "test_fifth.cc.o"}),
    ],
)
def test_units_without_such_a_case_are_left_out(build: Path, name: str, expected: set[str]) -> None:
    """A unit that has a source without test cases stays: others may need it."""
    assert left_out(build, PROGRAM, name) == {f"{PROGRAM}.p/{each}" for each in expected}


def test_ninja_makes_what_the_build_tree_has() -> None:
    command = "c++ -o a-part a.p/one.o report/libreport.a /usr/lib/libz.a -Wl,-rpath,lib.so tests/libcuda.so.1 -pthread"
    assert inputs_of(command.split()) == ["a.p/one.o", "report/libreport.a", "tests/libcuda.so.1"]
