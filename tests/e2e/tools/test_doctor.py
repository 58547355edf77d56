# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""`commtap doctor` on commands that would be counted, and on each that would not: it says which, why and what to do."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import torch
from harness import BUILD, COMMAND, LIBRARY, PACKAGE

TORCH = ".".join(torch.__version__.split(".")[:2])
TORCHRUN = Path(sys.executable).parent / "torchrun"

Found = dict[str, list[dict[str, str]]]


def doctor(
    *command: str | Path, status: int, commtap: Path = COMMAND, folder: Path | None = None, **variables: str
) -> Found:
    """Runs doctor on a command. Returns the objects by the name of their check."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("COMMTAP", "LD_PRELOAD"))}
    done = subprocess.run(
        [commtap, "doctor", "--json", "--", *command],
        env=kept | variables,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (status, ""), done.stdout
    found: Found = {}
    for each in json.loads(done.stdout)["checks"]:
        assert each.keys() == {"check", "state", "found", "todo"}
        assert each["found"]
        assert each["state"] == "ok" or each["todo"], each
        found.setdefault(each["check"], []).append(each)
    assert ("error" in {each["state"] for every in found.values() for each in every}) == (status == 1)
    return found


def only(found: Found, check: str) -> tuple[str, str]:
    """The state of a check that has one line, and the line."""
    [each] = found[check]
    return each["state"], f"{each['found']}: {each['todo']}"


def test_the_python_that_commtap_is_installed_in(tmp_path: Path) -> None:
    """`python -m commtap`, as the script of the wheel, looks at its own Python, and no child learns of that."""
    (tmp_path / "python3").symlink_to("/bin/false")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("COMMTAP", "LD_PRELOAD"))}
    kept |= {"PYTHONPATH": str(PACKAGE), "PATH": f"{tmp_path}:{os.environ['PATH']}"}

    def run(*arguments: str) -> str:
        command = [sys.executable, "-m", "commtap", *arguments]
        return subprocess.run(command, env=kept, cwd=tmp_path, capture_output=True, text=True, timeout=120).stdout

    [python] = [each for each in json.loads(run("doctor", "--json"))["checks"] if each["check"] == "python"]
    assert (python["state"], sys.executable in python["found"]) == ("ok", True)
    assert "COMMTAP_STARTED_BY" not in run("run", "--", "env")


def test_good_job_and_misspelt_option(tmp_path: Path) -> None:
    """torchrun's Python, torch, tracker and Python part are named, a report came, and doctor left no file."""
    found = doctor(TORCHRUN, "--nproc-per-node", "4", "train.py", status=0, folder=tmp_path, COMMTAP_OUTT="x")
    assert only(found, "command") == ("ok", f"{TORCHRUN}: ")
    state, said = only(found, "python")
    assert (state, f"{TORCHRUN.parent}/python" in said) == ("ok", True)
    state, said = only(found, "torch")
    assert (state, torch.__version__ in said) == ("ok", True)
    assert f"because torch is {TORCH}" in only(found, "tracker")[1]
    assert f"libcommtap-python-3.{sys.version_info.minor}.so" in only(found, "python part")[1]
    state, said = only(found, "options")
    assert state == "warning"
    assert "COMMTAP_OUTT is not an option and was ignored: did you mean COMMTAP_OUT?" in said
    for check in ("permissions", "symbols", "nccl", "neighbours", "space", "preload", "report"):
        assert only(found, check)[0] == "ok", found[check]
    assert only(found, "output")[0] != "error"
    assert str(tmp_path / "commtap-out") in only(found, "output")[1]
    assert list(tmp_path.iterdir()) == []


def test_stripped_preload_and_unwritable_output(tmp_path: Path) -> None:
    """`env -u LD_PRELOAD` is found by starting Python through it; a file in the way of COMMTAP_OUT by making one."""
    (tmp_path / "file").write_text("not a folder")
    command = ("env", "-u", "LD_PRELOAD", sys.executable, "train.py")
    found = doctor(*command, status=1, COMMTAP_OUT=str(tmp_path / "file" / "out"))
    state, said = only(found, "preload")
    assert state == "error"
    assert "LD_PRELOAD does not reach the process" in said
    assert only(found, "report")[0] == "error"
    state, said = only(found, "output")
    assert (state, f"{tmp_path / 'file'} is not a folder" in said) == ("error", True)


def test_static_program(tmp_path: Path) -> None:
    (tmp_path / "job.c").write_text("int main(void) { return 0; }")
    built = subprocess.run(["cc", "-static", "job.c", "-o", "job"], cwd=tmp_path, capture_output=True)
    if built.returncode != 0:
        pytest.skip("no static libc")
    found = doctor(tmp_path / "job", status=1)
    state, said = only(found, "command")
    assert (state, "is statically linked" in said) == ("error", True)
    assert "preload" not in found


def test_missing_tracker(tmp_path: Path) -> None:
    """An installation without the tracker: doctor names it, and the stub's own line in the process."""
    root = tmp_path / "commtap"
    (root / "bin").mkdir(parents=True)
    (root / "lib" / "commtap").mkdir(parents=True)
    shutil.copy(COMMAND, root / "bin")
    shutil.copy(LIBRARY, root / "lib" / "commtap")
    found = doctor(sys.executable, status=1, commtap=root / "bin" / "commtap")
    state, said = only(found, "tracker")
    assert (state, f"no tracker for torch {TORCH} is installed" in said) == ("error", True)
    assert "python part" not in found, "this Python is not the cause"
    state, said = only(found, "preload")
    assert state == "error"
    assert f"torch {torch.__version__} is not supported" in said


def test_torch_in_a_program_in_cxx() -> None:
    """A C++ job is examined without running it: the dynamic linker lists its libraries."""
    found = doctor(BUILD / "tests" / "jobs" / "native" / "scopes", status=0)
    assert only(found, "python")[1].startswith("none: ")
    assert only(found, "torch")[0] == "ok"
    assert only(found, "preload")[0] == "ok"


def test_a_program_whose_modules_are_not_known(tmp_path: Path) -> None:
    """A zip application and a shell command may bring their own torch: a warning says so, and `run` is the proof."""
    bare = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", bare], check=True)
    python = bare / "bin" / "python"
    with zipfile.ZipFile(tmp_path / "app.pyz", "w") as archive:
        archive.writestr("__main__.py", "")
    (tmp_path / "app").write_bytes(f"#!{python}\n".encode() + (tmp_path / "app.pyz").read_bytes())
    (tmp_path / "app").chmod(0o755)
    path = f"{bare}/bin:{os.environ['PATH']}"
    for command in ((python, tmp_path / "app.pyz"), (tmp_path / "app",), ("bash", "-c", f"{sys.executable} x.py")):
        state, line = only(doctor(*command, status=0, PATH=path), "torch")
        assert state == "warning"
        assert line == (
            "this Python has no torch, but what the job loads is not known: run it: commtap run -- COMMAND says at its "
            "end whether it was counted"
        )
    assert only(doctor(python, "x.py", status=1), "torch")[0] == "error"
