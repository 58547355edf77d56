# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Small jobs that train in parallel, on GPUs with NCCL or on processors with Gloo: `parallel.py ddp|fsdp2|tp|pp|ep`.

What a job communicates must not depend on the device or on random numbers.
"""

import json
import sys
from collections.abc import Callable

import torch
import torch.distributed as dist
from place import DEVICE, finish, start
from torch import nn
from torch.distributed._functional_collectives import all_to_all_single_autograd
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.pipelining import PipelineStage, ScheduleGPipe
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.nn.parallel import DistributedDataParallel

WIDTH, BATCH, STEPS = 64, 8, 2


class Mlp(nn.Module):
    """Two linear layers."""

    def __init__(self) -> None:
        super().__init__()
        self.up = nn.Linear(WIDTH, 2 * WIDTH)
        self.down = nn.Linear(2 * WIDTH, WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Returns x of the same shape."""
        return self.down(torch.relu(self.up(x)))


class Net(nn.Module):
    """Two blocks and a batch norm, whose statistics DDP synchronizes."""

    def __init__(self) -> None:
        super().__init__()
        self.first = Mlp()
        self.norm = nn.BatchNorm1d(WIDTH)
        self.second = Mlp()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Returns x of the same shape."""
        return self.second(self.norm(self.first(x)))


class Experts(nn.Module):
    """Sends rows to all ranks, to each another number, and gets them back."""

    def __init__(self) -> None:
        super().__init__()
        self.expert = nn.Linear(WIDTH, WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Returns x of the same shape."""
        ranks, rank = dist.get_world_size(), dist.get_rank()
        sent = splits(rank, ranks)
        taken = [splits(other, ranks)[rank] for other in range(ranks)]
        there = all_to_all_single_autograd(x, taken, sent, dist.group.WORLD)
        return all_to_all_single_autograd(self.expert(there), sent, taken, dist.group.WORLD)


def splits(rank: int, ranks: int) -> list[int]:
    """Returns the number of rows that a rank sends to each: 1 to itself, 2 to the next, and so on."""
    return [1 + (other - rank) % ranks for other in range(ranks)]


def train(model: nn.Module, rows: int = BATCH) -> float:
    """Trains for some steps; returns the last loss."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(STEPS):
        loss = model(torch.ones(rows, WIDTH, device=DEVICE)).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    return loss.item()


def ddp() -> float:
    """Data parallelism, in several buckets."""
    return train(DistributedDataParallel(Net().to(DEVICE), bucket_cap_mb=0.02))


def fsdp2() -> float:
    """Sharded data parallelism, with each block as a unit."""
    mesh = init_device_mesh(DEVICE, (dist.get_world_size(),), mesh_dim_names=("dp",))
    model = nn.Sequential(Mlp(), Mlp()).to(DEVICE)
    for block in model:
        fully_shard(block, mesh=mesh)
    return train(fully_shard(model, mesh=mesh))


def tp() -> float:
    """Tensor parallelism."""
    mesh = init_device_mesh(DEVICE, (dist.get_world_size(),), mesh_dim_names=("tp",))
    plan = {"up": ColwiseParallel(), "down": RowwiseParallel()}
    return train(parallelize_module(Mlp().to(DEVICE), mesh, plan))


def pp() -> float:
    """A pipeline with one stage a rank, which sends and receives."""
    rank, ranks, micro_batches = dist.get_rank(), dist.get_world_size(), 2
    model = Mlp().to(DEVICE)
    example = torch.ones(BATCH // micro_batches, WIDTH, device=DEVICE, requires_grad=rank > 0)
    stage = PipelineStage(
        model, rank, ranks, torch.device(DEVICE), input_args=(example,), output_args=(model(example),)
    )
    schedule = ScheduleGPipe(stage, micro_batches, loss_fn=nn.functional.mse_loss)
    for _ in range(STEPS):
        rows = torch.ones(BATCH, WIDTH, device=DEVICE)
        inputs = (rows,) if rank == 0 else ()
        schedule.step(*inputs, **({"target": rows} if rank == ranks - 1 else {}))
    return 0.0


def ep() -> float:
    """Experts on all ranks."""
    ranks = dist.get_world_size()
    return train(nn.Sequential(nn.Linear(WIDTH, WIDTH), Experts()).to(DEVICE), rows=sum(splits(0, ranks)))


JOBS: dict[str, Callable[[], float]] = {job.__name__: job for job in (ddp, fsdp2, tp, pp, ep)}


def main() -> None:
    """Runs one of the jobs."""
    start()
    torch.manual_seed(0)
    loss = JOBS[sys.argv[1]]()
    finish()
    print(json.dumps({"loss": loss}))


if __name__ == "__main__":
    main()
