# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Launchers and neighbours of other projects, each around the same job: its counts, its end, and what commtap says.

They are installed into an environment of their own, build/launchers, with the torch of the tests. It is kept.
COMMTAP_REMAKE=1 writes the table of the page.
"""

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from harness import COMMAND, JOBS_FOLDER

from report import REPOSITORY, Report

PAGE = REPOSITORY / "docs" / "supported.md"
BEGIN, END = "<!-- launchers -->", "<!-- end of launchers -->"
REQUIREMENTS = REPOSITORY / ".dev" / "requirements" / "launchers.txt"
VERSIONS = dict(line.partition(" ")[0].split("==") for line in REQUIREMENTS.read_text().splitlines() if "==" in line)
TITLES = ("| launcher or tool | command | the ranks' `exit` |", "|---|---|---|")
STEPS, RANKS = 5, 2
TIMEOUT_S = 300


@dataclass(frozen=True)
class Case:
    """A launcher or a neighbour of a job: `{job}` in its command is the script, with the way in which ranks start."""

    package: str
    command: str
    way: str = ""
    #: How the ranks may end. A worker of Ray is ended by it, or exits later than the command, as it comes.
    ends: tuple[str, ...] = ("normal",)

    def words(self, folder: Path) -> list[str]:
        """Returns the command, with its files in a folder."""
        way = f" {self.way} {folder}/store" if self.way else ""
        return self.command.format(job=f"{JOBS_FOLDER}/launched.py{way}", folder=folder).split()

    def row(self) -> str:
        """Returns the line of the table."""
        command = self.command.format(job=f"launched.py {self.way}".strip(), folder=".")
        ends = " or ".join(f"`{end}`" for end in self.ends)
        return f"| {self.package} {VERSIONS[self.package]} | `{command}` | {ends} |"


#: Its command ends with status 0 although the program that it records failed.
PY_SPY = "py-spy"

CASES = (
    Case("accelerate", "accelerate launch --multi_gpu --num_processes 2 --num_machines 1 {job}"),
    Case("deepspeed", "deepspeed --no_local_rank --num_gpus 2 {job}"),
    Case("openmpi", "mpirun --allow-run-as-root --oversubscribe -n 2 python {job}", "mpirun"),
    Case("lightning", "python {job}", "lightning"),
    Case("ray", "python {job}", "ray", ("normal", "after_work")),
    Case("submitit", "python {job}", "submitit"),
    Case("hydra-joblib-launcher", "python {job}", "hydra"),
    Case("coverage", "coverage run --data-file={folder}/coverage {job}", "spawn"),
    Case("debugpy", "python -m debugpy --listen 127.0.0.1:0 {job}", "spawn"),
    Case("memray", "memray run -q -o {folder}/memray.bin {job}", "spawn"),
    Case(PY_SPY, "py-spy record -o {folder}/py-spy.svg --subprocesses -- python {job}", "spawn"),
)


@pytest.fixture(scope="module")
def environment() -> Path:
    """The folder of the programs, next to the torch of the tests: another torch would need another tracker."""
    venv = REPOSITORY / "build" / "launchers"
    complete = venv / "complete"
    if not complete.exists() or complete.read_text() != REQUIREMENTS.read_text():
        shutil.rmtree(venv, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        [site] = venv.glob("lib/python3.*/site-packages")
        torch = importlib.metadata.distribution("torch")
        for name in {path.parts[0] for path in torch.files or ()} - {".."}:
            (site / name).symlink_to(Path(torch.locate_file(name)).resolve())
        pip = [venv / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "-r", REQUIREMENTS, f"torch=={torch.version}"], check=True)
        complete.write_text(REQUIREMENTS.read_text())
    return venv / "bin"


def start(command: list[object], environment: Path, folder: Path, status: int = 0) -> subprocess.CompletedProcess:
    """Runs a command as in a shell with the environment activated, with a home of its own."""
    variables = {
        "PATH": f"{environment}:{os.environ['PATH']}",
        "HOME": str(folder),
        "OMP_NUM_THREADS": "1",
        "LAUNCHED_STATUS": str(status),
        "DS_ACCELERATOR": "cpu",
        "RAY_AUTH_MODE": "disabled",
        "RAY_USAGE_STATS_ENABLED": "0",
    }
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("COMMTAP", "LD_", "PYTHON"))}
    return subprocess.run(
        list(map(str, command)), env=kept | variables, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT_S
    )


def table() -> list[str]:
    """Returns the lines of the table in the page."""
    return PAGE.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0].strip().splitlines()


def keep(case: Case, line: str) -> None:
    """Writes a line of the table in place of its former one, if it has one, in the order of the cases."""
    rows = {row.split()[1]: row for row in table()[2:]} | {case.package: line}
    head, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    made = [*TITLES, *(rows[each.package] for each in CASES if each.package in rows)]
    PAGE.write_text("\n".join([f"{head}{BEGIN}", "", *made, "", f"{END}{rest.partition(END)[2]}"]), encoding="utf-8")


@pytest.mark.long
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.package)
def test_a_launcher(case: Case, environment: Path, tmp_path: Path) -> None:
    """Each rank's all_reduces are those of its backwards, and every verb calls the job healthy."""
    out = tmp_path / "out"
    out.mkdir()
    tapped = [COMMAND, "run", "--out", out, "--"]
    done = start([*tapped, *case.words(out)], environment, out)
    assert done.returncode == 0, done.stderr
    assert "2 of 2 ranks: 0-1\n" in done.stderr
    assert not re.search("NOT |why: |commtap: |with status", done.stderr), done.stderr
    until = time.monotonic() + 60
    while len(paths := sorted(out.glob("rank-*.json"))) < RANKS and time.monotonic() < until:
        time.sleep(0.2)
    reports = [Report.read(path) for path in paths]
    assert [report.total(kind="all_reduce", phase="backward") for report in reports] == [STEPS] * RANKS
    assert not any(report.not_seen for report in reports)
    shown, why, checked = (start([COMMAND, verb, out], environment, out) for verb in ("show", "why", "check"))
    assert [each.returncode for each in (shown, why, checked)] == [0, 0, 0], why.stdout + checked.stdout
    assert "2 of 2 ranks: 0-1\n" in shown.stdout
    assert why.stdout.startswith("healthy")
    assert f"{JOBS_FOLDER}/launched.py" in start([COMMAND, "list", out], environment, out).stdout
    assert {report.job["exit"] for report in reports} <= set(case.ends)
    if os.environ.get("COMMTAP_REMAKE"):
        keep(case, case.row())
    assert case.row() in table()


@pytest.mark.long
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.package)
def test_a_job_that_fails_in_a_launcher(case: Case, environment: Path, tmp_path: Path) -> None:
    """The command has the exit status that it has without commtap."""
    statuses = []
    for name, tap in (("bare", []), ("out", [COMMAND, "run", "--out", tmp_path / "reports", "--"])):
        folder = tmp_path / name
        folder.mkdir()
        statuses.append(start([*tap, *case.words(folder)], environment, folder, status=7).returncode)
    assert statuses[0] == statuses[1]
    assert (statuses[0] == 0) == (case.package == PY_SPY)


def test_the_page_has_each_launcher_of_the_requirements() -> None:
    """The table is that of the cases, with the versions that the tests install."""
    assert table()[2:] == [case.row() for case in CASES]
