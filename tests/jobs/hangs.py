# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Two ways to hang: rank 0 waits for rank 1, which has stopped, or both wait in different collectives."""

import argparse
import sys
import time

import torch
import torch.distributed as dist
from common import start
from models import MLP_PLAN, MLPModule
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.parallel import parallelize_module

STEPS = 4


def differ(rank: int) -> None:
    """Issues a different collective on each rank, with the same number in the group."""
    x = torch.ones(4)
    work = dist.all_reduce(x, async_op=True) if rank == 0 else dist.broadcast(x, 0, async_op=True)
    print("stops", flush=True)
    time.sleep(600)
    work.wait()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--differ", action="store_true")
    arguments = parser.parse_args()
    rank = start()
    mesh = init_device_mesh("cpu", (dist.get_world_size(),), mesh_dim_names=("tp",))
    model = parallelize_module(MLPModule(), mesh, MLP_PLAN)
    for _ in range(STEPS):
        model(torch.rand(8, 10)).sum().backward()
    if arguments.differ:
        differ(rank)
    if rank == 1:
        print("stops", flush=True)
        time.sleep(600)
    model(torch.rand(8, 10))
    dist.barrier()
    sys.exit("the other rank went on")


if __name__ == "__main__":
    main()
