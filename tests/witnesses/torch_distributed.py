# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""PyTorch's own tests of torch.distributed and DDP, which its wheel ships without a file that runs them."""

import os
import tempfile

os.environ.setdefault("TEMP_DIR", tempfile.mkdtemp())

import torch
from torch.testing._internal.distributed.distributed_test import DistributedTest, TestDistBackend


class TestDistributed(TestDistBackend, DistributedTest._DistTestBase):
    """Runs each test in its own processes, forked so that they need not import everything again."""

    def setUp(self) -> None:
        super().setUp()
        self._start_processes(torch.multiprocessing.get_context("fork").Process)


del TestDistBackend
