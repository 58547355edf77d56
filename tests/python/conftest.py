# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the modules of the package `commtap` in this process, on a library that is not there."""

import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "tracker" / "python"))

from commtap import control, module_calls, module_facts  # noqa: E402
from fake_native import FakeNative  # noqa: E402


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> FakeNative:
    """A fake library in place of the tracker's."""
    fake = FakeNative()
    for module in (control, module_calls, module_facts):
        monkeypatch.setattr(module, "native", lambda: fake)
    return fake
