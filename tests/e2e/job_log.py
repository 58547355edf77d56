# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""What jobs write down themselves before each collective: "module phase kind bytes", a line a call."""

from collections import Counter
from pathlib import Path

from report import Report

#: What jobs write down; the rest is torch's own, such as the sharding of parameters.
KINDS = ("all_reduce", "broadcast", "recv")


def logged(path: Path) -> Counter:
    """(module, phase, kind): calls and bytes that a process wrote down."""
    counts: Counter = Counter()
    for line in path.read_text(encoding="utf-8").splitlines():
        if line == "ends":
            continue
        module, phase, kind, size = line.split()
        counts[module, phase, kind, "count"] += 1
        counts[module, phase, kind, "bytes"] += int(size)
    return counts


def of_report(report: Report) -> Counter:
    """The same of a report."""
    counts: Counter = Counter()
    for row in report.rows(kind=KINDS):
        for field in ("count", "bytes"):
            counts[row["module"], row["phase"], row["kind"], field] += row[field]
    return counts
