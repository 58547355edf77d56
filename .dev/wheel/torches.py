# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Finds the headers of the torch releases in torches.txt."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
RELEASES = Path(__file__).with_name("torches.txt")
#: The smallest wheels of a release. Headers are the same for every system.
HEADERS_OF = ("macosx_14_0_arm64", "macosx_11_0_arm64")


def releases() -> dict[str, str]:
    """Returns the full version of each minor: {"2.13": "2.13.0"}."""
    lines = [line.split("#")[0].strip() for line in RELEASES.read_text(encoding="utf-8").splitlines()]
    versions = [line.removeprefix("torch==") for line in lines if line]
    return {version.rpartition(".")[0]: version for version in versions}


def _installed(version: str) -> Path | None:
    """Returns the package of the torch in .venv, if it is of that version."""
    ask = [REPOSITORY / ".venv" / "bin" / "python", REPOSITORY / "tracker" / "describe.py", "torch"]
    done = subprocess.run(ask, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        return None
    package = Path(done.stdout.splitlines()[1])
    own = (package / "version.py").read_text(encoding="utf-8").partition("__version__ = '")[2].partition("'")[0]
    return package if own.partition("+")[0] == version else None


def _download(version: str, platforms: tuple[str, ...], folder: Path) -> Path:
    options = ["--no-deps", "--only-binary", ":all:", "--python-version", "3.11", "--dest", str(folder)]
    options += [word for platform in platforms for word in ("--platform", platform)]
    command = [sys.executable, "-m", "pip", "download", "--quiet", *options, f"torch=={version}"]
    # A machine may pin the torch that it installs; this one is only read.
    subprocess.run(command, check=True, env=os.environ | {"PIP_CONSTRAINT": os.devnull})
    return next(folder.glob(f"torch-{version}[+-]*.whl"))


def package(version: str, folder: Path) -> Path:
    """Returns a folder `torch` with version.py and include/ of a release; downloads it once into `folder`."""
    installed = _installed(version)
    if installed is not None:
        return installed
    place = folder / version
    if not (place / "torch" / "version.py").exists():
        wheel = _download(version, HEADERS_OF, folder)
        with zipfile.ZipFile(wheel) as archive:
            headers = [name for name in archive.namelist() if name.startswith("torch/include/")]
            archive.extractall(place, [*headers, "torch/version.py"])  # version.py last: then all of it is there
        wheel.unlink()
    return place / "torch"


def libraries(version: str, arch: str, folder: Path) -> list[Path]:
    """Returns libtorch_cpu.so and libc10.so of a release for Linux; downloads up to a gigabyte once into `folder`."""
    place = folder / f"{version}-{arch}"
    names = ["torch/lib/libtorch_cpu.so", "torch/lib/libc10.so"]
    if not all((place / name).exists() for name in names):
        wheel = _download(version, (f"manylinux_2_28_{arch}",), folder)
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(place, names)
        wheel.unlink()
    return [place / name for name in names]
