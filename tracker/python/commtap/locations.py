# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The places of this installation's files; in a checkout, those of its build tree (BUILD_DIR, or build/)."""

import os
from pathlib import Path


def _build_folder() -> Path:
    checkout = Path(__file__).resolve().parents[3]
    return Path(os.environ.get("BUILD_DIR", checkout / "build"))


def library_path() -> Path:
    """Returns the path of libcommtap.so."""
    try:
        from commtap._location import LIBRARY
    except ImportError:
        return _build_folder() / "shim" / "libcommtap.so"
    return LIBRARY


def command_path() -> Path:
    """Returns the path of the command line."""
    try:
        from commtap._location import COMMAND
    except ImportError:
        return _build_folder() / "tools" / "commtap"
    return COMMAND
