# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Converts CommDebugMode's counts and commtap's to one form.

CommDebugMode counts inclusively: each row also counts for every ancestor and Global. It has two phases, with
recomputation as a part of backward. It names a functional op by its older name.
"""

from collections import Counter

from harness import Run

from report import Report

KINDS = {
    "c10d_functional.all_reduce": "all_reduce",
    "c10d_functional.all_gather_into_tensor": "all_gather",
    "c10d_functional.reduce_scatter_tensor": "reduce_scatter",
    "c10d._allgather_base_": "all_gather",
    "c10d.allgather_": "all_gather",
    "c10d._reduce_scatter_base_": "reduce_scatter",
    "c10d.allreduce_": "all_reduce",
    "c10d.broadcast_": "broadcast",
}

#: (module, phase, kind): count
Counts = dict[tuple[str, str, str], int]


def inclusive_of_oracle(run: Run, rank: int, prefix: str = "") -> Counts:
    """Returns all steps' module counts of the ops whose name starts with `prefix`."""
    counts: Counter = Counter()
    for step in run.oracles[rank]["steps"]:
        for module, phases in step["modules"].items():
            for phase, ops in phases.items():
                for op, count in ops.items():
                    if op.startswith(prefix):
                        counts[module, phase, KINDS[op]] += count
    return dict(counts)


def inclusive_of_report(report: Report, prefix: str = "") -> Counts:
    """Returns a report's inclusive counts: each training row counts for its module, every parent, and Global."""
    counts: Counter = Counter()
    phases = {"forward": "forward", "backward": "backward", "recompute": "backward"}
    for row in report.rows(phase=tuple(phases)):
        if row["op"].startswith(prefix):
            for module in ancestors(report, row["module"]):
                counts[module, phases[row["phase"]], row["kind"]] += row["count"]
    return dict(counts)


def ancestors(report: Report, name: str) -> set[str]:
    """Returns the raw names, which are PyTorch's, of a module with this clean name and of all its parents."""
    by_id = {module["id"]: module for module in report.modules}
    current = report.module(name)
    names = {current["raw_name"]}
    while current["parent"] is not None:
        current = by_id[current["parent"]]
        names.add(current["raw_name"])
    return names
