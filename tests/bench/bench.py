# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Measures what commtap costs and writes the table of docs/performance.md.

Jobs: ratios of CPU time, on to off, of neighbouring blocks in one process (tests/bench/worker.py). Processes: the
difference of wall time between neighbouring runs. Every row gives the median and the quartiles of the pairs; the row
"nothing" switches nothing on and shows what the machine's noise alone does.
"""

import argparse
import json
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


def environment(build: Path, out: str, rank: int, world_size: int, port: int) -> dict[str, str]:
    return {
        **os.environ,
        "LD_PRELOAD": str(build / "shim" / "libcommtap.so"),
        "BUILD_DIR": str(build),
        "COMMTAP_OUT": out,
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


def run_worker(build: Path, world_size: int, arguments: list[str]) -> dict:
    """Runs the ranks of one benchmark and returns what rank 0 printed."""
    port = free_port()
    with tempfile.TemporaryDirectory() as out:
        ranks = [
            subprocess.Popen(
                [sys.executable, str(HERE / "worker.py"), *arguments],
                env=environment(build, out, rank, world_size, port),
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL if rank or "profiler" in arguments else None,  # it reports every start
                text=True,
            )
            for rank in range(world_size)
        ]
        printed = [process.communicate()[0] for process in ranks]
    return json.loads(printed[0].splitlines()[-1])


def spread(values: list[float], form: str) -> str:
    low, median, high = statistics.quantiles(values, n=4)
    return f"{median:{form}} [{low:{form}} … {high:{form}}]"


def pairs(result: dict) -> list[tuple[float, float]]:
    seconds = result["seconds"]
    return list(zip(seconds[0::2], seconds[1::2], strict=True))


def job_row(build: Path, job: str, measure: str, count: int, steps: int) -> str:
    arguments = [job, "--measure", measure, "--pairs", str(count), "--steps", str(steps)]
    result = run_worker(build, 2, arguments)
    ratios = [on / off for off, on in pairs(result)]
    step_ms = statistics.median(off for off, _ in pairs(result)) / steps * 1e3
    return f"| {job} | {measure} | {spread(ratios, '.4f')} | {step_ms:.2f} |"


def call_row(build: Path, job: str, calls: int, measure: str, count: int) -> str:
    """Blocks of a millisecond, and many: most of them pass between two interruptions by other processes."""
    result = run_worker(build, 1, [job, "--measure", measure, "--pairs", str(count * 10), "--steps", "1"])
    added = [(on - off) / calls * 1e9 for off, on in pairs(result)]
    base = statistics.median(off for off, _ in pairs(result)) / calls * 1e9
    return f"| {job} | {measure} | {spread(added, '.0f')} | {base:.0f} |"


def wall_ms(command: list[str], preload: str) -> float:
    start = time.perf_counter()
    subprocess.run(command, env={**os.environ, "LD_PRELOAD": preload}, check=True, stdout=subprocess.DEVNULL)
    return (time.perf_counter() - start) * 1e3


def process_row(name: str, command: list[str], preload: str, baseline: str, count: int) -> str:
    wall_ms(command, baseline)
    wall_ms(command, preload)
    added = [wall_ms(command, preload) - wall_ms(command, baseline) for _ in range(count)]
    return f"| {name} | {spread(added, '.2f')} |"


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
            peaks[value] = run_worker(build, 2, arguments)["peak_kib"]
        del os.environ["COMMTAP"]
        rows.append(f"| fsdp2, {count} steps | {(peaks['1'] - peaks['0']) / 1024:.1f} |")
    return rows


def measure(build: Path, quick: bool) -> list[str]:
    count = 8 if quick else 40
    show: Callable[[str], str] = lambda row: print(row, flush=True) or row  # noqa: E731
    lines = ["", "| job | switched on and off | CPU time, on / off | ms a step |", "|---|---|---|---|"]
    for job in ("tensor_parallel", "ddp", "fsdp2"):
        for what in ("nothing", "commtap", "comm_debug_mode", "mod_tracker", "profiler"):
            lines.append(show(job_row(build, job, what, count, 10)))
    lines += ["", "| 1 of | switched on and off | added, ns | without, ns |", "|---|---|---|---|"]
    calls = {"module_calls": 1000, "collectives": 1000, "functional_collectives": 1000, "ordinary_ops": 1000}
    for job, number in calls.items():
        for what in ("nothing", "commtap", *(["global_hooks"] if job == "module_calls" else [])):
            lines.append(show(call_row(build, job, number, what, count)))
    lines += ["", "| process | added, ms of wall time |", "|---|---|"]
    shim = str(build / "shim" / "libcommtap.so")
    with tempfile.TemporaryDirectory() as folder:
        empty = empty_library(folder)
        true = process_row("/bin/true, beside an empty object", ["/bin/true"], shim, empty, count * 10)
        lines.append(show(true))
        command = [sys.executable, "-c", "import torch"]
        lines.append(show(process_row("import torch, beside no preload", command, shim, "", count // 2)))
    lines += ["", "| memory at the end of | added, MiB a rank |", "|---|---|"]
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
