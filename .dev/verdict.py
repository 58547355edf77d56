# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Summarizes a folder of results: the ten slowest tests, the total time, and the numbers of passed and failed tests.

A result is pytest's JUnit XML or the JSON of write_cases().
"""

import json
import sys
import xml.etree.ElementTree
from pathlib import Path
from typing import NamedTuple

SLOWEST = 10


class Case(NamedTuple):
    """One test and its duration."""

    seconds: float
    name: str


class Results(NamedTuple):
    """The results of one suite."""

    passed: int
    failed: int
    cases: list[Case]


def write_cases(folder: Path, name: str, passed: int, failed: int, cases: list[Case]) -> None:
    """Adds a suite to a folder of results."""
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"passed": passed, "failed": failed, "cases": cases})
    (folder / f"{name}.json").write_text(text, encoding="utf-8")


def read_junit(path: Path) -> Results:
    """Reads pytest's XML. A suite that ended before it wrote its XML has failed."""
    try:
        suites = xml.etree.ElementTree.parse(path).getroot().iter("testsuite")
    except (OSError, xml.etree.ElementTree.ParseError):
        return Results(0, 1, [])
    passed = failed = 0
    cases = []
    for suite in suites:
        bad = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
        failed += bad
        passed += int(suite.get("tests", 0)) - bad - int(suite.get("skipped", 0))
        for case in suite.iter("testcase"):
            file = case.get("classname", "").replace(".", "/")
            cases.append(Case(float(case.get("time", 0)), f"{file}.py::{case.get('name')}"))
    if passed + failed == 0:
        failed = 1
    return Results(passed, failed, cases)


def read(path: Path) -> Results:
    """Reads one result."""
    if path.suffix == ".xml":
        return read_junit(path)
    text = path.read_text(encoding="utf-8")
    if not text:
        return Results(0, 1, [])
    found = json.loads(text)
    return Results(found["passed"], found["failed"], [Case(*each) for each in found["cases"]])


def main() -> int:
    folder, seconds = Path(sys.argv[1]), sys.argv[2]
    results = [read(path) for path in sorted(folder.iterdir())]
    cases = sorted((case for each in results for case in each.cases), reverse=True)
    if any(case.seconds > 0 for case in cases):
        print("the slowest tests:")
        for case in cases[:SLOWEST]:
            print(f"{case.seconds:8.1f} s  {case.name}")
    passed, failed = (sum(each[i] for each in results) for i in (0, 1))
    print(f"{seconds} s in all")
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
