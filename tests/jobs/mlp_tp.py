# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Tensor parallelism of an MLP, or of a stack of them."""

import argparse

import torch
import torch.distributed as dist
from common import add_compile_arguments, finish, maybe_compile, say_compile_counters, say_loss, start
from models import MLP_PLAN, MLPModule, MLPStacked, parallelize_stacked
from oracle import note_parameters, step_context
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.parallel import parallelize_module


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--stacked", action="store_true")
    parser.add_argument("--steps", type=int, default=1)
    add_compile_arguments(parser)
    arguments = parser.parse_args()
    start()
    mesh = init_device_mesh("cpu", (dist.get_world_size(),), mesh_dim_names=("tp",))
    batch = torch.rand(8, 10)
    model = parallelize_stacked(MLPStacked(), mesh) if arguments.stacked else MLPModule()
    if not arguments.stacked:
        parallelize_module(model, mesh, MLP_PLAN)
    note_parameters(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model = maybe_compile(model, arguments)
    for step in range(arguments.steps):
        with step_context():
            loss = model(batch).sum()
            loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        say_loss(step, loss)
    say_compile_counters(arguments)
    finish()


if __name__ == "__main__":
    main()
