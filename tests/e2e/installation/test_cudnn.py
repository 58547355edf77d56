# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""cuDNN under the wheel's stub, on a machine without a GPU: its library opens its parts by its own path.

cuDNN aborts the process if it does not find them.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from installed import Installed

from report import REPOSITORY

PACKAGE = "nvidia-cudnn-cu13"
ASK_CUDNN = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
library.cudnnGetVersion.restype = ctypes.c_size_t
print(library.cudnnGetVersion())
"""
ASK_TORCH = "import torch; print(torch.version.cuda is not None, torch.backends.cudnn.version())"

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def cudnn() -> Path:
    """cuDNN's library, from its own wheel. It is kept: it has a gigabyte."""
    folder = REPOSITORY / "build" / "cudnn"
    if not (folder / "complete").exists():
        shutil.rmtree(folder, ignore_errors=True)
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-cache-dir", "--no-deps", "--target", folder]
        subprocess.run([*pip, PACKAGE], check=True)
        (folder / "complete").touch()
    return folder / "nvidia" / "cudnn" / "lib" / "libcudnn.so.9"


@pytest.fixture(scope="module")
def torch_for_cuda() -> Path:
    """A Python whose torch is the wheel for CUDA. The environment is kept, as `./dev test torch 2.14` keeps it."""
    command = [sys.executable, REPOSITORY / ".dev" / "matrix.py", "2.14", "--environment"]
    return Path(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip())


def said_by(installed: Installed, *command: object) -> bytes:
    """Returns what a command prints, which must not change with the stub, switched on or off."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("COMMTAP", "LD_", "PYTHON"))}
    preload = {"LD_PRELOAD": str(installed.shim)}
    bare, *others = (
        subprocess.run([str(word) for word in command], env=kept | more, cwd="/", capture_output=True)
        for more in ({}, preload, preload | {"COMMTAP": "0"})
    )
    assert bare.returncode == 0, bare.stderr
    for other in others:
        assert (other.returncode, other.stdout, other.stderr) == (0, bare.stdout, bare.stderr)
    return bare.stdout


def test_version_of_cudnn(installed: Installed, cudnn: Path) -> None:
    assert int(said_by(installed, sys.executable, "-c", ASK_CUDNN, cudnn)) >= 90000


def test_version_of_cudnn_in_torch(installed: Installed, torch_for_cuda: Path) -> None:
    is_for_cuda, version = said_by(installed, torch_for_cuda, "-c", ASK_TORCH).split()
    assert is_for_cuda == b"True"
    assert int(version) >= 90000
