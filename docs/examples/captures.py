# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Counts the collectives, sends and receives of one piece of code; scopes name code that is not a module.

PYTHONPATH=tracker/python python docs/examples/captures.py
"""

import commtap
import torch
import torch.distributed as dist
from torch.testing._internal.distributed.fake_pg import FakeStore

dist.init_process_group("fake", rank=0, world_size=4, store=FakeStore())
with commtap.Capture() as capture:
    dist.send(torch.ones(256), 1)
    with commtap.scope("metrics"):
        for _ in range(3):
            dist.all_reduce(torch.ones(1024, dtype=torch.bfloat16))
    dist.barrier()
for row in capture.collectives():
    print(f"{row.module:8} {row.phase:8} {row.kind:11} {row.dtype:9} {row.count} calls {row.bytes:5} bytes")
dist.destroy_process_group()
