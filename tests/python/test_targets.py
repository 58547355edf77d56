# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""targets.py: what ninja builds for one unit test, for all of them and for the tests of an installed commtap."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from report import REPOSITORY

SCRIPT = REPOSITORY / ".dev" / "targets.py"


def target(build: Path, file: str, kind: str = "executable", sources: str = "sources", **cases: str) -> dict:
    """A target as Meson lists it. `cases`: test cases, by the name of the source that has them."""
    paths = []
    for name, case in cases.items():
        paths.append(str(build.parent / f"{name}.cc"))
        Path(paths[-1]).write_text(f'TEST_CASE_FIXTURE(Fixture, "{case}") {{}}\n', encoding="utf-8")
    return {
        "name": Path(file).name,
        "id": file,
        "type": kind,
        "filename": [str(build / file)],
        "build_by_default": True,
        "target_sources": [{"linker": ["c++"]}, {sources: paths}],
    }


@pytest.fixture
def build(tmp_path: Path) -> Path:
    """A build tree of two programs of unit tests, one of them compiled in units of several sources, and others."""
    folder = tmp_path / "build"
    info = folder / "meson-info"
    info.mkdir(parents=True)
    targets = [
        target(folder, "tests/unit/test_one", sources="unity_sources", first="every number is found"),
        target(folder, "tests/unit/test_two", second="a rank is late"),
        target(folder, "tests/unit/libfake.so", "shared module"),
        target(folder, "tests/cuda/libcuda.so.1", "shared library"),
        target(folder, "shim/libcommtap.so", "shared library"),
        target(folder, "tools/commtap"),
        target(folder, "tracker-library", "alias"),
    ]
    tests = [
        {"cmd": [str(folder / "tests/unit/test_one")], "depends": ["tests/unit/libfake.so"]},
        {"cmd": [str(folder / "tests/unit/test_two")], "depends": ["tools/commtap"]},
    ]
    (info / "intro-targets.json").write_text(json.dumps(targets), encoding="utf-8")
    (info / "intro-tests.json").write_text(json.dumps(tests), encoding="utf-8")
    return folder


def run(build: Path, *arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, str(SCRIPT), str(build), *arguments]
    return subprocess.run(command, env=os.environ | variables, capture_output=True, text=True, check=False)


def test_a_name_chooses_the_programs_that_have_it(build: Path) -> None:
    assert run(build, "unit", "NUMBER is").stdout.split() == ["tests/unit/test_one", "tests/unit/libfake.so"]
    assert run(build, "unit", "late").stdout.split() == ["tests/unit/test_two", "tools/commtap"]


def test_a_name_of_no_test_is_an_error(build: Path) -> None:
    done = run(build, "unit", "nothing has this")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "no unit test has 'nothing has this' in its name\n"


def test_all_unit_tests_or_those_that_are_named(build: Path) -> None:
    all_tests = ["tests/unit/test_one", "tests/unit/test_two", "tests/unit/libfake.so", "tools/commtap"]
    assert run(build, "unit").stdout.split() == all_tests
    assert run(build, "unit", UNIT_TESTS="test_two").stdout.split() == ["tests/unit/test_two", "tools/commtap"]


def test_what_other_tests_need(build: Path) -> None:
    programs = ["tests/cuda/libcuda.so.1", "shim/libcommtap.so"]
    assert run(build, "programs").stdout.split() == programs
    assert run(build, "e2e").stdout.split() == ["tests/unit/libfake.so", *programs, "tools/commtap"]
