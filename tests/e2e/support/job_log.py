# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Reads the log in which a job writes a line before each collective: "module phase kind bytes"."""

from collections import Counter
from pathlib import Path

from report import Report


def logged(path: Path) -> Counter:
    """Returns the calls and bytes that a process logged, by (module, phase, kind)."""
    counts: Counter = Counter()
    for line in path.read_text(encoding="utf-8").splitlines():
        if line == "ends":
            continue
        module, phase, kind, size = line.split()
        counts[module, phase, kind, "count"] += 1
        counts[module, phase, kind, "bytes"] += int(size)
    return counts


def of_report(report: Report, kinds: tuple[str, ...] = ("all_reduce", "broadcast")) -> Counter:
    """Returns a report's calls and bytes by (module, phase, kind), for the kinds that the job logs."""
    counts: Counter = Counter()
    for row in report.rows(kind=kinds):
        for field in ("count", "bytes"):
            counts[row["module"], row["phase"], row["kind"], field] += row[field]
    return counts
