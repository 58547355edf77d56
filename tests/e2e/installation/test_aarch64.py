# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The wheel for aarch64, which no test machine is: what is in it, and its stub and command line under emulation."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from callers import CALLERS, FOUND, Caller, openings
from harness import BUILD, COMMAND

from report import REPOSITORY

sys.path.insert(0, str(REPOSITORY / ".dev" / "wheel"))

import needs

LIBRARIES = Path("/usr/aarch64-linux-gnu")

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel's files, made now: ./dev installs the cross compilers and the emulator."""
    dist = BUILD / "dist-aarch64"
    command = ["./dev", "wheel", "--arch", "aarch64", "--torch", "2.13", "--python", sys.executable, "--dest", dist]
    subprocess.run([str(word) for word in command], cwd=REPOSITORY, check=True, capture_output=True)
    [wheel] = dist.glob("commtap-*-manylinux_2_28_aarch64.whl")
    folder = tmp_path_factory.mktemp("aarch64")
    shutil.unpack_archive(wheel, folder, "zip")
    return folder


def emulate(*command: object, preload: Path | None = None) -> "subprocess.CompletedProcess[str]":
    preloaded = [] if preload is None else ["-E", f"LD_PRELOAD={preload}"]
    words = ["qemu-aarch64", "-L", LIBRARIES, *preloaded, *command]
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)


def test_all_is_for_the_processor(tree: Path) -> None:
    binaries = needs.binaries_of(tree)
    assert {"commtap", "libcommtap.so", "libcommtap-tracker-2.13.so", "libcommtap-python-3.11.so"} == {
        path.name for path in binaries
    }
    for path in binaries:
        assert path.read_bytes()[18:20] == (183).to_bytes(2, "little")  # EM_AARCH64


def test_command_line(tree: Path) -> None:
    [command] = tree.rglob("bin/commtap")
    command.chmod(0o755)
    assert emulate(command, "--version").stdout.startswith("commtap ")
    for verb in (["show"], ["export", "--format", "job", "-o", "/dev/stdout"], ["export", "--format", "jsonl"]):
        arguments = [*verb, str(REPOSITORY / "tests" / "corpus" / "ddp")]
        expected = subprocess.run([COMMAND, *arguments], capture_output=True, text=True, check=True).stdout
        assert emulate(command, *arguments).stdout == expected


def test_stub_harms_no_program(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "hello.c").write_text('#include <stdio.h>\nint main(void) { puts("hello"); return 3; }\n')
    hello = tmp_path / "hello"
    subprocess.run(["aarch64-linux-gnu-gcc", tmp_path / "hello.c", "-o", hello], check=True)
    [stub] = tree.rglob("libcommtap.so")
    done = emulate(hello, preload=stub)
    assert (done.stdout, done.stderr, done.returncode) == ("hello\n", "", 3)


@pytest.mark.parametrize("caller", CALLERS, ids=str)
def test_stub_leaves_the_callers_path(tree: Path, tmp_path: Path, caller: Caller) -> None:
    """dlopen() searches the RPATH or RUNPATH of its caller: cuDNN and other libraries find their parts so."""
    [stub] = tree.rglob("libcommtap.so")
    for command in openings(caller, tmp_path, "aarch64-linux-gnu-gcc"):
        for preload in (None, stub):
            done = emulate(*command, preload=preload)
            assert (done.stdout, done.stderr, done.returncode) == ("", "", FOUND), command
