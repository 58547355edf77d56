# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Attacks by another user of the machine, and the data of a job in its report, as the docs describe them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from harness import COMMAND, LIBRARY, PYTHON_PARTS, TRACKER
from test_bad_input import lines, one_report, run_job

SOMEBODY_ELSE = 12345

#: A process with a torch of unknown version, which commtap reports if it is active.
PROGRAM = """
void init_logging(void) __asm__("_ZN3c1011initLoggingEv");
int main(void) { init_logging(); return 0; }
"""
TORCH = """
void init_logging(void) __asm__("_ZN3c1011initLoggingEv");
void init_logging(void) {}
"""

#: A job of one collective that then ends so that its ledger stays.
KILLED_JOB = """
import os, signal
import torch, torch.distributed as dist
dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
dist.all_reduce(torch.ones(1))
os.kill(os.getpid(), signal.SIGKILL)
"""


def give_away(path: Path) -> None:
    """Makes another user the file's owner, which only root can do."""
    if os.geteuid() != 0:
        pytest.skip("only root can give a file to another user")
    os.chown(path, SOMEBODY_ELSE, SOMEBODY_ELSE, follow_symlinks=False)


@pytest.fixture
def installation(tmp_path: Path) -> Path:
    """Returns a folder with the libraries in their installed layout."""
    root = tmp_path / "commtap"
    trackers = root / "trackers"
    (trackers / "python").mkdir(parents=True)
    shutil.copy(LIBRARY, root)
    shutil.copy(TRACKER, trackers)
    for part in PYTHON_PARTS.glob("*.so"):
        shutil.copy(part, trackers / "python")
    return root


@pytest.mark.parametrize("place", ["trackers", f"trackers/{TRACKER.name}"])
@pytest.mark.parametrize("how", ["another user's", "for everyone to write to"])
def test_tracker_that_another_user_may_have_put_there(installation: Path, tmp_path: Path, place: str, how: str) -> None:
    """A library copied to /tmp loads nothing that other users put next to it."""
    if how == "another user's":
        give_away(installation / place)
    else:
        (installation / place).chmod(0o777)
    [said] = lines(run_job(tmp_path, library=installation / "libcommtap.so", COMMTAP_OUT="out"))
    assert "another user may have put it there" in said
    assert "nothing is counted" in said
    assert not (tmp_path / "out").exists()


def test_python_part_that_another_user_may_have_put_there(installation: Path, tmp_path: Path) -> None:
    (installation / "trackers" / "python").chmod(0o777)
    [said] = lines(run_job(tmp_path, library=installation / "libcommtap.so", COMMTAP_OUT="out"))
    assert "another user may have put it there" in said
    [entry] = one_report(tmp_path / "out").not_seen
    assert entry["reason"] == "module_hook_missing"


def test_relative_preload_means_the_folder_in_which_the_process_began(installation: Path, tmp_path: Path) -> None:
    """A relative path is resolved at process start, not in the folder that the job enters before it imports torch."""
    trap = tmp_path / "trackers"
    trap.mkdir()
    (trap / TRACKER.name).write_bytes(b"not what was installed")
    moves = "import os, sys; os.chdir('..'); import torch; print('done')"
    variables = os.environ | {"LD_PRELOAD": "./libcommtap.so", "COMMTAP_OUT": str(tmp_path / "out")}
    done = subprocess.run([sys.executable, "-c", moves], env=variables, cwd=installation, capture_output=True)
    assert (done.stdout, done.stderr) == (b"done\n", b"")


def test_output_folder_that_another_user_made(tmp_path: Path) -> None:
    """If another user made the output folder first, the report goes where only this user writes."""
    shared = tmp_path / "shared"
    (shared / "out").mkdir(parents=True)
    give_away(shared / "out")
    shared.chmod(0o1777)
    said = lines(run_job(tmp_path, COMMTAP_OUT=str(shared / "out")))
    assert "belongs to another user" in said[0]
    assert "the report goes to" in said[1]
    assert list((shared / "out").iterdir()) == []
    one_report(tmp_path / "tmp")


def test_pipe_in_the_place_of_the_report(tmp_path: Path) -> None:
    """A pipe in the report's place does not block the job's end, and is left alone."""
    (tmp_path / "out").mkdir()
    os.mkfifo(tmp_path / "out" / "rank-00000.json")
    assert run_job(tmp_path, COMMTAP_OUT="out").stderr == b""
    assert (tmp_path / "out" / "rank-00000.json").is_fifo()
    [report] = (tmp_path / "out").glob("rank-00000.pid-*.json")
    assert report.stat().st_mode & 0o777 == 0o600


def test_privileged_program(tmp_path: Path) -> None:
    """In a setgid program commtap ignores the variables of the caller."""
    (tmp_path / "program.c").write_text(PROGRAM)
    (tmp_path / "torch.c").write_text(TORCH)
    shim = ["-L", str(LIBRARY.parent), f"-Wl,-rpath,{LIBRARY.parent}", "-Wl,--no-as-needed", "-lcommtap"]
    for command in (
        ["cc", "-shared", "-fPIC", "torch.c", "-o", str(tmp_path / "libc10.so")],
        ["cc", "program.c", "-o", "program", *shim, str(tmp_path / "libc10.so")],
    ):
        subprocess.run(command, cwd=tmp_path, check=True)
    program = tmp_path / "program"
    variables = {"COMMTAP_OUT": str(tmp_path / "out"), "COMMTAP_LOG": "debug"}
    ordinary = subprocess.run([program], env=variables, check=True, capture_output=True)
    assert b"the version of this torch is unknown" in ordinary.stderr
    others = [group for group in (os.getgroups() or [SOMEBODY_ELSE]) if group != os.getegid()]
    group = SOMEBODY_ELSE if os.geteuid() == 0 else next(iter(others), None)
    if group is None or os.statvfs(tmp_path).f_flag & os.ST_NOSUID:
        pytest.skip("no program can be given rights here")
    os.chown(program, -1, group)
    program.chmod(0o2755)
    privileged = subprocess.run([program], env=variables, check=True, capture_output=True)
    assert privileged.stderr == b""
    assert not (tmp_path / "out").exists()


def test_nothing_else_of_the_environment(tmp_path: Path) -> None:
    """A killed job's ledger and report are readable only to their user, even if the job's umask allows everyone.

    They hold only the environment variables that docs/reliability.md lists.
    """
    secret = "s3ntinel"
    secrets = dict.fromkeys(("HF_TOKEN", "WANDB_API_KEY", "AWS_SECRET_ACCESS_KEY", "MY_NAME", "PGPASSWORD"), secret)
    variables = os.environ | secrets | {"LD_PRELOAD": str(LIBRARY), "COMMTAP_OUT": str(tmp_path / "out")}
    done = subprocess.run([sys.executable, "-c", KILLED_JOB], env=variables, cwd=tmp_path, umask=0, capture_output=True)
    assert done.returncode == -9
    [ledger] = (tmp_path / "out").iterdir()
    assert ledger.suffix == ".ledger"
    assert (tmp_path / "out").stat().st_mode & 0o002 == 0
    assert ledger.stat().st_mode & 0o777 == 0o600
    assert secret.encode() not in ledger.read_bytes()
    subprocess.run([COMMAND, "list", tmp_path / "out"], check=True, capture_output=True)
    [report] = (tmp_path / "out").iterdir()
    assert report.stat().st_mode & 0o777 == 0o600
    assert secret not in report.read_text(encoding="utf-8")
