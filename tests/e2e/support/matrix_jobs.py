# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a job of each mechanism under an installed commtap and prints what it counted: `matrix_jobs.py LIBRARY COMMAND`.

`./dev matrix` starts it with the Python of an environment that has one torch. Jobs that have an oracle are held against
PyTorch's own tools of the same torch.
"""

import importlib.metadata
import json
import platform
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import harness
from catalogue import JOBS
from harness import Mode, Run, Runner, assert_unchanged

from report import Report

#: The jobs by mechanism.
MECHANISMS = {
    "TP": ("mlp", "transformer_sp"),
    "FSDP1": ("fsdp1",),
    "FSDP2": ("fsdp2",),
    "DDP": ("ddp",),
    "PP": ("pipeline_gpipe", "pipeline_infer_shapes"),
    "checkpointing": ("checkpoint", "checkpoint_reentrant"),
    "compile": ("mlp_compile_function", "mlp_inductor"),
    "c10d": ("collectives",),
    "endings": ("raise", "_exit", "terminate"),
    "fork": ("fork", "spawn"),
}

#: The job that the installed command starts.
COMMAND_JOB = "ddp"

_ROW = ("module", "phase", "op", "kind", "dtype", "reduce_op", "async", "issued_in", "label", "count", "bytes", "sizes")
_MODULE = ("name", "raw_name", "class", "calls", "wrappers", "parameters")
_STEP = ("first_step", "steps", "forward_passes", "backward_passes")


def counts_of(report: Report) -> dict[str, Any]:
    """Returns what does not differ from run to run, in an order that does not depend on threads."""
    groups = {group["name"]: [group["desc"], group["ranks"]] for group in report.groups}
    rows = [{key: row.get(key) for key in _ROW} | {"group": groups[row["group"]]} for row in report.collectives]
    return {
        "rank": report.job["rank"],
        "exit": report.job["exit"],
        "rows": sorted(rows, key=json.dumps),
        "modules": [{key: module.get(key) for key in _MODULE} for module in report.modules],
        "steps": [{key: step[key] for key in _STEP} for step in report.steps],
        "not_seen": report.not_seen,
    }


def by_op(rows: list[dict[str, Any]]) -> dict[tuple[str, str | None], tuple[int, int]]:
    """Returns calls and bytes by op and dtype."""
    calls: Counter = Counter()
    sizes: Counter = Counter()
    for row in rows:
        key = row["op"], row["dtype"]
        calls[key] += row.get("count", 1)
        sizes[key] += row["bytes"]
    return {key: (calls[key], sizes[key]) for key in calls}


def faults_of(runner: Runner, name: str, run: Run) -> list[str]:
    """Returns what contradicts the run without commtap, or the oracle of the same torch."""
    job, faults = JOBS[name], []
    try:
        assert_unchanged(runner.bare(job), run)
    except AssertionError as error:
        faults.append(f"the job is not as without commtap: {error}")
    if not job.oracle:
        return faults
    for rank, oracle in enumerate(runner.oracle(job).oracles):
        known, counted = by_op(oracle["ops"]), by_op(run.report(rank).collectives)
        faults += [
            f"rank {rank} {op} {dtype}: calls and bytes {counted.get((op, dtype))}, oracle {known.get((op, dtype))}"
            for op, dtype in sorted(known.keys() | counted.keys(), key=str)
            if known.get((op, dtype)) != counted.get((op, dtype))
        ]
    return faults


def result_of(runner: Runner, name: str) -> dict[str, Any]:
    """Runs a job; returns its faults, and the counts of each report."""
    try:
        run = runner.shim(JOBS[name])
    except subprocess.TimeoutExpired as error:
        return {"faults": [str(error)], "reports": []}
    if run.ledgers:
        run.recover()
    reports = sorted((counts_of(report) for report in run.reports), key=lambda each: json.dumps(each, sort_keys=True))
    faults = faults_of(runner, name, run) + ([] if reports else ["no report"])
    return {"faults": faults, "reports": reports}


def faults_of_command(runner: Runner, folder: Path) -> list[str]:
    """Starts a job as a user does, by the installed `commtap run`, and reads it with `commtap show`."""
    job = JOBS[COMMAND_JOB]
    out = folder / "out"
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={job.ranks}"]
    command = [harness.COMMAND, "run", "--out", out, "--", *torchrun, harness.JOBS_FOLDER / job.script]
    variables = harness.environment(Run(job, Mode.BARE, folder))
    for arguments in (command, [harness.COMMAND, "show", out]):
        done = subprocess.run(arguments, env=variables, cwd=folder, capture_output=True, timeout=harness.TIMEOUT_S)
        if done.returncode != 0:
            return [f"commtap {arguments[1]} ended with {done.returncode}: {done.stderr.decode()[-500:]}"]
    made = [counts_of(Report.read(path))["rows"] for path in sorted(out.rglob("rank-*.json"))]
    expected = [counts_of(report)["rows"] for report in runner.shim(job).reports]
    return [] if made == expected else ["commtap run counts other than the preloaded job"]


def main() -> None:
    harness.LIBRARY, harness.COMMAND = (Path(each) for each in sys.argv[1:])
    harness.TIMEOUT_S = 600  # A CUDA build that was just installed takes minutes to be read from a busy disk.
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(Path(folder) / "jobs")
        try:
            jobs = {name: result_of(runner, name) for names in MECHANISMS.values() for name in names}
            jobs["commtap run"] = {"faults": faults_of_command(runner, Path(folder)), "reports": []}
        finally:
            runner.close()
    print(json.dumps({"torch": importlib.metadata.version("torch"), "python": platform.python_version(), "jobs": jobs}))


if __name__ == "__main__":
    main()
