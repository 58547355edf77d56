# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""commtap.locations: the files of a checkout's build tree, or those that the installation names."""

import sys
import types
from pathlib import Path

import pytest
from binaries import PACKAGE
from commtap.locations import command_path, library_path, version

#: The folder that a checkout with the package under test would have.
CHECKOUT = PACKAGE.parents[1]


def test_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "commtap._location", None)
    monkeypatch.delenv("BUILD_DIR", raising=False)
    assert library_path() == CHECKOUT / "build" / "shim" / "libcommtap.so"
    assert command_path() == CHECKOUT / "build" / "tools" / "commtap"
    monkeypatch.setenv("BUILD_DIR", "/elsewhere")
    assert library_path() == Path("/elsewhere/shim/libcommtap.so")
    assert command_path() == Path("/elsewhere/tools/commtap")


def test_installation(monkeypatch: pytest.MonkeyPatch) -> None:
    paths = types.SimpleNamespace(
        LIBRARY=Path("/usr/lib/libcommtap.so"), COMMAND=Path("/usr/bin/commtap"), VERSION="1.2.3"
    )
    monkeypatch.setitem(sys.modules, "commtap._location", paths)
    assert library_path() == Path("/usr/lib/libcommtap.so")
    assert command_path() == Path("/usr/bin/commtap")
    assert version() == "1.2.3"
