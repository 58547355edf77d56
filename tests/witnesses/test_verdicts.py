# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the comparison of verdicts."""

from typing import Any

import pytest
from verdicts import OK, Finding, Verdict, surprises

FOUND = {
    "severity": "error",
    "class": "drift",
    "before": 4,
    "step": 5,
    "parameters": ["Net.head.weight"],
    "lines": ["1 parameter had replicas"],
}
DRIFT = Finding("error", "drift", "head", (4, 5))


def document(status: str, *findings: dict[str, Any]) -> dict[str, Any]:
    """Returns the part of a document that is compared."""
    return {"status": status, "line": "", "findings": list(findings)}


def test_the_expected_verdict_is_no_surprise() -> None:
    """A verdict without findings, and one with the findings that are expected."""
    assert surprises(OK, document("ok")) == []
    assert surprises(Verdict("wrong", (DRIFT,)), document("wrong", FOUND)) == []


@pytest.mark.parametrize(
    "changed",
    [{"severity": "warning"}, {"class": "declared"}, {"step": 9}, {"before": None}, {"parameters": ["Net.tail"]}],
)
def test_another_finding_is_a_surprise(changed: dict[str, Any]) -> None:
    """Severity, class, steps and a parameter count."""
    assert len(surprises(Verdict("wrong", (DRIFT,)), document("wrong", FOUND | changed))) == 1


def test_missing_and_further_findings_are_surprises() -> None:
    """Another number of findings, and another status."""
    assert len(surprises(Verdict("wrong", (DRIFT,)), document("wrong"))) == 1
    assert len(surprises(OK, document("ok", FOUND))) == 1
    assert len(surprises(OK, document("suspect"))) == 1
