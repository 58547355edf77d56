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


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("until")
    parser.add_argument("--pause", type=float, default=0.05, help="seconds between steps")
    arguments = parser.parse_args()
    start()
    mesh = init_device_mesh("cpu", (dist.get_world_size(),), mesh_dim_names=("tp",))
    model = parallelize_module(MLPModule(), mesh, MLP_PLAN)
    told = torch.zeros(1)
    while not told:
        model(torch.ones(8, 10)).square().mean().backward()
        time.sleep(arguments.pause)
        # All ranks end after the same step: the all-reduce spreads the end flag.
        told = torch.tensor([float(os.path.exists(arguments.until))])
        dist.all_reduce(told)
    finish()


if __name__ == "__main__":
    main()
