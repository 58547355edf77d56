# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Four threads, each with its own process group and model: forwards, backwards and plain collectives at once."""

import threading

import torch
import torch.distributed as dist
from common import finish, say, start
from models import MLP_PLAN, MLPModule
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor.parallel import parallelize_module

THREADS = 4
STEPS = 5


def train(name: str, model: torch.nn.Module, group: dist.ProcessGroup, losses: dict[str, float]) -> None:
    """Runs on a thread: tensor-parallel steps, each with an all-reduce of its loss."""
    batch = torch.ones(8, 10, requires_grad=True)
    for _ in range(STEPS):
        loss = model(batch).square().mean()
        loss.backward()
        mean = loss.detach().clone()
        dist.all_reduce(mean, group=group)
        losses[name] = mean.item()


def main() -> None:
    start()
    names = [f"thread {i}" for i in range(THREADS)]
    groups = [dist.new_group(group_desc=name) for name in names]
    ranks = list(range(dist.get_world_size()))
    # Each mesh has its own dimension name: DTensor treats equal-looking meshes as one, with one process group.
    meshes = [DeviceMesh.from_group(group, "cpu", ranks, mesh_dim_names=(f"tp{i}",)) for i, group in enumerate(groups)]
    models = [parallelize_module(MLPModule(), mesh, MLP_PLAN) for mesh in meshes]
    losses: dict[str, float] = {}
    threads = [
        threading.Thread(target=train, args=(name, model, group, losses))
        for name, model, group in zip(names, models, groups, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    say(f"losses {[losses[name] for name in names]!r}")
    finish()


if __name__ == "__main__":
    main()
