# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the command line from a process that may have commtap preloaded."""

import os
import subprocess
from pathlib import Path

from commtap.locations import command_path


def run_command(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Runs `commtap` to its end, without the preload. Returns its status and what it said.

    Raises:
        RuntimeError: the command is missing.
    """
    path = command_path()
    if not path.is_file():
        raise RuntimeError(f"{path} is missing: install or build all of commtap")
    without = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    return subprocess.run([str(path), *arguments], cwd=cwd, env=without, capture_output=True, text=True, check=False)
