# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the modules of the package `commtap` in this process, on a library that is not there."""

import sys

import pytest
from binaries import PACKAGE

sys.path.insert(0, str(PACKAGE))

from commtap import control, module_calls, module_facts
from fake_native import FakeNative


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> FakeNative:
    """A fake library in place of the tracker's."""
    fake = FakeNative()
    for module in (control, module_calls, module_facts):
        monkeypatch.setattr(module, "native", lambda: fake)
    return fake
