# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""spmd_types: tensor and sequence parallelism by its autograd functions, with the collectives of a replaced module."""

from types import ModuleType

import spmd_types as spmd
import torch
import torch.distributed as dist
from outcome import BATCH, STEPS, WIDTH, print_outcome
from spmd_types._dist import set_dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh


class Column(nn.Linear):
    """Gathers the sequence, and has a part of the outputs."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The backward scatters the sum of the input's gradient."""
        return super().forward(spmd.all_gather(x, tp, src=spmd.S(0), dst=spmd.R))


class Row(nn.Linear):
    """Has a part of the inputs, and adds up the outputs."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The backward gathers the output's gradient."""
        return spmd.reduce_scatter(super().forward(x), tp, dst=spmd.S(0))


class Block(nn.Module):
    """Two layers on this rank's part of the sequence."""

    def __init__(self) -> None:
        """Makes this rank's part of the weights."""
        super().__init__()
        self.up = Column(WIDTH, WIDTH // 2, bias=False)
        self.down = Row(WIDTH // 2, WIDTH, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Adds the block's result to its input."""
        return x + self.down(self.up(x).relu())


class Replaced(ModuleType):
    """The module that a library around torch.distributed gives to `set_dist`."""

    def __getattr__(self, name: str) -> object:
        """Returns torch.distributed's own."""
        return getattr(dist, name)


dist.init_process_group("gloo")
tp = init_device_mesh("cpu", (dist.get_world_size(),), mesh_dim_names=("tp",)).get_group("tp")
set_dist(Replaced("wrapped"))
torch.manual_seed(dist.get_rank())
model = nn.Sequential(Block(), Block())
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
losses = []
for _ in range(STEPS):
    loss = model(torch.randn(BATCH, WIDTH)).square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    losses.append(loss.item())
print_outcome(losses, model.parameters())
dist.barrier()
dist.destroy_process_group()
