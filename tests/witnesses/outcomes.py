# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""What became of each test of a run, and how two runs differ."""

import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path

#: Node id: "passed", "failed", "error" or "skipped".
Outcomes = dict[str, str]

_ELEMENTS = {"failure": "failed", "error": "error", "skipped": "skipped"}


def read(junit: Path) -> Outcomes:
    """Of a JUnit file that pytest wrote. A test that fails and then cannot be torn down is there twice."""
    outcomes: Outcomes = {}
    for case in ElementTree.parse(junit).getroot().iter("testcase"):
        name = f"{case.get('classname')}::{case.get('name')}"
        found = [_ELEMENTS[element.tag] for element in case if element.tag in _ELEMENTS]
        said = found[0] if found else "passed"
        outcomes[name] = f"{outcomes[name]}, {said}" if name in outcomes else said
    return outcomes


@dataclass
class Verdict:
    """What the tests say of the shim."""

    #: Tests with one outcome in all bare runs: only these are witnesses.
    witnesses: int = 0
    #: Those of them that passed.
    passed: int = 0
    #: Tests that do not agree with themselves.
    unsteady: list[str] = field(default_factory=list)
    #: Witnesses that say something else under the shim: their id, without, within.
    differences: list[tuple[str, str, str]] = field(default_factory=list)


def compare(bare: list[Outcomes], shim: Outcomes) -> Verdict:
    """Test by test; one that is missing in a run has the outcome "missing" there."""
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
