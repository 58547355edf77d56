# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Trains DTensors of many placements on four ranks, and writes what each is as a whole and where its parts are.

whole.json has, by name, the values and gradients of the whole; part.RANK.json what torch computes of the local tensor:
its shape and offset.
"""

import json
from pathlib import Path

import torch
import torch.distributed as dist
from common import finish, start
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor
from torch.distributed.tensor._utils import compute_local_shape_and_global_offset
from torch.distributed.tensor.placement_types import _StridedShard

PLACEMENTS = {
    "copies": ((6, 4), (Replicate(), Replicate())),
    "rows": ((8, 4), (Shard(0), Replicate())),
    "columns": ((6, 8), (Replicate(), Shard(1))),
    "uneven": ((5, 3), (Shard(0), Shard(1))),
    "empty": ((1, 7), (Shard(0), Shard(1))),
    "twice": ((7, 3), (Shard(0), Shard(0))),
    "strided": ((8, 3), (_StridedShard(0, split_factor=2), Shard(0))),
    "middle": ((3, 6, 5), (Shard(1), Replicate())),
    "inner": ((3, 4, 6), (Shard(2), Shard(0))),
    "long": ((9000,), (Shard(0), Shard(0))),
    "wide": ((3, 5000), (Shard(1), Replicate())),
    "number": ((), (Replicate(), Replicate())),
}


class Net(nn.Module):
    def __init__(self, mesh: dist.DeviceMesh) -> None:
        super().__init__()
        for name, (shape, placements) in PLACEMENTS.items():
            whole = torch.randn(shape)
            self.register_parameter(name, nn.Parameter(distribute_tensor(whole, mesh, placements)))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * torch.stack([(each.full_tensor() ** 2).sum() for each in self.parameters()]).sum()


class Sharded(nn.Module):
    """Split by tensor parallelism, then by FSDP2: strided shards of uneven parts."""

    def __init__(self, mesh: dist.DeviceMesh) -> None:
        super().__init__()
        for name, rows in (("even", 8), ("odd", 10)):
            self.register_parameter(name, nn.Parameter(distribute_tensor(torch.randn(rows, 3), mesh, [Shard(0)])))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * torch.stack([(each.full_tensor() ** 2).sum() for each in self.parameters()]).sum()


def main() -> None:
    rank = start()
    mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
    nets = [Net(mesh), fully_shard(Sharded(mesh["tp"]), mesh=mesh["dp"])]
    optimizer = torch.optim.SGD([each for net in nets for each in net.parameters()], lr=0.1, foreach=False)
    sum(net(torch.ones(1)).sum() for net in nets).backward()
    whole = {}
    parts = {}
    for net in nets:
        for name, each in net.named_parameters():
            assert isinstance(each, DTensor)
            key = f"{type(net).__name__.removeprefix('FSDP')}.{name}"
            whole[key] = [t.full_tensor().flatten().tolist() for t in (each.detach(), each.grad)]
            parts[key] = compute_local_shape_and_global_offset(each.shape, each.device_mesh, each.placements)
    Path(f"part.{rank}.json").write_text(json.dumps(parts))
    if rank == 0:
        Path("whole.json").write_text(json.dumps(whole))
    optimizer.step()
    finish()


main()
