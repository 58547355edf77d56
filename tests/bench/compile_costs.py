# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Measures what commtap adds to the compilation of a model with collectives inside its graphs (compiling.py)."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import callgrind

HERE = Path(__file__).parent
#: "0" is a job in which commtap is preloaded and switched off.
SWITCHES = ("0", "1")


def compiler_for_valgrind(folder: Path) -> Path:
    """Writes a C++ compiler for Inductor that uses no instruction which valgrind lacks."""
    path = folder / "c++"
    path.write_text('#!/bin/bash\nexec c++ "${@/-march=native/-march=x86-64-v3}"\n')
    path.chmod(0o755)
    return path


def variables(build: Path, folder: Path, switch: str) -> dict[str, str]:
    return {
        **os.environ,
        "LD_PRELOAD": str(build / "shim" / "libcommtap.so"),
        "COMMTAP": switch,
        "COMMTAP_OUT": str(folder / f"reports{switch}"),
        "TORCHINDUCTOR_CACHE_DIR": str(folder / f"cache{switch}"),
        "TORCHINDUCTOR_COMPILE_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "PYTHONHASHSEED": "0",
    }


def instructions(build: Path, folder: Path, switch: str) -> int:
    """Returns the instructions of one cold compilation, in this process."""
    command = [sys.executable, str(HERE / "compiling.py"), "--counter", str(callgrind.counter(folder))]
    settings = variables(build, folder, switch) | {"CXX": str(compiler_for_valgrind(folder))}
    blocks = callgrind.totals(command, folder / f"callgrind{switch}", settings)
    [total] = blocks["on" if switch == "1" else "off"]
    return total


def side_files(build: Path, folder: Path) -> tuple[int, int]:
    """Returns the bytes and the number of commtap's files next to Inductor's cache."""
    printed = subprocess.run(
        [sys.executable, str(HERE / "compiling.py"), "--size"],
        env=variables(build, folder, "1"),
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    size, files = map(int, printed.split())
    return size, files


def rows(build: Path) -> list[str]:
    """Returns the rows of the table: what was measured, without commtap, with it, and the ratio."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        size, files = side_files(build, folder / "size")
        off, on = (instructions(build, folder, switch) for switch in SWITCHES)
    return [
        f"| compiling, millions of instructions | {off / 1e6:,.0f} | {on / 1e6:,.0f} | {on / off:.4f} |",
        f"| bytes next to Inductor's cache, {files} graphs | 0 | {size:,} | |",
    ]
