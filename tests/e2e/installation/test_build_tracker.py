# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""commtap build-tracker, from the wheel, for a torch whose version is not a release's."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from harness import JOBS_FOLDER
from installed import Installed
from other_torch import other_torch

from report import Report

VERSION = f"{torch.__version__.partition('+')[0]}a0+1a2b3c4.nv26.09"
#: A job of one process that makes five all_reduces.
JOB = [sys.executable, str(JOBS_FOLDER / "children.py"), "helper"]


def run(installed: Installed, variables: dict[str, str], *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = str(installed.shim.parents[2] / "bin" / "commtap")
    return subprocess.run([command, *arguments], env=variables, capture_output=True, text=True, check=False)


@pytest.mark.long
def test_tracker_for_the_torch_at_hand(installed: Installed, tmp_path: Path) -> None:
    """Nothing is counted before; then all jobs of this user with exactly this torch are, and of no other."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("COMMTAP", "LD_", "PYTHON"))}
    site = other_torch(tmp_path / "site", VERSION)
    variables = kept | {"XDG_CACHE_HOME": str(tmp_path / "cache"), "PYTHONPATH": str(site), "OMP_NUM_THREADS": "1"}
    before = run(installed, variables, "run", "--out", str(tmp_path / "before"), "--", *JOB)
    assert f"torch {VERSION} is not a release" in before.stderr
    assert not list(tmp_path.glob("before/*.json"))
    made = run(installed, variables, "build-tracker", "--", sys.executable)
    assert made.returncode == 0, made.stderr
    assert f"libcommtap-tracker-{VERSION}.so: check it with commtap doctor" in made.stderr
    doctor = run(installed, variables, "doctor", "--", sys.executable)
    assert f"because torch is {VERSION}" in doctor.stdout
    assert doctor.returncode == 0, doctor.stdout
    after = run(installed, variables, "run", "--out", str(tmp_path / "after"), "--", *JOB)
    assert after.returncode == 0, after.stderr
    report = Report.read(next((tmp_path / "after").rglob("*.json")))
    assert report.job["torch"] == VERSION
    assert report.table("kind") == {"all_reduce": 5}
    assert report.not_seen == []
    other = other_torch(tmp_path / "other", f"{VERSION}.2")
    refused = run(installed, variables | {"PYTHONPATH": str(other)}, "run", "--out", str(tmp_path / "no"), "--", *JOB)
    assert f"torch {VERSION}.2 is not a release" in refused.stderr
