# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Trains a small network with FSDP2 over tensor parallelism, on CPU ranks. It knows nothing of commtap.

`commtap demo` runs it on four ranks. By hand, with two options to try:

    commtap run -- torchrun --nproc-per-node 4 demo.py --steps 5 --keep-gathered
"""

import argparse

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.nn import functional as F

WIDTH = 256
CLASSES = 16


class Block(nn.Module):
    """Two linear layers around a nonlinearity, with a shortcut past them."""

    def __init__(self) -> None:
        super().__init__()
        self.up = nn.Linear(WIDTH, 4 * WIDTH)
        self.down = nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.down(F.gelu(self.up(x)))


class Net(nn.Module):
    def __init__(self, depth: int) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(Block() for _ in range(depth))
        self.head = nn.Linear(WIDTH, CLASSES)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def parallelize(model: Net, mesh: DeviceMesh, keep_gathered: bool) -> None:
    """Splits each block's layers over the ranks of `tp`, then shards what is left over those of `dp`."""
    for block in model.blocks:
        # `up` keeps its columns apart, so that only `down` has to add up: one all_reduce per block and pass.
        parallelize_module(block, mesh["tp"], {"up": ColwiseParallel(), "down": RowwiseParallel()})
        # A block's parameters are gathered before its forward. Unless they are kept, they are gathered for its
        # backward again, which trades communication for memory.
        fully_shard(block, mesh=mesh["dp"], reshard_after_forward=not keep_gathered)
    fully_shard(model, mesh=mesh["dp"])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--depth", type=int, default=4, help="blocks of the network")
    parser.add_argument("--keep-gathered", action="store_true", help="keep parameters gathered between the passes")
    arguments = parser.parse_args()
    dist.init_process_group("gloo")
    torch.manual_seed(0)  # the same parameters on every rank
    mesh = init_device_mesh("cpu", (dist.get_world_size() // 2, 2), mesh_dim_names=("dp", "tp"))
    model = Net(arguments.depth)
    parallelize(model, mesh, arguments.keep_gathered)
    optimizer = torch.optim.AdamW(model.parameters())
    torch.manual_seed(mesh["dp"].get_local_rank())  # other data on every rank of `dp`, the same within `tp`
    for step in range(arguments.steps):
        loss = F.cross_entropy(model(torch.randn(32, WIDTH)), torch.randint(0, CLASSES, (32,)))
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if dist.get_rank() == 0:
            print(f"step {step}: loss {loss.item():.3f}", flush=True)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
