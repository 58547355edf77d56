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
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.parallel import parallelize_module


def agreed(path: str) -> bool:
    """Returns whether a file exists. All ranks see it after the same step: an all-reduce spreads the answer."""
    told = torch.tensor([float(os.path.exists(path))])
    dist.all_reduce(told)
    return bool(told)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("until")
    parser.add_argument("--pause", type=float, default=0.05, help="seconds between steps")
    parser.add_argument("--grow", help="the file from which on a step communicates more; adds an optimizer")
    arguments = parser.parse_args()
    start()
    mesh = init_device_mesh("cpu", (dist.get_world_size(),), mesh_dim_names=("tp",))
    model = parallelize_module(MLPModule(), mesh, MLP_PLAN)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.0)
    ends = False
    while not ends:
        model(torch.ones(8, 10)).square().mean().backward()
        if arguments.grow is not None:
            optimizer.step()
            if agreed(arguments.grow):
                dist.all_reduce(torch.ones(100))
        time.sleep(arguments.pause)
        ends = agreed(arguments.until)
    finish()


if __name__ == "__main__":
    main()
