# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Tensor parallelism in which rank 1 stops for good in the middle of a forward, and rank 0 waits for it."""

import sys
import time

import torch
import torch.distributed as dist
from common import start
from models import MLP_PLAN, MLPModule
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.parallel import parallelize_module

STEPS = 4


def main() -> None:
    rank = start()
    mesh = init_device_mesh("cpu", (dist.get_world_size(),), mesh_dim_names=("tp",))
    model = parallelize_module(MLPModule(), mesh, MLP_PLAN)
    for _ in range(STEPS):
        model(torch.rand(8, 10)).sum().backward()
    if rank == 1:
        print("stops", flush=True)
        time.sleep(600)
    model(torch.rand(8, 10))
    dist.barrier()
    sys.exit("the other rank went on")


if __name__ == "__main__":
    main()
