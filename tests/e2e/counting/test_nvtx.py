# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""COMMTAP_NVTX: ranges around collectives, for a profiler that NVTX loads."""

from collections import Counter
from pathlib import Path

from harness import BUILD, Job, Runner

RECORDER = BUILD / "tests" / "nvtx" / "libnvtx-recorder.so"


def variables(record: Path, *more: tuple[str, str]) -> tuple[tuple[str, str], ...]:
    return (("NVTX_INJECTION64_PATH", str(RECORDER)), ("NVTX_RECORD", str(record)), *more)


def test_each_collective_has_a_range_with_module_and_phase(runner: Runner, tmp_path: Path) -> None:
    """The profiler is loaded once. A range ends on the thread that opened it, before that thread opens the next."""
    run = runner.shim(Job("ddp.py", variables=variables(tmp_path / "ranges", ("COMMTAP_NVTX", "1"))))
    for rank in range(2):
        report = run.report(rank)
        lines = (tmp_path / f"ranges.{report.job['pid']}").read_text().splitlines()
        assert lines[:2] == ["load", "domain commtap"]
        pushes, pops = lines[2::2], lines[3::2]
        threads = [line.split(" ", 3)[2] for line in pushes]
        assert pops == [f"pop commtap {thread}" for thread in threads]
        expected: Counter[str] = Counter()
        for row in report.rows():
            label = f" [{row['label']}]" if row.get("label") else ""
            expected[f"{row['module']}{label} {row['phase']}"] += row["count"]
        assert Counter(line.split(" ", 3)[3] for line in pushes) == expected
        assert expected["Net backward"] > 0


def test_without_the_option_nothing_is_loaded(runner: Runner, tmp_path: Path) -> None:
    runner.shim(Job("ddp.py", variables=variables(tmp_path / "ranges")))
    assert list(tmp_path.iterdir()) == []
