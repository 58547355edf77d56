# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Summarizes a folder of results: the ten slowest tests, the total time, the tests that failed, those for which no time
was left (TESTS_UNTIL), and the numbers.

A result is pytest's JUnit XML or the JSON of write_results().
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
    failures: list[str]  # the names of failed tests, as far as they are known
    not_run: int = 0  # tests for which no time was left


def write_results(folder: Path, name: str, results: Results) -> None:
    """Adds a suite to a folder of results."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(results._asdict()), encoding="utf-8")


def unfinished(path: Path) -> Results:
    """Returns the results of a suite that ended before it wrote them: it has failed."""
    return Results(0, 1, [], [f"{path.stem}: ended before its results were written"])


def read_junit(path: Path) -> Results:
    """Reads pytest's XML."""
    try:
        suites = xml.etree.ElementTree.parse(path).getroot().iter("testsuite")
    except (OSError, xml.etree.ElementTree.ParseError):
        return unfinished(path)
    passed = failed = not_run = 0
    cases = []
    failures = []
    for suite in suites:
        bad = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
        failed += bad
        passed += int(suite.get("tests", 0)) - bad - int(suite.get("skipped", 0))
        for case in suite.iter("testcase"):
            file = case.get("classname", "").replace(".", "/")
            cases.append(Case(float(case.get("time", 0)), f"{file}.py::{case.get('name')}"))
            if case.find("failure") is not None or case.find("error") is not None:
                failures.append(cases[-1].name)
            skipped = case.find("skipped")
            not_run += skipped is not None and skipped.get("message") == "no time left"
    return Results(passed, failed, cases, failures, not_run) if passed + failed else unfinished(path)


def read(path: Path) -> Results:
    """Reads one result."""
    if path.suffix == ".xml":
        return read_junit(path)
    text = path.read_text(encoding="utf-8")
    if not text:
        return unfinished(path)
    found = json.loads(text)
    return Results(**{**found, "cases": [Case(*each) for each in found["cases"]]})


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
    for name in (name for each in results for name in each.failures):
        print(f"failed: {name}")
    if not_run := sum(each.not_run for each in results):
        print(f"not run: {not_run} tests, for which no time was left")
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
