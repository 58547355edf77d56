# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Communication that nothing can count is named in `not_seen` where there is a sign of it."""

import platform
import subprocess
from pathlib import Path

import pytest
from harness import Job, Runner, assert_unchanged

#: A file that exists and begins like one of NVSHMEM's plugins, and one that every job with torch for CUDA maps.
PLUGIN, HOST = "nvshmem_bootstrap_test.so.3", "libnvshmem_host.so.3"


def signs(runner: Runner, *arguments: str) -> list[tuple[str, int, str]]:
    """Returns `not_seen` of a job that is unchanged and has communicated."""
    bare, shim = runner.pair(Job("signs", arguments, ranks=1))
    assert_unchanged(bare, shim)
    report = shim.report(0)
    assert report.table("kind") == {"all_reduce": 1}
    return [(entry["reason"], entry["count"], entry["detail"]) for entry in report.not_seen]


def test_no_sign(runner: Runner) -> None:
    assert signs(runner) == []


@pytest.mark.skipif(platform.machine() != "x86_64", reason="seen on x86_64 only")
def test_symmetric_memory(runner: Runner) -> None:
    """Two exchanges, and no op of symm_mem."""
    found = signs(runner, "symmetric", "symmetric")
    assert found == [("symmetric_memory", 2, "symmetric_memory::rendezvous")]


def test_device_libraries(runner: Runner, tmp_path: Path) -> None:
    """A plugin of NVSHMEM is a sign; its host library is not, since torch always loads it."""
    (tmp_path / "empty.c").write_text("int commtap_test_empty;\n")
    paths = [str(tmp_path / name) for name in (PLUGIN, HOST)]
    for path in paths:
        subprocess.run(["cc", "-shared", "-fPIC", "empty.c", "-o", path], check=True, cwd=tmp_path)
    assert signs(runner, *paths) == [("device_libraries", 1, PLUGIN)]
