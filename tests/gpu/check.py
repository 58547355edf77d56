# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the jobs of tests/gpu with and without commtap, and compares the reports with the jobs' and CUDA's numbers."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from job import CAPTURED, EACH, LAUNCHES, SIZES

HERE = Path(__file__).resolve().parent
LIBRARY = os.environ["LIBRARY"]
RANKS = torch.cuda.device_count()
ROUNDS = int(os.environ.get("ROUNDS", "5"))
COMPILE_MODES = ("default", "reduce-overhead")
MODES = ("off", "host", "device", "sample:10")

Row = dict[str, Any]


def run(job: str, arguments: list[str], variables: dict[str, str] | None) -> dict[str, Any]:
    """Returns the JSON on the job's last line. `variables` None runs the job without commtap."""
    environment = dict(os.environ)
    if variables is not None:
        environment |= {"LD_PRELOAD": LIBRARY, **variables}
    launcher = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", str(RANKS)]
    done = subprocess.run(
        [*launcher, str(HERE / job), *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    if done.returncode != 0:
        sys.exit(f"the job failed:\n{done.stderr[-4000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def report_of(job: str, arguments: list[str], timing: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns the job's JSON and rank 0's report."""
    with tempfile.TemporaryDirectory() as folder:
        said = run(job, arguments, {"COMMTAP_OUT": folder, "COMMTAP_TIMING": timing})
        return said, json.loads((Path(folder) / "rank-00000.json").read_text(encoding="utf-8"))


class Checks:
    """Prints one line per check and counts them."""

    def __init__(self) -> None:
        self.passed = self.failed = 0

    def that(self, what: str, holds: Callable[[], bool]) -> None:
        """Runs a check; it fails if `holds` returns False or raises."""
        try:
            good = holds()
        except (KeyError, IndexError, ValueError) as error:
            good, what = False, f"{what} ({type(error).__name__}: {error})"
        self.passed += good
        self.failed += not good
        print(("ok      " if good else "FAILED  ") + what)


def reduces(report: dict[str, Any]) -> list[Row]:
    """Returns the rows of the module's all_reduces."""
    return [row for row in report["collectives"] if row["kind"] == "all_reduce" and row["module"] == "Reduce"]


def expected() -> tuple[int, int]:
    """Returns (count, bytes) of all_reduces: eager ones, the one before the capture, and those of the launches."""
    at_once = len(SIZES) * (EACH + 1)
    size = sum(SIZES) * (EACH + 1) + (1 << 10) * (1 + CAPTURED * LAUNCHES)
    return at_once + 1 + CAPTURED * LAUNCHES, 4 * size


def check_counts(checks: Checks, report: dict[str, Any]) -> None:
    """Checks the counts of c10d and NCCL, including graph launches."""
    count, size = expected()
    rows = reduces(report)
    calls = [row for row in report["nccl"]["calls"] if row["function"] == "ncclAllReduce" and row["module"] == "Reduce"]
    checks.that(f"{count} all_reduces", lambda: sum(row["count"] for row in rows) == count)
    checks.that(f"{size} bytes", lambda: sum(row["bytes"] for row in rows) == size)
    checks.that("as many calls to NCCL", lambda: sum(row["count"] for row in calls) == count)
    checks.that("of as many bytes", lambda: sum(row["bytes"] for row in calls) == size)
    checks.that("captured calls", lambda: sum(row["captured"] for row in calls) == CAPTURED)
    checks.that("launches of the graph", lambda: [graph["launches"] for graph in report["cuda_graphs"]] == [LAUNCHES])
    checks.that("NCCL's version", lambda: report["nccl"]["version"].count(".") == 2)


def check_times(checks: Checks, said: dict[str, Any], report: dict[str, Any]) -> None:
    """Checks that every eager collective has a time, and that the sum is within the job's own CUDA events.

    The job's events enclose commtap's and the hand-over to NCCL's stream, which takes some microseconds per call.
    """
    time = reduces(report)[0]["time"]["running_ns"]
    at_once = len(SIZES) * (EACH + 1) + 1
    around_ns = sum(said["ms"].values()) * 1e6
    print(f"        running {time['sum'] / 1e6:.2f} ms of {time['count']}, around {around_ns / 1e6:.2f} ms")
    checks.that("every one that ran at once is timed", lambda: time["count"] == at_once)
    if RANKS > 1:
        checks.that("as long as CUDA's own events say", lambda: 0.7 * around_ns < time["sum"] < 1.3 * around_ns)
    checks.that("nothing is untimed", lambda: report["not_seen"] == [])


def layers(report: dict[str, Any]) -> dict[tuple[str, str, str], tuple[int, int]]:
    """Returns calls and bytes of the layers' collectives by module, phase and kind."""
    counts: dict[tuple[str, str, str], tuple[int, int]] = {}
    for row in report["collectives"]:
        key = row["module"], row["phase"], row["kind"]
        count, size = counts.get(key, (0, 0))
        counts[key] = count + row["count"], size + row["bytes"]
    return {key: counted for key, counted in counts.items() if key[2] == "all_reduce"}


def check_compiled(checks: Checks) -> None:
    """Checks that a compiled model has the eager model's collectives, also when CUDA graphs replay them."""
    said, report = report_of("compiled.py", ["eager"], "off")
    eager = layers(report)
    checks.that("eager layers", lambda: sum(count for count, _ in eager.values()) == said["count"])
    checks.that("their bytes", lambda: sum(size for _, size in eager.values()) == said["bytes"])
    for mode in COMPILE_MODES:
        for cache in ("", " again"):
            compiled, report = report_of("compiled.py", [mode], "off")
            launches = sum(graph["launches"] for graph in report.get("cuda_graphs", []))
            print(f"        {mode}{cache}: {launches} launches of CUDA graphs; {report['not_seen']}")
            rows = layers(report)
            checks.that(f"{mode}{cache}: as without compile", lambda rows=rows: rows == eager)
            checks.that(
                f"{mode}{cache}: the same result",
                lambda compiled=compiled: abs(compiled["total"] - said["total"]) < 1e-3 * abs(said["total"]),
            )
            if rows != eager:
                print(f"        {rows}\n        eager: {eager}")


def print_pace() -> None:
    """Prints the host time of a small all_reduce without commtap and in each mode: medians and pairs' ratio."""
    taken: dict[str, list[float]] = {mode: [] for mode in ("bare", "bare again", *MODES)}
    for _ in range(ROUNDS):
        for mode, times in taken.items():
            with tempfile.TemporaryDirectory() as folder:
                variables = None if mode.startswith("bare") else {"COMMTAP_OUT": folder, "COMMTAP_TIMING": mode}
                times.append(run("job.py", ["pace"], variables)["host_us"])
    print(f"{'mode':12} {'us a call':>10} {'to bare':>10}")
    for mode, times in taken.items():
        ratios = [mine / bare for mine, bare in zip(times, taken["bare"], strict=True)]
        print(f"{mode:12} {statistics.median(times):10.2f} {statistics.median(ratios):10.3f}")


def main() -> int:
    """Returns 0 if every check passed."""
    checks = Checks()
    _, report = report_of("job.py", [], "off")
    check_counts(checks, report)
    said, report = report_of("job.py", [], "device")
    check_counts(checks, report)
    check_times(checks, said, report)
    check_compiled(checks)
    print_pace()
    print(f"{checks.passed} passed, {checks.failed} failed")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
