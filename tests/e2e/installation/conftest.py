# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The wheel that ./dev test makes, and virtual environments that it is installed into."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from bare_machine import BareMachine
from installed import Installed, install, newest_wheel


@pytest.fixture(scope="session")
def wheel() -> Path:
    """The wheel for this machine."""
    found = newest_wheel()
    if found is None:
        pytest.skip("no wheel in build/dist: ./dev wheel --dest build/dist")
    return found


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel, installed into a folder."""
    return install(wheel, tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="session")
def unpacked(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel's files."""
    folder = tmp_path_factory.mktemp("unpacked")
    shutil.unpack_archive(wheel, folder, "zip")
    return folder


@pytest.fixture(scope="module")
def machine(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> BareMachine:
    """A virtual environment with the wheel and torch, and a PATH without compilers."""
    made = BareMachine(tmp_path_factory.mktemp("machine"))
    subprocess.run([sys.executable, "-m", "venv", str(made.venv)], check=True)
    made.run("pip", "install", "--quiet", "--disable-pip-version-check", str(wheel), f"torch=={made.torch}")
    return made
