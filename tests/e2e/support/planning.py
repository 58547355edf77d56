# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs `commtap plan`, and reads what it made."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from harness import COMMAND, JOBS_FOLDER

from report import Report

PLANNED = str(JOBS_FOLDER / "planned.py")
LLAMA = str(JOBS_FOLDER / "llama.py")

#: A llama that each rank plans in seconds.
SMALL_LLAMA = ("--layers", "2", "--dim", "512", "--hidden", "1024", "--vocabulary", "256", "--length", "64")


def bare_environment() -> dict[str, str]:
    """Returns the environment without what makes this process a rank of a job, or commtap's."""
    unwanted = ("COMMTAP", "LD_PRELOAD", "TORCH", "RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER", "OMPI", "SLURM", "PMI")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(unwanted)}
    return kept | {"OMP_NUM_THREADS": "1"}


class Plan:
    """A plan that was made."""

    def __init__(
        self,
        folder: Path,
        world_size: int,
        *words: str,
        variables: dict[str, str] | None = None,
        before: Callable[[], None] | None = None,
    ) -> None:
        self.folder = folder
        options, script = words[: words.index("--")], words[words.index("--") + 1 :]
        command = [COMMAND, "plan", "--world-size", str(world_size), "--out", folder, *options, "--", sys.executable]
        self.done = subprocess.run(
            [*command, *script],
            env=bare_environment() | (variables or {}),
            capture_output=True,
            text=True,
            timeout=500,
            preexec_fn=before,
            check=False,
        )

    @property
    def job(self) -> dict[str, Any]:
        """The job report of all ranks."""
        return json.loads((self.folder / "plan.json").read_text())

    def report(self, rank: int) -> Report:
        (path,) = (self.folder / "ranks" / str(rank)).rglob("*.json")
        return Report.read(path)

    def log(self, rank: int) -> str:
        return (self.folder / "plan" / f"rank-{rank}.log").read_text()

    def rows(self, **where: Any) -> list[dict[str, Any]]:
        return [row for row in self.job["collectives"] if all(row[key] == value for key, value in where.items())]


def rows_of(report: Report) -> dict[tuple[Any, ...], tuple[int, int]]:
    """Returns count and bytes of each row, with groups by what the job calls them."""
    names = {group["name"]: group["desc"] or group["name"] for group in report.groups}
    rows: dict[tuple[Any, ...], tuple[int, int]] = {}
    for row in report.collectives:
        fields = ("module", "issued_in", "phase", "op", "dtype", "reduce_op", "async", "label")
        key = (names.get(row["group"], row["group"]), *(row.get(field) for field in fields))
        count, size = rows.get(key, (0, 0))
        rows[key] = (count + row["count"], size + row["bytes"])
    return rows
