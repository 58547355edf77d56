# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Layers that gather their sharded weights by functional collectives, which a pass of Inductor merges on request.

The graph has nothing but matrix products and collectives, for which Inductor compiles no kernels.
"""

import argparse

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol
from common import add_compile_arguments, finish, maybe_compile, say_compile_counters, say_loss, start
from torch import nn

WIDTHS = (16, 32, 64, 32, 16)


class Gathered(nn.Module):
    """A linear layer of which each rank has a part: gathers the weight, and scatters its gradient."""

    def __init__(self, before: int, after: int) -> None:
        super().__init__()
        self.part = nn.Parameter(torch.rand(before // dist.get_world_size(), after) / before)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x @ funcol.all_gather_tensor_autograd(self.part, 0, dist.group.WORLD)


class Layer(nn.Module):
    """Two of different sizes."""

    def __init__(self, first: int, second: int, third: int) -> None:
        super().__init__()
        self.a = Gathered(first, second)
        self.b = Gathered(second, third)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.b(self.a(x))


class Model(nn.Module):
    """Two layers."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList((Layer(*WIDTHS[:3]), Layer(*WIDTHS[2:])))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            x = layer(x)
        return x


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--buckets", action="store_true", help="Inductor merges gathers, and scatters")
    parser.add_argument("--reorder", action="store_true", help="Inductor moves collectives to overlap with compute")
    add_compile_arguments(parser)
    arguments = parser.parse_args()
    start()
    if arguments.reorder:
        from torch._inductor import config

        config.reorder_for_compute_comm_overlap = True
    if arguments.buckets:
        from torch._inductor import config

        config.bucket_all_gathers_fx = "all"
        config.bucket_reduce_scatters_fx = "all"
    model = maybe_compile(Model(), arguments)
    for step in range(2):
        loss = model(torch.rand(4, WIDTHS[0])).square().mean()
        loss.backward()
        say_loss(step, loss)
    say_compile_counters(arguments)
    finish()


if __name__ == "__main__":
    main()
