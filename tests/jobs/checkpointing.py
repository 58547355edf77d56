# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Activation checkpointing of tensor-parallel MLPs: every block's forward runs again in the backward."""

import argparse

import torch
import torch.distributed as dist
from common import add_compile_arguments, finish, maybe_compile, say_compile_counters, say_loss, start
from models import MLPStacked, parallelize_stacked
from oracle import note_parameters, step_context
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.distributed.device_mesh import init_device_mesh
from torch.utils.checkpoint import checkpoint


class CheckpointedStack(MLPStacked):
    """A stack whose forward saves only each block's input."""

    def __init__(self, use_reentrant: bool) -> None:
        super().__init__(n_layers=2)
        self.use_reentrant = use_reentrant

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            x = checkpoint(layer, x, use_reentrant=self.use_reentrant)
        return x


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kind", choices=("reentrant", "non-reentrant", "wrapper"), default="non-reentrant")
    add_compile_arguments(parser)
    arguments = parser.parse_args()
    start()
    mesh = init_device_mesh("cpu", (dist.get_world_size(),), mesh_dim_names=("tp",))
    wrapped = arguments.kind == "wrapper"
    model = MLPStacked() if wrapped else CheckpointedStack(arguments.kind == "reentrant")
    parallelize_stacked(model, mesh)
    if wrapped:
        for i, layer in enumerate(model.layers):
            model.layers[i] = checkpoint_wrapper(layer)
    note_parameters(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model = maybe_compile(model, arguments)
    for step in range(2):
        batch = torch.rand(8, 10, requires_grad=True)
        with step_context():
            loss = model(batch).square().mean()
            loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        say_loss(step, loss)
    say_compile_counters(arguments)
    finish()


if __name__ == "__main__":
    main()
