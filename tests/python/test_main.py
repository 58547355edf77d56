# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""`python -m commtap` is the command line, and importing the package imports nothing of torch."""

import os
import re
import subprocess
import sys
from pathlib import Path

from binaries import CHECKOUT_PACKAGE, PACKAGE

from report import REPOSITORY


def run(*arguments: str, package: Path = PACKAGE, **variables: str) -> "subprocess.CompletedProcess[str]":
    environment = os.environ | {"PYTHONPATH": str(package)} | variables
    return subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, text=True, check=False)


def test_arguments_and_status_pass_through(tmp_path: Path) -> None:
    (tmp_path / "tools").mkdir()
    command = tmp_path / "tools" / "commtap"
    command.write_text('#!/bin/sh\nprintf "<%s>" "$@"\nexit 7\n', encoding="utf-8")
    command.chmod(0o755)
    done = run("-m", "commtap", "run", "--", "a b", package=CHECKOUT_PACKAGE, BUILD_DIR=str(tmp_path))
    assert (done.stdout, done.returncode) == ("<run><--><a b>", 7)


def test_command_is_missing(tmp_path: Path) -> None:
    done = run("-m", "commtap", package=CHECKOUT_PACKAGE, BUILD_DIR=str(tmp_path))
    assert done.stderr == f"commtap: {tmp_path}/tools/commtap is missing: install or build all of commtap\n"
    assert done.returncode == 1


def test_version_and_names() -> None:
    """dir() has what users may use: no module or helper of the package."""
    done = run(
        "-c",
        "import commtap\n"
        "print(commtap.__version__, '__version__' in dir(commtap))\n"
        "print(sorted(name for name in dir(commtap) if not name.startswith('__')) == sorted(commtap.__all__))",
    )
    version = re.search(r"^  version: '(.*)'", (REPOSITORY / "meson.build").read_text(encoding="utf-8"), re.MULTILINE)
    assert version is not None
    assert done.stdout == f"{version[1]} True\nTrue\n", done.stderr


def test_import_is_light() -> None:
    """The names are there before torch is; the first use of one imports torch."""
    done = run(
        "-c",
        "import commtap, sys\n"
        "assert 'torch' not in sys.modules and 'CommDebugMode' in dir(commtap)\n"
        "assert not hasattr(commtap, 'no_such_name')\n"
        "from commtap import CommDebugMode, mark_step\n"
        "print(CommDebugMode.__module__, mark_step.__module__, 'torch' in sys.modules)",
    )
    assert done.stdout == "commtap.comm_debug_mode commtap.control True\n", done.stderr
