# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Counts the instructions of blocks that a program marks with counter.c."""

import re
import subprocess
from pathlib import Path

HERE = Path(__file__).parent


def counter(folder: Path) -> Path:
    """Returns the counter's library, which it builds if it is not there."""
    path = folder / "counter.so"
    if not path.exists():
        subprocess.run(["cc", "-shared", "-fPIC", "-o", str(path), str(HERE / "counter.c")], check=True)
    return path


def totals(command: list[str], files: Path, variables: dict[str, str]) -> dict[str, list[int]]:
    """Runs the command. Returns the instructions of its blocks, by their label: on or off."""
    files.mkdir()
    callgrind = ["valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={files}/out"]
    subprocess.run([*callgrind, *command], env=variables, check=True, capture_output=True)
    found: dict[str, list[int]] = {"on": [], "off": []}
    for path in files.glob("out*"):
        block = re.search(r"Client Request: (on|off)$.*^totals: (\d+)", path.read_text(), re.MULTILINE | re.DOTALL)
        if block is not None:  # drop the part after all blocks
            found[block[1]].append(int(block[2]))
    return found
