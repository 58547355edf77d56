# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the unit test programs, one per core, prints the failures and writes the duration of each test case.

`unit_tests.py BUILD RESULTS LABEL [NAME [PROGRAM ...]]`: with NAME, runs only the test cases whose names contain it.
"""

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from targets import unit_tests
from verdict import Case, Results, write_results

TIMEOUT_S = 600
_DURATION = re.compile(r"^(\d+\.\d+) s: (.*)\n", re.MULTILINE)
#: The lines that doctest prints for a passed test case with --duration.
_PASSED = re.compile(r"^=+\n.*\n(?:TEST SUITE: .*\n)?TEST CASE: .*\n\n\d+\.\d+ s: .*\n", re.MULTILINE)
#: What doctest prints between two rulers of a test case that failed.
_FAILED = re.compile(r"^TEST CASE: +(.*)\n(?:.*\n)*?.*: (?:FATAL )?ERROR: ", re.MULTILINE)
_RULER = re.compile(r"^=+\n", re.MULTILINE)
_SUMMARY = re.compile(r"^\[doctest\] test cases: *\d+ \| *(\d+) passed \| *(\d+) failed", re.MULTILINE)


def run(program: Path, name: str) -> tuple[Results, str]:
    """Runs one program. Returns the results and the output about failed cases."""
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
        problem = f"{program.name}: has not ended after {TIMEOUT_S} s"
        return Results(0, 1, [], [problem]), f"{problem}\n"
    return read(program.name, done.returncode, done.stdout.decode(errors="replace"))


def read(program: str, exit_status: int, said: str) -> tuple[Results, str]:
    """Reads the output of one program."""
    cases = [Case(float(seconds), f"{program}: {case}") for seconds, case in _DURATION.findall(said)]
    failures = [f"{program}: {found[1]}" for block in _RULER.split(said) if (found := _FAILED.search(block))]
    summary = _SUMMARY.search(said)
    passed, failed = map(int, summary.groups()) if summary else (0, 1)
    if exit_status != 0 and not failures:
        failed = max(failed, 1)
        failures = [f"{program}: ended with status {exit_status}"]
    return Results(passed, failed, cases, failures), _PASSED.sub("", said)


def main() -> int:
    build, results_folder, label, only, *given = [*sys.argv[1:], ""] if len(sys.argv) == 4 else sys.argv[1:]
    programs = [Path(build).resolve() / path for path in given or unit_tests(Path(build).resolve(), only)]
    passed = failed = 0
    cases: list[Case] = []
    failures: list[str] = []
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for program, (results, said) in zip(programs, pool.map(lambda each: run(each, only), programs), strict=True):
            if results.failed:
                print(said)
            print(f"{label}{program.name}: {results.passed} passed, {results.failed} failed", file=sys.stderr)
            passed += results.passed
            failed += results.failed
            cases += results.cases
            failures += [f"{label}{name}" for name in results.failures]
    if only and passed + failed == 0:
        failures.append(f"no unit test has {only!r} in its name")
        print(failures[-1], file=sys.stderr)
        failed = 1
    write_results(Path(results_folder), f"{label}unit", Results(passed, failed, cases, failures))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
