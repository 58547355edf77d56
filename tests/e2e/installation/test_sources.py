# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Products of the sources: the same bytes each time, and a package for the torch that is installed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from bare_machine import BareMachine
from harness import BUILD, TORCH_MINOR

from report import REPOSITORY, Report

pytestmark = pytest.mark.long


def published(checkout: Path) -> str:
    """Returns the checksums of what `./dev wheel` makes in a new checkout of what is committed, without ccache."""
    git = ["git", "clone", "--quiet", "--no-hardlinks", REPOSITORY, checkout]
    subprocess.run(git, check=True, capture_output=True)
    made = checkout / "build" / "wheel"
    made.mkdir(parents=True)
    for name in ("venv", "torches", "sources"):  # downloads
        (made / name).symlink_to(REPOSITORY / "build" / "wheel" / name)
    (checkout / ".venv").symlink_to(sys.prefix)
    venv = made / "venv" / "bin"
    command = [venv / "python", ".dev/wheel/make_wheel.py", "--torch", TORCH_MINOR, "--python", sys.executable]
    variables = os.environ | {"PATH": f"{venv}:{os.environ['PATH']}", "CCACHE_DISABLE": "1"}
    subprocess.run(command, cwd=checkout, env=variables, check=True, capture_output=True)
    return (checkout / "dist" / "SHA256SUMS").read_text(encoding="utf-8")


def test_two_builds_give_the_same_bytes(tmp_path: Path) -> None:
    """In folders whose paths differ in length."""
    sums = published(tmp_path / "one")
    assert len(sums.splitlines()) == 3
    assert sums == published(tmp_path / "another-checkout")


def test_sources_build_for_the_installed_torch(wheel: Path, tmp_path: Path) -> None:
    """pip makes a wheel of the archive of the sources. It has one tracker, and counts."""
    [archive] = (path for path in wheel.parent.glob("commtap-*.tar.gz") if "-linux-" not in path.name)
    machine = BareMachine(tmp_path)
    venv = [sys.executable, "-m", "venv", "--system-site-packages", str(machine.venv)]
    subprocess.run(venv, check=True)
    site = next((machine.venv / "lib").glob("python*/site-packages"))
    packages = [Path(sys.prefix) / "lib" / site.parent.name / "site-packages"]
    packages += (BUILD.parent / "build" / "wheel" / "venv" / "lib" / site.parent.name).glob("site-packages")
    (site / "packages.pth").write_text("".join(f"{path}\n" for path in packages), encoding="utf-8")
    tools = BUILD.parent / "build" / "wheel" / "venv" / "bin"
    pip = [str(machine.venv / "bin" / "pip"), "install", "--quiet", "--no-build-isolation", "--no-deps", str(archive)]
    variables = os.environ | {"PATH": f"{tools}:{os.environ['PATH']}"}
    subprocess.run(pip, env=variables, check=True, capture_output=True)
    assert [path.name for path in site.rglob("libcommtap-tracker-*.so")] == [f"libcommtap-tracker-{TORCH_MINOR}.so"]
    assert len(list(site.rglob("libcommtap-python-*.so"))) == 1
    job = ["python", str(REPOSITORY / "tests" / "jobs" / "children.py"), "helper"]
    machine.run("python", "-m", "commtap", "run", "--out", "out", "--", *job)
    [report] = (machine.work / "out").rglob("*.json")
    assert Report.read(report).table("kind") == {"all_reduce": 5}
