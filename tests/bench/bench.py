# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Measures commtap's costs and writes the tables of docs/design/costs.md.

- Jobs: ratios of all ranks' CPU time, on to off, of neighbouring blocks in one process (tests/bench/worker.py).
- Shares: the part of a job's CPU time in commtap's own code, by perf's samples.
- Instructions: the ratio of the jobs in instructions, which callgrind counts and no neighbour changes.
- Compiling: instructions of a compilation with collectives inside the graphs, and the bytes of commtap's side files.
- Processes: the difference of CPU time between neighbouring runs.
- Exits: the reports' own cost at exit.
- Tools: time and memory of the commands that read the reports of a large job (tests/bench/tool_costs.py).

A row of times gives the median of the pairs, its 95 % confidence interval, and the quartiles. "nothing" switches
nothing on and shows the machine's noise. A section that the page has no mark for is printed only.
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
from itertools import zip_longest
from pathlib import Path

import callgrind
import compile_costs
import tool_costs

HERE = Path(__file__).parent
MARK = "<!-- measured: {} -->"
END = "<!-- end of measured -->"


#: The number of processes in which a call is measured.
PROCESSES = 8
#: The number of ranks of a job.
RANKS = 2
#: The buffer sizes of PyTorch's flight recorder: off and on.
FLIGHT_RECORDER = ("0", "2000")


def environment(build: Path, out: str, rank: int, world_size: int, port: int, *, timing: bool) -> dict[str, str]:
    return {
        "TORCH_FR_BUFFER_SIZE": FLIGHT_RECORDER[0],
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


def run_worker(
    build: Path, world_size: int, arguments: list[str], wrapper: Callable[[int], list[str]] = lambda _rank: []
) -> list[dict]:
    """Runs the ranks of one benchmark, each under its wrapper.

    Returns each rank's output, with its `report` if it left one.
    """
    port = free_port()
    with tempfile.TemporaryDirectory() as out:
        ranks = [
            subprocess.Popen(
                [*wrapper(rank), sys.executable, str(HERE / "worker.py"), *arguments],
                env=environment(build, out, rank, world_size, port, timing="commtap_timing" in arguments),
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL if rank or "profiler" in arguments else None,  # the profiler logs every start
                text=True,
            )
            for rank in range(world_size)
        ]
        printed = [json.loads(process.communicate()[0].splitlines()[-1]) for process in ranks]
        reports = [json.loads(path.read_text()) for path in sorted(Path(out).glob("*.json"))]
    return [told | {"report": report} for told, report in zip_longest(printed, reports)]


def interval(values: list[float], form: str) -> str:
    """Returns the 95 % confidence interval of the median, by order statistics."""
    ordered, half_width = sorted(values), 0.98 * math.sqrt(len(values))
    middle = (len(values) - 1) / 2
    low, high = (
        ordered[max(math.floor(middle - half_width), 0)],
        ordered[min(math.ceil(middle + half_width), len(values) - 1)],
    )
    return f"{low:{form}} … {high:{form}}"


def spread(values: list[float], form: str) -> str:
    """Returns three cells: the median, its 95 % confidence interval, and the quartiles."""
    first, median, third = statistics.quantiles(values, n=4)
    return f"{median:{form}} | {interval(values, form)} | {first:{form}} … {third:{form}}"


def pairs(ranks: list[dict]) -> list[tuple[float, float]]:
    """Returns the pairs' CPU seconds of all ranks together, (off, on)."""
    return [
        (sum(off for off, _ in of_ranks), sum(on for _, on in of_ranks))
        for of_ranks in zip(*(rank["pairs"] for rank in ranks), strict=True)
    ]


def job_pairs(build: Path, job: str, measure: str, count: int) -> list[tuple[float, float]]:
    """Measures in several processes if the cost is small: memory layout changes a ratio by a thousandth."""
    processes = JOB_PROCESSES.get(job, 1)
    warm_up = str(WARM_UP.get(job, 2))
    each = str(count // processes)
    steps = str(STEPS.get(job, 2))
    arguments = [job, "--measure", measure, "--pairs", each, "--steps", steps, "--warm-up", warm_up]
    return [pair for _ in range(processes) for pair in pairs(run_worker(build, RANKS, arguments))]


def job_row(build: Path, job: str, few: int, many: int) -> str:
    """Measures one job with nothing, commtap and each of its peers switched on and off."""
    cells = []
    for measure in ("nothing", "commtap", "commtap_timing"):
        seconds = job_pairs(build, job, measure, pairs_of(job, many))
        ratios = [on / off for off, on in seconds]
        cells.append(f"{statistics.median(ratios):.3f} ({interval(ratios, '.3f')})")
    for measure in JOB_PEERS:
        # The peers disable compilation.
        ratios = [] if job in COMPILED else [on / off for off, on in job_pairs(build, job, measure, few)]
        cells.append(f"{statistics.median(ratios):.2f}" if ratios else "")
    step_ms = statistics.median(off for off, _ in seconds) / RANKS / STEPS.get(job, 2) * 1e3
    return f"| {job} | {' | '.join(cells)} | {step_ms:.1f} |"


def call_row(build: Path, job: str, measure: str, count: int) -> str:
    """Measures many blocks of a millisecond and keeps the quarter of the pairs with the least total time.

    The total of on and off favours neither. In the other pairs a neighbour shared the core. Uses several processes,
    because memory layout changes a call by some ten nanoseconds.
    """
    added, base = [], []
    for _ in range(PROCESSES):
        arguments = [job, "--measure", measure, "--pairs", str(count // PROCESSES), "--steps", "1", "--warm-up", "2"]
        [rank] = run_worker(build, 1, arguments)
        quiet = sorted(pairs([rank]), key=sum)[: max(1, count // PROCESSES // 4)]
        added += [(on - off) / rank["calls"] * 1e9 for off, on in quiet]
        base += [off / rank["calls"] * 1e9 for off, _ in quiet]
    return f"| {job} | {measure} | {spread(added, '.0f')} | {statistics.median(base):.0f} |"


def own_row(build: Path, count: int) -> str:
    """Measures the cost of a collective if threads and their waits hide it, from the report's `own_cost`.

    The report measures it around commtap's code only.
    """
    spent = []
    for _ in range(count):
        [rank] = run_worker(build, 1, ["gloo_collectives", "--measure", "commtap_timing", "--pairs", "20"])
        cost, rows = rank["report"]["own_cost"], rank["report"]["collectives"]
        spent.append((cost["collectives_ns"] + cost["other_ns"]) / sum(row["count"] for row in rows))
    return f"| gloo_collectives | commtap_timing, by its own_cost | {spread(spent, '.0f')} | |"


def flight_recorder_row(build: Path, count: int) -> str:
    """Measures the flight recorder in alternating processes, because a process cannot switch it."""
    call_ns: dict[str, list[float]] = {size: [] for size in FLIGHT_RECORDER}
    for nth in range(count):
        for size in FLIGHT_RECORDER if nth % 2 == 0 else reversed(FLIGHT_RECORDER):
            os.environ["TORCH_FR_BUFFER_SIZE"] = size
            [rank] = run_worker(build, 1, ["gloo_collectives", "--measure", "commtap", "--pairs", "40", "--steps", "1"])
            call_ns[size].append(statistics.median(off for off, _ in rank["pairs"]) / rank["calls"] * 1e9)
    del os.environ["TORCH_FR_BUFFER_SIZE"]
    off, on = (call_ns[size] for size in FLIGHT_RECORDER)
    added = [with_it - without for without, with_it in zip(off, on, strict=True)]
    base = statistics.median(off)
    return f"| gloo_collectives | flight_recorder, commtap off | {spread(added, '.0f')} | {base:.0f} |"


def cpu_ms(command: list[str], preload: str) -> float:
    """Returns a process's user and system time from start to end, without its waits."""
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
        if nth > 0:  # drop the first pair: the data is cold
            added.append(taken[preload] - taken[baseline])
            bare.append(taken[baseline])
    return f"| {name} | {spread(added, '.2f')} | {statistics.median(bare):.2f} |"


def empty_library(folder: str) -> str:
    """Builds an empty library, to preload for comparison."""
    source, library = Path(folder) / "empty.c", Path(folder) / "empty.so"
    source.write_text("")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    return str(library)


def memory_rows(build: Path, steps: int) -> list[str]:
    """Returns the peak memory of a job under the shim next to that with COMMTAP=0."""
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


def count_row(build: Path, job: str, measure: str, folder: str) -> str:
    """Counts instructions under callgrind, which is some fifty times slower: few pairs, which hardly differ."""
    files = Path(folder) / f"{job}.{measure}"
    worker = [sys.executable, str(HERE / "worker.py"), job, "--measure", measure, "--pairs", "4"]
    totals = callgrind.totals(
        [*worker, "--counter", str(callgrind.counter(Path(folder)))],
        files,
        environment(build, str(files / "reports"), 0, 2, free_port(), timing=False),
    )
    off, on = statistics.median(totals["off"]), statistics.median(totals["on"])
    spread_text = " | ".join(f"{(max(which) - min(which)) / off:.5f}" for which in (totals["off"], totals["on"]))
    return f"| {job} | {measure} | {on / off:.5f} | {spread_text} | {off / 1e6:.1f} |"


def share_row(build: Path, job: str, count: int) -> str:
    """Measures commtap's share with counting always on, sampled every quarter of a millisecond of CPU time."""
    steps = STEPS.get(job, 2)
    arguments = [job, "--measure", "nothing", "--pairs", str(count), "--steps", str(steps), "--warm-up", "0"]
    with tempfile.TemporaryDirectory() as folder:
        record = ["perf", "record", "-q", "-e", "cpu-clock", "-F", "4000", "-k", "CLOCK_MONOTONIC", "-o"]
        ranks = run_worker(build, 2, arguments, lambda rank: [*record, f"{folder}/{rank}"])
        ours = total = 0
        for rank, printed in enumerate(ranks):
            span = ",".join(f"{second:.9f}" for second in printed["span"])
            report = ["perf", "report", "-i", f"{folder}/{rank}", "--stdio", "--time", span, "-F", "sample,dso"]
            lines = subprocess.run(report, check=True, capture_output=True, text=True).stdout.splitlines()
            samples = [line.split() for line in lines if line.strip() and not line.startswith("#")]
            total += sum(int(number) for number, *_ in samples)
            ours += sum(int(number) for number, library, *_ in samples if library.startswith("libcommtap"))
    percent, half_width = ours / total * 100, 1.96 * math.sqrt(ours) / total * 100
    return f"| {job} | {percent:.2f} | {percent - half_width:.2f} … {percent + half_width:.2f} | {total:,} |"


Show = Callable[[str], str]
INTERVAL = ("95 % of the median", "quartiles")
TRANSFORMERS = ("ddp_transformer", "fsdp2_transformer", "compiled_transformer")
JOBS = (
    "tensor_parallel",
    *TRANSFORMERS,
    "ddp",
    "fsdp2",
    "compiled",
    "compiled_collectives",
    "small_modules",
    "tiny_modules",
)
#: Steps per block, for jobs with short steps.
STEPS = {"small_modules": 10, "tiny_modules": 20, "module_calls": 100}
#: Steps between a switch and a block. The process takes tens of milliseconds to settle: after only eight steps
#: small_modules still runs half a per cent slower, with commtap off.
WARM_UP = {"small_modules": 40, "tiny_modules": 100}
#: The factor on the number of pairs: long steps need few pairs, a cost near the noise many.
PAIRS = {**dict.fromkeys(TRANSFORMERS, 0.2), "small_modules": 4}
#: Processes per row; other jobs use one.
JOB_PROCESSES = {"small_modules": PROCESSES}
COMPILED = ("compiled", "compiled_collectives", "compiled_transformer")
JOB_PEERS = ("comm_debug_mode", "mod_tracker", "profiler")
#: Jobs on the backend that does nothing. DDP is absent: it needs the result of its all_reduces.
COUNTED_JOBS = ("tensor_parallel", "fsdp2", "small_modules", "ordinary_ops")
#: The factor on the number of pairs. A module call costs least, so its noise needs most averaging; its blocks take a
#: fifth of a millisecond.
CALL_PAIRS = {"module_calls": 20}
CALL_JOBS = ("module_calls", "collectives", "gloo_collectives", "functional_collectives", "ordinary_ops")


def pairs_of(job: str, many: int) -> int:
    return int(many * PAIRS.get(job, 1))


def jobs(build: Path, show: Show, few: int, many: int) -> list[str]:
    lines = heading("job", "nothing", "commtap", "commtap_timing", *JOB_PEERS, "ms per step")
    return lines + [show(job_row(build, job, few, many)) for job in JOBS]


def instructions(build: Path, show: Show, few: int, many: int) -> list[str]:
    lines = heading(
        "job", "switched on and off", "instructions, on / off", "largest difference: off", "on", "millions per step"
    )
    with tempfile.TemporaryDirectory() as folder:
        for job in COUNTED_JOBS:
            lines += [show(count_row(build, job, what, folder)) for what in ("nothing", "commtap")]
    return lines


def shares(build: Path, show: Show, few: int, many: int) -> list[str]:
    lines = heading("job", "in commtap's libraries, % of CPU time", "95 %", "samples")
    return lines + [show(share_row(build, job, pairs_of(job, many))) for job in (*JOBS, "module_calls")]


def compiling(build: Path, show: Show, few: int, many: int) -> list[str]:
    lines = heading("a model with 14 collectives in its graphs", "without commtap", "with it", "ratio")
    return lines + [show(row) for row in compile_costs.rows(build)]


def calls(build: Path, show: Show, few: int, many: int) -> list[str]:
    lines = heading("1 of", "switched on and off", "added, ns", *INTERVAL, "without, ns")
    more = {"module_calls": ["global_hooks"], "gloo_collectives": ["commtap_timing"]}
    for job in CALL_JOBS:
        for what in ("nothing", "commtap", *more.get(job, [])):
            lines.append(show(call_row(build, job, what, many * CALL_PAIRS.get(job, 2))))
    for job in ("nccl_calls", "stream_waits"):
        lines.append(show(call_row(build, job, "interposition", many)))
    lines.append(show(own_row(build, few // 4)))
    lines.append(show(flight_recorder_row(build, few // 2)))
    return lines


def processes(build: Path, show: Show, few: int, many: int) -> list[str]:
    lines = heading("process", "added, ms of CPU time", *INTERVAL, "without, ms")
    shim = str(build / "shim" / "libcommtap.so")
    with tempfile.TemporaryDirectory() as folder:
        empty = empty_library(folder)
        small = {"/bin/true": ["/bin/true"], "bash": ["bash", "-c", ":"], "python": [sys.executable, "-c", "pass"]}
        for name, command in small.items():
            lines.append(show(process_row(f"{name}, against an empty object", command, shim, empty, many)))
    _, costs = own_costs(build, 1, few)
    spent = spread([cost["start_ns"] / 1e6 for cost in costs], ".1f")
    lines.append(show(f"| import torch, elapsed, by its own_cost | {spent} | |"))
    return lines


def own_costs(build: Path, scopes: int, count: int) -> tuple[int, list[dict[str, int]]]:
    """Returns the number of rows in the report of tests/bench/rows.py, and its `own_cost` in `count` processes."""
    rows, costs = 0, []
    for _ in range(count):
        with tempfile.TemporaryDirectory() as out:
            variables = environment(build, out, 0, 8, free_port(), timing=False) | {
                "COMMTAP_LEVEL": "ops",
                "PYTHONPATH": str(HERE.parent.parent / "tracker" / "python"),
            }
            subprocess.run([sys.executable, str(HERE / "rows.py"), str(scopes)], env=variables, check=True)
            [path] = Path(out).glob("*.json")
            report = json.loads(path.read_text())
        rows = len(report["collectives"]) + len(report["operations"])
        costs.append(report["own_cost"])
    return rows, costs


def exits(build: Path, show: Show, few: int, many: int) -> list[str]:
    lines = heading("rows in the report", "end of the process, ms", *INTERVAL)
    for scopes in (1, 1_000, 33_333):
        rows, costs = own_costs(build, scopes, few // 2)
        lines.append(show(f"| {rows:,} | {spread([cost['end_ns'] / 1e6 for cost in costs], '.1f')} |"))
    return lines


def memory(build: Path, show: Show, few: int, many: int) -> list[str]:
    lines = heading("memory at the end of", "added, MiB per rank")
    return lines + [show(row) for row in memory_rows(build, many * 5 // 2)]


def tools(build: Path, show: Show, few: int, many: int) -> list[str]:
    lines = heading("reports", "command", "seconds (range)", "CPU seconds (range)", "peak MiB")
    for layout, rounds in ((tool_costs.SMALL, few // 8), (tool_costs.LARGE, few // 16)):
        lines += [show(row) for row in tool_costs.rows(build / "tools" / "commtap", layout, max(1, rounds))]
    return lines


SECTIONS = {
    each.__name__: each for each in (jobs, shares, instructions, compiling, calls, processes, exits, memory, tools)
}


def write_section(name: str, lines: list[str]) -> None:
    """Replaces a section of the page: from its mark to the end of what is measured."""
    page = HERE.parent.parent / "docs" / "design" / "costs.md"
    before, mark, rest = page.read_text().partition(MARK.format(name))
    if not mark:
        return
    _, end, after = rest.partition(END)
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}, {time.strftime('%F')}"
    text = MARK.format(name) + f"\nMeasured on {machine}.\n" + "\n".join(lines) + "\n"
    page.write_text(before + text + end + after)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--quick", action="store_true", help="fewer pairs, wider spreads")
    parser.add_argument("--only", choices=SECTIONS, action="append", help="may be given more than once")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/design/costs.md")
    arguments = parser.parse_args()
    few, many = (8, 16) if arguments.quick else (40, 400)
    show: Show = lambda row: print(row, flush=True) or row  # noqa: E731
    for name in arguments.only or SECTIONS:
        lines = SECTIONS[name](arguments.build, show, few, many)
        if arguments.write:
            write_section(name, lines)


if __name__ == "__main__":
    main()
