# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the Python package, each in this process, which loads the library by itself unless it is preloaded."""

import gc
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(REPOSITORY / "tracker" / "python"), str(REPOSITORY / "tests" / "jobs")]

from dtensor_harness import fake_world  # noqa: E402
from torch.distributed.device_mesh import DeviceMesh  # noqa: E402


@pytest.fixture
def mesh() -> Iterator[DeviceMesh]:
    """Four ranks of which this process is one, on a backend that moves nothing."""
    with fake_world(rank=1, size=4) as made:
        yield made
    gc.collect()
