# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Fixtures for tests of the Python package, which run in one process; the package loads the library itself."""

import gc
import sys
from collections.abc import Iterator

import pytest
from binaries import PACKAGE

from report import REPOSITORY

sys.path[:0] = [str(PACKAGE), str(REPOSITORY / "tests" / "jobs")]

from dtensor_harness import fake_world  # noqa: E402
from torch.distributed.device_mesh import DeviceMesh  # noqa: E402


@pytest.fixture
def mesh() -> Iterator[DeviceMesh]:
    """Yields the mesh of four ranks, one of which is this process, on the fake backend."""
    with fake_world(rank=1, size=4) as made:
        yield made
    gc.collect()
