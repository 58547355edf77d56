# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""`commtap demo`: what a new user sees first."""

import os
import subprocess
import sys
from pathlib import Path

from harness import COMMAND

from report import Report


def demo(folder: Path, *arguments: str) -> subprocess.CompletedProcess:
    unwanted = ("COMMTAP", "LD_PRELOAD", "TORCH")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(unwanted)}
    command = [COMMAND, "demo", *arguments]
    return subprocess.run(command, env=kept, cwd=folder, capture_output=True, text=True, timeout=180)


def test_demo(tmp_path: Path) -> None:
    """Four ranks train; the summary, the table of modules and the page show tensor parallelism and FSDP2."""
    done = demo(tmp_path, "--python", sys.executable)
    assert done.returncode == 0, done.stderr
    out = tmp_path / "commtap-demo"
    reports = [Report.read(path) for path in sorted(out.glob("rank-*.json"))]
    assert [report.job["rank"] for report in reports] == [0, 1, 2, 3]
    for report in reports:
        assert report.not_seen == []
        kinds = report.table("kind")
        # Per step 4 blocks add up, in the backward those whose input needs a gradient. The blocks are gathered twice,
        # the root once.
        assert kinds["all_reduce"] == 3 * (4 + 3)
        assert kinds["all_gather"] == 3 * (4 * 2 + 1)
        assert kinds["reduce_scatter"] == 3 * (4 + 1)
    assert "blocks.0" in done.stdout
    assert "step 2: loss " in done.stdout
    assert "\n4 of 4 ranks: 0-3\n" in done.stderr
    assert "Per rank and step: all but set-up, divided by 4 ranks and 3 steps" in done.stderr
    assert "\nadvice: gathered_twice: commtap advise " in done.stderr  # as --keep-gathered would avoid
    assert f"the page of this run: {out / 'report.html'}" in done.stderr
    assert "blocks.0" in (out / "report.html").read_text(encoding="utf-8")


def test_python_without_torch(tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", bare], check=True)
    done = demo(tmp_path, "--python", str(bare / "bin" / "python"))
    assert done.returncode == 1
    assert f"{bare}/bin/python has no torch: install it there (pip install torch)" in done.stderr
    assert list(tmp_path.iterdir()) == [bare]
