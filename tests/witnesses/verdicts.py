# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Holds the verdict of `commtap verify` on a run against the one that is expected."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Finding:
    """A finding of `commtap verify`. `parameter` is a part of the name of one of its parameters."""

    severity: str
    what: str
    parameter: str = ""
    #: The sampled steps before the fault and with it.
    steps: tuple[int | None, int | None] = (None, None)

    def is_in(self, found: dict[str, Any]) -> bool:
        """Whether the finding of the document is this one."""
        return (
            (found["severity"], found["class"]) == (self.severity, self.what)
            and (found["before"], found["step"]) == self.steps
            and (not self.parameter or any(self.parameter in name for name in found["parameters"]))
        )


@dataclass(frozen=True)
class Verdict:
    """The status and all findings, in their order."""

    status: str
    findings: tuple[Finding, ...] = ()


OK = Verdict("ok")
NOTHING_TO_COMPARE = Verdict("nothing_to_compare")


def read_verdict(command: Path, reports: Path) -> dict[str, Any]:
    """Returns the document of `commtap verify --json`, or one with what the command says instead."""
    ended = subprocess.run([command, "verify", reports, "--json"], capture_output=True, text=True, check=False)
    try:
        return json.loads(ended.stdout)
    except ValueError:
        return {"status": ended.stderr.strip(), "findings": [], "line": ""}


def surprises(expected: Verdict, document: dict[str, Any]) -> list[str]:
    """Returns one line for each difference between a verdict and the expected one."""
    found = document["findings"]
    lines = []
    if document["status"] != expected.status:
        lines.append(f"verify: {document['status']}, expected {expected.status}: {document['line']}")
    for number, finding in enumerate(expected.findings):
        if number >= len(found):
            lines.append(f"verify: finding {number} is missing: {finding}")
        elif not finding.is_in(found[number]):
            lines.append(f"verify: finding {number} is another one, expected {finding}: {_described(found[number])}")
    lines += [f"verify: not expected: {_described(more)}" for more in found[len(expected.findings) :]]
    return lines


def _described(found: dict[str, Any]) -> str:
    return " ".join([found["severity"], found["class"], *found["lines"]])
