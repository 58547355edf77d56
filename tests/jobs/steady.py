# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""A job that trains until the file given to it exists."""

import argparse
import os
import time

import torch
import torch.distributed as dist
from common import finish, start
from models import MLP_PLAN, MLPModule
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor.parallel import parallelize_module
from torch.nn.parallel import DistributedDataParallel


def agreed(path: str) -> bool:
    """Returns whether a file exists. All ranks see it after the same step: an all-reduce spreads the answer."""
    told = torch.tensor([float(os.path.exists(path))])
    dist.all_reduce(told)
    return bool(told)


def parallelized(how: str) -> nn.Module:
    """Returns the model, parallelized over all ranks."""
    if how == "ddp":
        return DistributedDataParallel(MLPModule())
    mesh = init_device_mesh("cpu", (dist.get_world_size(),), mesh_dim_names=("tp",))
    if how == "fsdp2":
        return fully_shard(MLPModule(), mesh=mesh)
    return parallelize_module(MLPModule(), mesh, MLP_PLAN)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("until")
    parser.add_argument("--pause", type=float, default=0.05, help="seconds between steps")
    parser.add_argument("--model", choices=("tp", "ddp", "fsdp2"), default="tp", help="how the model is parallelized")
    parser.add_argument("--late", type=float, help="seconds that the last rank sleeps in each step; adds an optimizer")
    parser.add_argument("--grow", help="the file from which on a step communicates more; adds an optimizer")
    arguments = parser.parse_args()
    start()
    model = parallelized(arguments.model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
    ends = False
    is_late = arguments.late is not None and dist.get_rank() == dist.get_world_size() - 1
    while not ends:
        time.sleep(arguments.late if is_late else 0)
        model(torch.ones(8, 10)).square().mean().backward()
        if arguments.grow is not None or arguments.late is not None:
            optimizer.step()
        if arguments.grow is not None and agreed(arguments.grow):
            dist.all_reduce(torch.ones(100))
        time.sleep(arguments.pause)
        ends = agreed(arguments.until)
    finish()


if __name__ == "__main__":
    main()
