# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the unit test programs, one per core, prints the failures and writes the duration of each test case.

`unit_tests.py BUILD RESULTS LABEL [NAME]`: with NAME, runs only the test cases whose names contain it.
"""

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from targets import unit_tests
from verdict import Case, write_cases

TIMEOUT_S = 600
_DURATION = re.compile(r"^(\d+\.\d+) s: (.*)\n", re.MULTILINE)
#: The lines that doctest prints for a passed test case with --duration.
_PASSED = re.compile(r"^=+\n.*\n(?:TEST SUITE: .*\n)?TEST CASE: .*\n\n\d+\.\d+ s: .*\n", re.MULTILINE)
_SUMMARY = re.compile(r"^\[doctest\] test cases: *\d+ \| *(\d+) passed \| *(\d+) failed", re.MULTILINE)


def run(program: Path, name: str) -> tuple[int, int, list[Case], str]:
    """Runs one program. Returns the numbers of passed and failed cases, the cases with durations, and the output."""
    command = [program, "--duration=true"]
    only = [f"--test-case=*{name.replace(',', '?')}*"] if name else []
    try:
        done = subprocess.run(
            [*command, *only],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=TIMEOUT_S,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        return 0, 1, [], f"{program} has not ended after {TIMEOUT_S} s\n"
    said = done.stdout.decode(errors="replace")
    cases = [Case(float(seconds), f"{program.name}: {case}") for seconds, case in _DURATION.findall(said)]
    summary = _SUMMARY.search(said)
    passed, failed = map(int, summary.groups()) if summary else (0, 1)
    if done.returncode != 0 and failed == 0:
        failed = 1
    return passed, failed, cases, _PASSED.sub("", said)


def main() -> int:
    build, results, label, *name = sys.argv[1:]
    only = name[0] if name else ""
    programs = [Path(build).resolve() / path for path in unit_tests(Path(build).resolve(), only)]
    all_passed = all_failed = 0
    all_cases: list[Case] = []
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for program, (passed, failed, cases, said) in zip(
            programs, pool.map(lambda each: run(each, only), programs), strict=True
        ):
            if failed:
                print(said)
            print(f"{label}{program.name}: {passed} passed, {failed} failed", file=sys.stderr)
            all_passed += passed
            all_failed += failed
            all_cases += cases
    if only and all_passed + all_failed == 0:
        print(f"no unit test has {only!r} in its name", file=sys.stderr)
        all_failed = 1
    write_cases(Path(results), f"{label}unit", all_passed, all_failed, all_cases)
    return all_failed > 0


if __name__ == "__main__":
    sys.exit(main())
