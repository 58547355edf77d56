# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""What jobs write down themselves before each collective: "module phase kind bytes", a line a call."""

from collections import Counter
from pathlib import Path

from report import Report


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


def of_report(report: Report, kinds: tuple[str, ...] = ("all_reduce", "broadcast")) -> Counter:
    """The same of a report, of the kinds that the job writes down."""
    counts: Counter = Counter()
    for row in report.rows(kind=kinds):
        for field in ("count", "bytes"):
            counts[row["module"], row["phase"], row["kind"], field] += row[field]
    return counts
