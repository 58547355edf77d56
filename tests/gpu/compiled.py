# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""A model with an all_reduce in each layer, run over NCCL: `compiled.py eager` or `compiled.py MODE` of torch.compile.

Its last line has its number of all_reduces and their bytes.
"""

import gc
import json
import sys

import torch
import torch.distributed as dist
from place import DEVICE, finish, start
from torch._inductor import cudagraph_trees
from torch.distributed._functional_collectives import all_reduce

LAYERS = 3
STEPS = 6
SIZE = 64


class Layer(torch.nn.Module):
    """A linear layer and the sum over the ranks."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(SIZE, SIZE)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Returns the sum over the ranks of the layer's output, divided by their number. `x`: (batch, SIZE)."""
        return all_reduce(torch.relu(self.linear(x)), "sum", dist.group.WORLD) / dist.get_world_size()


def free_graphs() -> None:
    """Destroys the CUDA graphs: a communicator whose calls a graph holds cannot be destroyed (pytorch#115388)."""
    torch._dynamo.reset()
    cudagraph_trees.reset_cudagraph_trees()
    gc.collect()


def main() -> None:
    """Runs STEPS forwards without gradients."""
    start()
    torch.manual_seed(0)
    model = torch.nn.Sequential(*(Layer() for _ in range(LAYERS))).to(DEVICE)
    [mode] = sys.argv[1:]
    called = model if mode == "eager" else torch.compile(model, mode=mode)
    with torch.no_grad():
        for _ in range(STEPS):
            torch.compiler.cudagraph_mark_step_begin()
            total = called(torch.ones(8, SIZE, device=DEVICE)).sum().item()
    free_graphs()
    finish()
    print(json.dumps({"total": total, "count": STEPS * LAYERS, "bytes": STEPS * LAYERS * 4 * 8 * SIZE}))


if __name__ == "__main__":
    main()
