# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Counts of calls in recorded reports, by kind, and what is wrong with them."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from commtap.report_rows import Row

#: The kinds of docs/ops.md.
KINDS = (
    "all_reduce",
    "all_gather",
    "reduce_scatter",
    "all_to_all",
    "broadcast",
    "reduce",
    "gather",
    "scatter",
    "send",
    "recv",
    "barrier",
    "other",
)
PHASES = ("forward", "backward", "recompute", "optimizer", "other")
UNITS = ("record", "step")


def matcher(pattern: str) -> Callable[[str], bool]:
    """Returns whether a name matches, as in a budget: `*` is any text without a dot, `**` any text, `\\` escapes."""
    parts = re.findall(r"\*\*|\\.|.", pattern, re.DOTALL)
    texts = {"**": ".*", "*": "[^.]*"}
    expression = re.compile("".join(texts.get(part, re.escape(part[-1])) for part in parts), re.DOTALL)
    return lambda name: expression.fullmatch(name) is not None


def group_descriptions(report: Row) -> dict[str, str]:
    """Returns the description of each group by its name in PyTorch; the name of a group without one."""
    return {group["name"]: group["desc"] or group["name"] for group in report["groups"]}


@dataclass(frozen=True)
class Filter:
    """Selects the calls to count. A member that is None selects every call."""

    module: str | None = None
    group: str | None = None
    phase: str | None = None

    def rows(self, report: Row) -> list[Row]:
        """Returns the rows of a report, each with its group's description as `group`."""
        descriptions = group_descriptions(report)
        rows = [{**row, "group": descriptions.get(row["group"], row["group"])} for row in report["collectives"]]
        for name in ("module", "group"):
            pattern = getattr(self, name)
            if pattern is not None:
                matches = matcher(pattern)
                rows = [row for row in rows if matches(row[name])]
        return [row for row in rows if self.phase in (None, row["phase"])]

    def unknown(self, reports: Iterable[Row]) -> str | None:
        """Returns a sentence on what names nothing, so that a renamed module cannot pass unseen; else None."""
        if self.phase is not None and self.phase not in PHASES:
            return f"phase={self.phase!r} is none of {', '.join(PHASES)}"
        modules = {module["name"] for report in reports for module in report["modules"]}
        groups = {name for report in reports for name in group_descriptions(report).values()}
        for what, pattern, names in (("module", self.module, modules), ("group", self.group, groups)):
            if pattern is not None and not any(map(matcher(pattern), names)):
                return f"{what}={pattern!r} names none of: {', '.join(sorted(names))}"
        return None


def by_rank(reports: Iterable[Row]) -> dict[str, list[Row]]:
    """Returns the reports by rank. A process without a rank is one of its own."""
    ranks: dict[str, list[Row]] = {}
    for report in reports:
        job = report["job"]
        ranks.setdefault(f"process {job['pid']}" if job["rank"] is None else f"rank {job['rank']}", []).append(report)
    return ranks


def steps_of(reports: Iterable[Row]) -> int:
    """Returns the number of training steps of a rank. A step that has not ended counts if it communicated."""
    return max(
        (
            row["first_step"] + row["steps"]
            for report in reports
            for row in report.get("steps", [])
            if row["ended_at"] is not None or row["collectives"]
        ),
        default=0,
    )


def counts(rows: Iterable[Row]) -> dict[str, int]:
    """Returns the number of calls by kind."""
    found: dict[str, int] = {}
    for row in rows:
        found[row["kind"]] = found.get(row["kind"], 0) + row["count"]
    return found


def _counted(calls: int) -> str:
    return f"{calls} call" if calls == 1 else f"{calls} calls"


def _sentence(kind: str, found: int, expected: int, steps: int) -> str | None:
    """Returns how the calls of one kind differ from those expected; None if they do not."""
    if found == expected * steps:
        return None
    if steps == 1:
        return f"{kind}: {_counted(found)}, expected {expected}"
    per_step = _counted(found // steps) if found % steps == 0 else f"{found / steps:.2f} calls"
    return f"{kind}: {per_step} per step ({found} in {steps} steps), expected {expected}"


def table(rows: Iterable[Row]) -> list[str]:
    """Returns the lines of a table of rows."""
    cells = [("KIND", "CALLS", "MODULE", "PHASE", "GROUP")]
    for row in sorted(rows, key=lambda each: (each["kind"], -each["count"], each["module"])):
        module = f"{row['module']} [{row['label']}]" if row["label"] else row["module"]
        cells.append((row["kind"], str(row["count"]), module, row["phase"], row["group"]))
    widths = [max(len(line[i]) for line in cells) for i in range(len(cells[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in cells]


def faults_of_rank(reports: list[Row], chosen: Filter, expected: Mapping[str, int], per: str, exact: bool) -> list[str]:
    """Returns a line for each kind whose calls differ on one rank, then a table of the calls; nothing if none does."""
    rows = [row for report in reports for row in chosen.rows(report)]
    steps = 1
    if per == "step":
        rows = [row for row in rows if not row.get("setup")]
        steps = steps_of(reports)
        if steps == 0:
            return ["no step: a step ends with an optimizer's step or commtap.mark_step(); use per='record'"]
    found = counts(rows)
    kinds = {**expected, **(dict.fromkeys(found, 0) | dict(expected) if exact else {})}
    faults = [_sentence(kind, found.get(kind, 0), wanted, steps) for kind, wanted in kinds.items()]
    lines = [fault for fault in faults if fault is not None]
    return [*lines, "", *table(rows)] if lines else []
