# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Attacks the command, the server and the shim, and prints how many attempts crashed, hung or gave wrong numbers.

A seed always makes the same inputs. Inputs that fail stay in the folder that the last line names.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import bombs
import files
import http_requests
import inputs
import ledgers
import libraries
import options
import peers
import processes
import prune_races
import reports
import truncation
from attempts import Attempt, Tally, Verdict

JOBS = Path(__file__).parent.parent / "jobs"
#: The changes that go to reports, of each hundred of --changes; the others go to ledgers.
OF_REPORTS = 60


def job_environment(library: Path, out: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("COMMTAP", "LD_PRELOAD"))}
    return kept | {"LD_PRELOAD": str(library), "COMMTAP_OUT": str(out), "OMP_NUM_THREADS": "1"}


def sample_report(library: Path, folder: Path) -> Path:
    """Returns the report of a job of one process."""
    command = [sys.executable, JOBS / "children.py", "helper"]
    subprocess.run(command, env=job_environment(library, folder), stdout=subprocess.DEVNULL, check=True)
    [path] = folder.rglob("*.json")
    return path


def sample_ledger(library: Path, folder: Path) -> Path:
    """Returns the ledger that a killed process left."""
    program = "import sys; sys.argv = ['x', 'helper']; import runpy, os, signal; "
    program += (
        f"runpy.run_path({str(JOBS / 'children.py')!r}, run_name='__main__'); os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=job_environment(library, folder) | {"PYTHONPATH": str(JOBS)},
        stdout=subprocess.DEVNULL,
    )
    if done.returncode != -signal.SIGKILL:
        raise RuntimeError(f"the job that kills itself ended with {done.returncode}")
    [path] = folder.rglob("*.ledger")
    return path


def parts(build: Path, folder: Path, changes: int, seed: int) -> Iterator[tuple[str, Iterator[Attempt]]]:
    """Returns the campaign's parts."""
    command, library = build / "tools" / "commtap", build / "shim" / "libcommtap.so"
    names = "reports ledgers files inputs bombs options peers races truncation processes libraries"
    places = {name: folder / name for name in names.split()}
    for place in places.values():
        place.mkdir()
    report = sample_report(library, folder / "job")
    of_reports = changes * OF_REPORTS // 100
    yield "changed reports", reports.attack(command, report, places["reports"], of_reports, seed)
    ledger = sample_ledger(library, folder / "killed")
    yield "changed ledgers", ledgers.attack(command, ledger, places["ledgers"], changes - of_reports, seed)
    yield "monster files and hostile names", files.attack(command, report, places["files"])
    yield "inputs that are no files", inputs.attack(command, report, places["inputs"])
    yield "bombs by memory", bombs.attack(command, report, places["bombs"])
    yield "escapes in options", options.attack(command, report, places["options"])
    yield "hostile peers", peers.attack(command, places["peers"])
    yield "prune's races", prune_races.attack(command, report, ledger, places["races"])
    yield "truncated ledgers", truncation.attack(command, library, places["truncation"], seed)
    yield "HTTP", http_requests.attack(command, folder / "job")
    yield "processes", processes.attack(library, places["processes"])
    stubs = libraries.stubs(build, folder)
    yield f"RPATH and RUNPATH, stub of {' and '.join(stubs)}", libraries.attack(stubs, places["libraries"])


def row(name: str, tally: Tally, seconds: float) -> str:
    shown = (Verdict.CRASH, Verdict.HANG, Verdict.SILENT, Verdict.DELETED, Verdict.LISTED)
    counts = " | ".join(f"{tally.verdicts[verdict]:,}" for verdict in shown)
    return f"| {name} | {tally.verdicts.total():,} | {counts} | {seconds:.0f} |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--changes", type=int, default=9_500, help="changed reports and ledgers")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="the parts whose name contains this text")
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="commtap-attack-"))
    failures: list[Attempt] = []
    print("| attempts | tried | crashes | hangs | silent wrong | foreign deletions | listed | s |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    for name, attempts in parts(arguments.build.resolve(), folder, arguments.changes, arguments.seed):
        if arguments.only and arguments.only not in name:
            continue
        begin = time.monotonic()
        tally = Tally().add(attempts)
        failures += tally.failures
        print(row(name, tally, time.monotonic() - begin), flush=True)
    for failure in failures:
        print(f"{failure.verdict.value}: {failure.name}: {failure.why}")
    if failures:
        (folder / "failures.json").write_text(json.dumps([[each.name, each.why] for each in failures], indent=1))
        print(f"the failing inputs: {folder}")
    else:
        shutil.rmtree(folder)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
