# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Measures the commands that read whole folders, on the reports of generated jobs in the page cache."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "e2e" / "support"))

from generate_reports import Layout, write_many

#: Layers per pipeline stage, of two stages: 12 give reports of about 200 kB, 40 a model of 80 layers.
SMALL = Layout(ranks=2048, tp=8, pp=2)
LARGE = Layout(ranks=16384, tp=8, pp=2, layers=40)


@dataclass(frozen=True)
class Cost:
    """The cost of one run of a command."""

    wall_s: float
    cpu_s: float
    peak_mib: float


def cost_of(command: list[str], log: Path) -> Cost:
    """Runs a command to its end; its output goes nowhere. Raises if the command fails."""
    begin = time.monotonic()
    with log.open("w") as errors:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors)
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}: {log.read_text()[-500:]}")
    return Cost(time.monotonic() - begin, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def commands(program: Path, folder: Path, out: Path) -> dict[str, list[str]]:
    """Returns the measured commands, by the name that the table gives them."""
    given = str(folder)
    return {
        "export --format job": [str(program), "export", given, "--format", "job", "-o", str(out / "job.json")],
        "show": [str(program), "show", given],
        "export --table collectives": [str(program), "export", given, "--format", "csv", "-o", str(out / "rows.csv")],
        "export --all-tables": [str(program), "export", given, "--format", "csv", "--all-tables", str(out / "tables")],
    }


def rows(program: Path, layout: Layout, rounds: int) -> list[str]:
    """Returns one row of the table per command. The commands alternate."""
    with tempfile.TemporaryDirectory() as made:
        folder, out = Path(made) / "reports", Path(made) / "out"
        out.mkdir()
        write_many(folder, layout)
        sizes = [path.stat().st_size for path in folder.iterdir()]
        costs: dict[str, list[Cost]] = {}
        for _ in range(rounds):
            for name, command in commands(program, folder, out).items():
                costs.setdefault(name, []).append(cost_of(command, out / "errors"))
    reports = f"{layout.ranks:,} of {statistics.mean(sizes) / 1000:.0f} kB"
    return [f"| {reports} | {name} | {cells(all_costs)} |" for name, all_costs in costs.items()]


def cells(costs: list[Cost]) -> str:
    """Returns three cells: wall and CPU seconds as median and range, and the largest peak memory."""
    texts = []
    for values in ([cost.wall_s for cost in costs], [cost.cpu_s for cost in costs]):
        texts.append(f"{statistics.median(values):.1f} ({min(values):.1f} … {max(values):.1f})")
    return " | ".join([*texts, f"{max(cost.peak_mib for cost in costs):.0f}"])
