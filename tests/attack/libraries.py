# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Programs that open a library by their own RPATH or RUNPATH: they must find it under the shim as they do bare."""

import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

from attempts import Attempt
from processes import TIMEOUT_S, End, judged

sys.path.insert(0, str(Path(__file__).parent.parent / "e2e" / "support"))

from callers import CALLERS, openings


def stubs(build: Path, folder: Path) -> dict[str, Path]:
    """Returns the stub of the build, and that of the wheel that `./dev test` made, if there is one."""
    found = {"build": build / "shim" / "libcommtap.so"}
    wheels = (build / "dist").glob(f"commtap-*{os.uname().machine}.whl")
    newest = max(wheels, key=lambda path: path.stat().st_mtime, default=None)
    if newest is not None:
        with zipfile.ZipFile(newest) as archive:
            [name] = (each for each in archive.namelist() if each.endswith("/libcommtap.so"))
            found["wheel"] = Path(archive.extract(name, folder))
    return found


def run(command: list[str], preload: str) -> End:
    """Runs a program once."""
    try:
        done = subprocess.run(
            command, env={"LD_PRELOAD": preload} if preload else {}, stdout=subprocess.PIPE, timeout=TIMEOUT_S
        )
    except subprocess.TimeoutExpired:
        return End(None, b"")
    return End(done.returncode, done.stdout)


def attack(libraries: dict[str, Path], folder: Path) -> Iterator[Attempt]:
    """Tries every kind of caller under every stub."""
    for caller in CALLERS:
        place = folder / str(caller).replace("$", "")
        place.mkdir()
        for command in openings(caller, place):
            bare = run(command, "")
            for name, library in libraries.items():
                shim = run(command, str(library))
                yield judged(f"{caller} of {command[1]}, stub of the {name}", bare, shim, only_status=False)
