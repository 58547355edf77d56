# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs other projects' tests without and with the shim, and compares the outcome of each test.

Runs them twice without the shim: a test whose outcome varies is not a witness. Exits with 1 if a witness differs.
"""

import shutil
import subprocess
import sys
import tarfile
import time
from pathlib import Path

from common import environment, read_command_line
from outcomes import compare, read
from suites import SUITES, Suite

HERE = Path(__file__).resolve().parent
BARE_RUNS = 2
TEST_TIMEOUT_S = 300


def source_of(suite: Suite, folder: Path) -> Path:
    """Returns the folder of the suite's tests: its source distribution, fetched and unpacked once, or this folder."""
    if not suite.package:
        return HERE
    target = folder / "sources" / suite.package
    if not target.is_dir():
        command = ["pip", "download", "-q", "--no-deps", "--no-binary", ":all:", "--dest", folder / "sdists"]
        constraint = ["--constraint", HERE / "requirements.txt", suite.package]
        subprocess.run([sys.executable, "-m", *command, *constraint], check=True)
        [archive] = (folder / "sdists").glob(f"{suite.package}-*.tar.gz")
        with tarfile.open(archive) as file:
            file.extractall(target, filter="data")
    [unpacked] = target.iterdir()
    return unpacked


def run(suite: Suite, source: Path, folder: Path, name: str, library: Path | None) -> Path:
    """Runs a suite once and returns its JUnit file."""
    folder.mkdir(parents=True, exist_ok=True)
    junit = folder / f"{name}.xml"
    options = [
        "-q",
        "-p",
        "no:cacheprovider",
        "-o",
        "addopts=",
        f"--junit-xml={junit}",
        f"--timeout={TEST_TIMEOUT_S}",
        "--tb=short",
    ]
    only = ["-k", suite.only] if suite.only else []
    with open(folder / f"{name}.log", "wb") as log:
        # Ignore the exit status: some tests fail without commtap too, and the comparison decides.
        subprocess.run(
            [sys.executable, "-m", "pytest", *options, *only, *suite.files],
            cwd=source,
            env=environment(library, folder / "reports") | dict(suite.variables),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    return junit


def ask(suite: Suite, folder: Path, library: Path) -> bool:
    """Runs a suite without and with the shim, prints the verdict, and returns whether nothing differs."""
    started = time.monotonic()
    source = source_of(suite, folder)
    runs = folder / "runs" / suite.name
    shutil.rmtree(runs, ignore_errors=True)
    bare = [read(run(suite, source, runs, f"bare-{i}", None)) for i in range(BARE_RUNS)]
    verdict = compare(bare, read(run(suite, source, runs, "shim", library)))
    reports = len(list((runs / "reports").rglob("*.json")))
    print(
        f"{suite.name}: {verdict.witnesses} witnesses ({verdict.passed} pass), {len(verdict.differences)} differences, "
        f"{len(verdict.unsteady)} unsteady, {reports} reports, {time.monotonic() - started:.0f} s",
        flush=True,
    )
    for name, without, within in verdict.differences:
        print(f"  {name}: {without}, with the shim {within}", flush=True)
    return not verdict.differences and verdict.passed > 0


def main() -> int:
    """Runs the suites named on the command line, or all."""
    names = [suite.name for suite in SUITES]
    choice = read_command_line("Other projects' tests with the shim and without.", "SUITE", names)
    chosen = [suite for suite in SUITES if suite.name in choice.names]
    return 0 if all([ask(suite, choice.folder, choice.shim) for suite in chosen]) else 1


if __name__ == "__main__":
    sys.exit(main())
