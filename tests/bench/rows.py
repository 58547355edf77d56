# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""A job whose report has many rows: its argument is a number of scopes with a collective and an addition each.

Uses the backend that does nothing. COMMTAP_LEVEL=ops gives the additions rows of their own.
"""

import sys

import commtap
import torch
import torch.distributed as dist
from torch.testing._internal.distributed.fake_pg import FakeStore

dist.init_process_group("fake", rank=0, world_size=8, store=FakeStore())
x = torch.zeros(4)
for number in range(int(sys.argv[1])):
    with commtap.scope(f"scope{number}"):
        dist.all_reduce(x)
        torch.add(x, x, out=x)
dist.destroy_process_group()
