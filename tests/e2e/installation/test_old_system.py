# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The archive of the wheel's files on Debian 11, whose glibc is 2.31: a job in C++ is counted there.

Debian 11 has no Python that torch supports, so the job has none. It is compiled for this system as the wheel is.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from harness import TORCH_MINOR

from report import REPOSITORY, Report

sys.path.insert(0, str(REPOSITORY / ".dev" / "wheel"))

import toolchain

TORCH = Path(torch.__file__).parent
WORK = REPOSITORY / "build" / "wheel"
RUN = """
export LD_LIBRARY_PATH=/torch/lib COMMTAP_LABELS=scopes COMMTAP_RUN_ID=run WORLD_SIZE=2
for rank in 0 1; do
  RANK=$rank /commtap/bin/commtap run --out /out -- /scopes /store &
done
wait
"""

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(os.geteuid() != 0, reason="chroot is for root"),
    pytest.mark.skipif(shutil.which("debootstrap") is None, reason="no debootstrap"),
]


@pytest.fixture(scope="module")
def debian_11() -> Path:
    """The folder of a system, without what the tests put into it. It is kept: to fetch it takes minutes."""
    root = REPOSITORY / "build" / "debian-11"
    if not (root / "complete").exists():
        shutil.rmtree(root, ignore_errors=True)
        ask = ["apt-get", "indextargets", "--format", "$(REPO_URI)"]
        addresses = subprocess.run(ask, check=True, capture_output=True, text=True).stdout.split()
        mirror = next(address for address in addresses if address.rstrip("/").endswith("/debian"))
        subprocess.run(
            ["debootstrap", "--variant=minbase", "bullseye", root, mirror], check=True, stdout=subprocess.DEVNULL
        )
        (root / "complete").touch()
    for name in ("out", "store", "torch", "commtap"):
        path = root / name
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    return root


def compile_job(target: Path, folder: Path) -> None:
    """Compiles tests/jobs/native/scopes.cc for an older system than this one."""
    machine = toolchain.TARGETS[os.uname().machine]
    sys.path += map(str, (WORK / "venv" / "lib").glob("python*/site-packages"))  # has zig
    compile_arguments, link_arguments = toolchain.job_arguments(machine, WORK / machine.arch)
    (folder / "gloo").symlink_to("/usr/include/gloo")  # zig does not look into /usr/include
    includes = (folder, TORCH / "include", TORCH / "include" / "torch" / "csrc" / "api" / "include")
    command = [WORK / machine.arch / "zig-cpp", "-std=c++20", "-O0", "-DNDEBUG", "-DUSE_C10D_GLOO", f"-I{REPOSITORY}"]
    command += [f"-isystem{include}" for include in includes]
    command += [*compile_arguments, REPOSITORY / "tests" / "jobs" / "native" / "scopes.cc", "-o", target]
    command += [f"-L{TORCH / 'lib'}", "-ltorch_cpu", "-lc10", *link_arguments, "-Wl,--allow-shlib-undefined"]
    caches = {name: str(WORK / "zig-cache") for name in ("ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR")}
    subprocess.run([str(word) for word in command], check=True, env=os.environ | caches, capture_output=True)


def test_a_job_is_counted(wheel: Path, debian_11: Path, tmp_path: Path) -> None:
    [archive] = wheel.parent.glob("commtap-*-linux-*.tar.gz")
    (debian_11 / "commtap").mkdir()
    untar = ["tar", "--extract", "--file", archive, "--directory", debian_11 / "commtap", "--strip-components=1"]
    subprocess.run(untar, check=True)
    compile_job(debian_11 / "scopes", tmp_path)
    (debian_11 / "torch" / "lib").mkdir(parents=True)
    for path in (TORCH / "version.py", *TORCH.glob("lib/lib*.so*")):
        os.link(path, debian_11 / "torch" / path.relative_to(TORCH))
    # In a mount namespace of its own: whatever happens, nothing stays mounted.
    alone = ["unshare", "--mount", "--pid", "--fork", f"--mount-proc={debian_11 / 'proc'}", "chroot", debian_11]
    done = subprocess.run([*alone, "sh", "-c", RUN], check=True, capture_output=True, text=True)
    assert "GLIBC" not in done.stderr
    reports = [Report.read(path) for path in sorted((debian_11 / "out").glob("rank-*.json"))]
    assert [report.table("kind") for report in reports] == [{"all_reduce": 15, "barrier": 1}] * 2
    assert [report.not_seen for report in reports] == [[], []]
    assert {row["module"] for row in reports[0].collectives} == {"Global", "Encoder.mix", "Decoder"}
    assert reports[0].job["torch"].startswith(TORCH_MINOR)
