# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""DistributedDataParallel over a mesh of all ranks, or over one dimension of a mesh with a second dimension."""

import argparse

import torch
import torch.distributed as dist
from common import finish, start
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.nn.parallel import DistributedDataParallel


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="+", help="of the dimensions: the first is of 2 ranks or of all")
    names = parser.parse_args().names
    start()
    shape = (dist.get_world_size(),) if len(names) == 1 else (2, dist.get_world_size() // 2)
    mesh = init_device_mesh("cpu", shape, mesh_dim_names=tuple(names))
    model = DistributedDataParallel(nn.Linear(8, 8), process_group=mesh.get_group(names[0]))
    for _ in range(2):
        model(torch.rand(4, 8)).sum().backward()
        dist.all_reduce(torch.ones(1))
    finish()


if __name__ == "__main__":
    main()
