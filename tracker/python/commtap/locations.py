# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The version and the files of this installation; in a checkout, those of its build tree (BUILD_DIR, or build/)."""

import os
import re
from pathlib import Path

_CHECKOUT = Path(__file__).resolve().parents[3]


def _build_folder() -> Path:
    return Path(os.environ.get("BUILD_DIR", _CHECKOUT / "build"))


def version() -> str:
    """Returns the version, as `commtap --version` says it."""
    try:
        from commtap._location import VERSION
    except ImportError:
        project = (_CHECKOUT / "meson.build").read_text(encoding="utf-8")
        found = re.search(r"^  version: '(.*)',$", project, re.MULTILINE)
        return found[1] if found else "unknown"
    return VERSION


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
