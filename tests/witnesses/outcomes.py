# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Reads the outcome of each test of a run, and compares runs."""

import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path

#: Node id: "passed", "failed", "error" or "skipped".
Outcomes = dict[str, str]

_ELEMENTS = {"failure": "failed", "error": "error", "skipped": "skipped"}


def read(junit: Path) -> Outcomes:
    """Reads the outcomes from pytest's JUnit file, which lists a test twice if its tear-down fails too."""
    outcomes: Outcomes = {}
    for case in ElementTree.parse(junit).getroot().iter("testcase"):
        name = f"{case.get('classname')}::{case.get('name')}"
        found = [_ELEMENTS[element.tag] for element in case if element.tag in _ELEMENTS]
        said = found[0] if found else "passed"
        outcomes[name] = f"{outcomes[name]}, {said}" if name in outcomes else said
    return outcomes


@dataclass
class Verdict:
    """The result of the comparison."""

    #: The number of tests with the same outcome in all bare runs: only these are witnesses.
    witnesses: int = 0
    #: The number of witnesses that passed.
    passed: int = 0
    #: Tests whose outcome varies between bare runs.
    unsteady: list[str] = field(default_factory=list)
    #: Witnesses with another outcome under the shim: id, outcome without, outcome with.
    differences: list[tuple[str, str, str]] = field(default_factory=list)


def compare(bare: list[Outcomes], shim: Outcomes) -> Verdict:
    """Compares test by test; a test that is absent from a run has the outcome "missing" there."""
    verdict = Verdict()
    for name in sorted(set(shim).union(*bare)):
        without = {run.get(name, "missing") for run in bare}
        if len(without) > 1:
            verdict.unsteady.append(name)
            continue
        [expected] = without
        verdict.witnesses += 1
        verdict.passed += expected == "passed"
        if shim.get(name, "missing") != expected:
            verdict.differences.append((name, expected, shim.get(name, "missing")))
    return verdict
