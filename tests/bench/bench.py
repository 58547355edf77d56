# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Measures what commtap costs and writes the table of docs/performance.md.

Jobs: ratios of CPU time of all ranks, on to off, of neighbouring blocks in one process (tests/bench/worker.py).
Processes: the difference of CPU time between neighbouring runs. Every row gives the median of the pairs, its 95 %
confidence interval, and the quartiles; the row "nothing" switches nothing on and shows what the machine's noise does.
"""

import argparse
import json
import math
import os
import platform
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).parent
MARK = "<!-- measured -->"


def environment(build: Path, out: str, rank: int, world_size: int, port: int, *, timing: bool) -> dict[str, str]:
    return {
        **os.environ,
        "LD_PRELOAD": str(build / "shim" / "libcommtap.so"),
        "BUILD_DIR": str(build),
        "COMMTAP_OUT": out,
        "COMMTAP_TIMING": "host" if timing else "off",
        "OMP_NUM_THREADS": "1",
        "RANK": str(rank),
        "LOCAL_RANK": str(rank),
        "WORLD_SIZE": str(world_size),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
    }


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def run_worker(build: Path, world_size: int, arguments: list[str]) -> list[dict]:
    """Runs the ranks of one benchmark and returns what each printed."""
    port = free_port()
    with tempfile.TemporaryDirectory() as out:
        ranks = [
            subprocess.Popen(
                [sys.executable, str(HERE / "worker.py"), *arguments],
                env=environment(build, out, rank, world_size, port, timing="commtap_timing" in arguments),
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL if rank or "profiler" in arguments else None,  # it reports every start
                text=True,
            )
            for rank in range(world_size)
        ]
        printed = [process.communicate()[0] for process in ranks]
    return [json.loads(text.splitlines()[-1]) for text in printed]


def spread(values: list[float], form: str) -> str:
    """Three cells: the median, its 95 % confidence interval by order statistics, and the quartiles."""
    ordered, half_width = sorted(values), 0.98 * math.sqrt(len(values))
    middle = (len(values) - 1) / 2
    low, high = (
        ordered[max(math.floor(middle - half_width), 0)],
        ordered[min(math.ceil(middle + half_width), len(values) - 1)],
    )
    first, median, third = statistics.quantiles(values, n=4)
    return f"{median:{form}} | {low:{form}} … {high:{form}} | {first:{form}} … {third:{form}}"


def pairs(ranks: list[dict]) -> list[tuple[float, float]]:
    """CPU seconds of all ranks together, (off, on)."""
    return [
        (sum(off for off, _ in of_ranks), sum(on for _, on in of_ranks))
        for of_ranks in zip(*(rank["pairs"] for rank in ranks), strict=True)
    ]


def job_row(build: Path, job: str, measure: str, count: int, steps: int) -> str:
    arguments = [job, "--measure", measure, "--pairs", str(count), "--steps", str(steps)]
    ranks = run_worker(build, 2, arguments)
    seconds = pairs(ranks)
    ratios = [on / off for off, on in seconds]
    step_ms = statistics.median(off for off, _ in seconds) / len(ranks) / steps * 1e3
    return f"| {job} | {measure} | {spread(ratios, '.4f')} | {step_ms:.2f} |"


def call_row(build: Path, job: str, measure: str, count: int) -> str:
    """Blocks of a millisecond, and many: most of them pass between two interruptions by other processes."""
    ranks = run_worker(build, 1, [job, "--measure", measure, "--pairs", str(count), "--steps", "1"])
    seconds, calls = pairs(ranks), ranks[0]["calls"]
    added = [(on - off) / calls * 1e9 for off, on in seconds]
    base = statistics.median(off for off, _ in seconds) / calls * 1e9
    return f"| {job} | {measure} | {spread(added, '.0f')} | {base:.0f} |"


def cpu_ms(command: list[str], preload: str) -> float:
    """User and system time of a process from its start to its end: what waits for others is none of it."""
    process = subprocess.Popen(command, env={**os.environ, "LD_PRELOAD": preload}, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, command
    return (usage.ru_utime + usage.ru_stime) * 1e3


def process_row(name: str, command: list[str], preload: str, baseline: str, count: int) -> str:
    added, bare = [], []
    for nth in range(count + 1):
        order = (baseline, preload) if nth % 2 == 0 else (preload, baseline)
        taken = {which: cpu_ms(command, which) for which in order}
        if nth > 0:  # the first pair finds cold caches
            added.append(taken[preload] - taken[baseline])
            bare.append(taken[baseline])
    return f"| {name} | {spread(added, '.2f')} | {statistics.median(bare):.2f} |"


def empty_library(folder: str) -> str:
    """An object that does nothing, to preload for comparison."""
    source, library = Path(folder) / "empty.c", Path(folder) / "empty.so"
    source.write_text("")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    return str(library)


def memory_rows(build: Path, steps: int) -> list[str]:
    """Peak memory of a job under the shim beside the same job with COMMTAP=0."""
    rows = []
    for count in (steps // 10, steps):
        arguments = ["fsdp2", "--measure", "nothing", "--pairs", "1", "--steps", str(count // 2)]
        peaks = {}
        for value in ("0", "1"):
            os.environ["COMMTAP"] = value
            peaks[value] = max(rank["peak_kib"] for rank in run_worker(build, 2, arguments))
        del os.environ["COMMTAP"]
        rows.append(f"| fsdp2, {count} steps | {(peaks['1'] - peaks['0']) / 1024:.1f} |")
    return rows


def heading(*columns: str) -> list[str]:
    return ["", "| " + " | ".join(columns) + " |", "|---" * len(columns) + "|"]


def measure(build: Path, quick: bool) -> list[str]:
    few, many = (8, 16) if quick else (40, 400)
    show: Callable[[str], str] = lambda row: print(row, flush=True) or row  # noqa: E731
    interval = ("95 % of the median", "quartiles")
    lines = heading("job", "switched on and off", "CPU time, on / off", *interval, "ms a step")
    for job in ("tensor_parallel", "ddp", "fsdp2"):
        for what in ("nothing", "commtap", "commtap_timing", "comm_debug_mode", "mod_tracker", "profiler"):
            count = many if what in ("nothing", "commtap", "commtap_timing") else few
            lines.append(show(job_row(build, job, what, count, 2)))
    lines += heading("1 of", "switched on and off", "added, ns", *interval, "without, ns")
    more = {"module_calls": ["global_hooks"], "gloo_collectives": ["commtap_timing"]}
    for job in ("module_calls", "collectives", "gloo_collectives", "functional_collectives", "ordinary_ops"):
        for what in ("nothing", "commtap", *more.get(job, [])):
            lines.append(show(call_row(build, job, what, many * 2)))
    lines += heading("process", "added, ms of CPU time", *interval, "without, ms")
    shim = str(build / "shim" / "libcommtap.so")
    with tempfile.TemporaryDirectory() as folder:
        empty = empty_library(folder)
        true = process_row("/bin/true, beside an empty object", ["/bin/true"], shim, empty, many)
        lines.append(show(true))
        command = [sys.executable, "-c", "import torch"]
        lines.append(show(process_row("import torch, beside no preload", command, shim, "", few)))
        lines.append(show(process_row("import torch with an empty object, beside no preload", command, empty, "", few)))
    lines += heading("memory at the end of", "added, MiB a rank")
    lines += [show(row) for row in memory_rows(build, 200 if quick else 1000)]
    return lines


def write_page(lines: list[str]) -> None:
    page = HERE.parent.parent / "docs" / "performance.md"
    head = page.read_text().split(MARK)[0]
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}, {time.strftime('%F')}"
    page.write_text(head + MARK + f"\n\nMeasured on {machine}.\n" + "\n".join(lines) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--quick", action="store_true", help="fewer pairs, wider spreads")
    parser.add_argument("--write", action="store_true", help="put the table into docs/performance.md")
    arguments = parser.parse_args()
    lines = measure(arguments.build, arguments.quick)
    if arguments.write:
        write_page(lines)


if __name__ == "__main__":
    main()
