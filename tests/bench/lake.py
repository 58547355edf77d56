# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Measures `commtap export --format parquet` on the reports of a fleet: many runs of 8 ranks each.

The reports of a run differ from those of another in the run's name only.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "e2e" / "support"))

from generate_reports import Layout, report, to_text
from tool_costs import Cost, cost_of

LAYOUT = Layout(ranks=8, tp=2, pp=2, layers=2, run_id="NAME")


def write(folder: Path, runs: int) -> int:
    """Returns the bytes written."""
    texts = [to_text(report(LAYOUT, rank)) for rank in range(LAYOUT.ranks)]
    size = 0
    for run in range(runs):
        name = f"run-{run:05d}@c0ffee"
        (folder / name).mkdir()
        for rank, text in enumerate(texts):
            size += (folder / name / f"{rank}.json").write_text(text.replace('"NAME"', f'"{name}"'))
    return size


def export(program: Path, folder: Path, lake: Path, *options: str) -> Cost:
    command = [str(program), "export", str(folder), "--all", "--format", "parquet", "--all-tables", str(lake)]
    return cost_of([*command, "--python", sys.executable, *options], folder.parent / "log")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("--reports", type=int, default=100_000)
    arguments = parser.parse_args()
    program = arguments.build / "tools" / "commtap"
    with tempfile.TemporaryDirectory() as made:
        runs, lake = Path(made) / "runs", Path(made) / "lake"
        runs.mkdir()
        count = arguments.reports // LAYOUT.ranks
        size = write(runs, count)
        print(f"{count * LAYOUT.ranks} reports of {count} runs, {size / 1e9:.2f} GB", flush=True)
        whole = export(program, runs, lake)
        print(f"all: {whole.wall_s:.0f} s, {whole.cpu_s:.0f} s CPU, {whole.peak_mib:.0f} MiB", flush=True)
        print(f"Parquet: {sum(path.stat().st_size for path in lake.rglob('*.parquet')) / 1e9:.2f} GB", flush=True)
        for path in sorted(runs.iterdir())[10:]:
            for each in path.iterdir():
                os.utime(each, (0, 0))
        some = export(program, runs, lake, "--since", "1h")
        print(f"10 changed runs: {some.wall_s:.0f} s, {some.cpu_s:.0f} s CPU")


if __name__ == "__main__":
    main()
