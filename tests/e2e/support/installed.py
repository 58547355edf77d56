# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Finds what tests of an installed commtap need: a wheel, and the environments of `./dev matrix`."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from harness import BUILD

from report import REPOSITORY


@dataclass(frozen=True)
class Installed:
    """An installation of the wheel."""

    #: The folder that has the Python package.
    site: Path

    @property
    def shim(self) -> Path:
        return self.site / "commtap" / "_native" / "lib" / "commtap" / "libcommtap.so"


def newest_wheel() -> Path | None:
    """Returns the wheel that `./dev test` makes for this machine; None if there is none."""
    wheels = sorted((BUILD / "dist").glob(f"commtap-*{os.uname().machine}.whl"), key=lambda path: path.stat().st_mtime)
    return wheels[-1] if wheels else None


def install(wheel: Path, folder: Path) -> Installed:
    """Installs a wheel into a folder."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", folder]
    subprocess.run([*pip, wheel], check=True, capture_output=True)
    return Installed(folder)


def environments(installed: Installed) -> dict[tuple[str, str], Path]:
    """Returns the interpreters of `./dev matrix --keep` that an installation has the parts for.

    By the minors of torch and of Python.
    """
    found = {}
    trackers = installed.shim.parent / "trackers"
    for marker in sorted((REPOSITORY / "build" / "matrix").glob("torch-*-python-*/.complete")):
        _, torch, _, python = marker.parent.name.split("-")
        needed = (f"libcommtap-tracker-{torch}.so", f"python/libcommtap-python-{python}.so")
        if all((trackers / name).exists() for name in needed):
            found[torch, python] = marker.parent / "bin" / "python"
    return found
