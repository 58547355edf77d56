# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Two layers that gather in the forward and scatter in the backward, in code that a compiler keeps apart: an operator
of the job's own, an exported program, a region for each layer, a function without modules."""

import argparse
from collections.abc import Callable

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol
from common import finish, start
from torch import library

STEPS = 3
ROWS, WIDTH = 4, 8


@library.custom_op("parts::gather", mutates_args=())
def gather(x: torch.Tensor) -> torch.Tensor:
    return funcol.wait_tensor(funcol.all_gather_tensor(x, 0, dist.group.WORLD)).clone()


@library.custom_op("parts::scatter", mutates_args=())
def scatter(x: torch.Tensor) -> torch.Tensor:
    return funcol.wait_tensor(funcol.reduce_scatter_tensor(x, "sum", 0, dist.group.WORLD)).clone()


gather.register_fake(lambda x: x.new_empty(2 * x.shape[0], *x.shape[1:]))
scatter.register_fake(lambda x: x.new_empty(x.shape[0] // 2, *x.shape[1:]))
gather.register_autograd(lambda _, gradient: scatter(gradient))


def widened(x: torch.Tensor) -> torch.Tensor:
    return funcol.wait_tensor(funcol.all_gather_tensor_autograd(x, 0, dist.group.WORLD))


class CopyToRanks(torch.autograd.Function):
    """Communicates in the backward alone, as before a column-parallel layer."""

    @staticmethod
    def forward(ctx: torch.autograd.function.FunctionCtx, x: torch.Tensor) -> torch.Tensor:
        return x.clone()

    @staticmethod
    def backward(ctx: torch.autograd.function.FunctionCtx, gradient: torch.Tensor) -> torch.Tensor:
        return funcol.wait_tensor(funcol.all_reduce(gradient, "sum", dist.group.WORLD))


def copied(x: torch.Tensor) -> torch.Tensor:
    return CopyToRanks.apply(x) * 2


class Layer(torch.nn.Module):
    """Keeps the number of rows, so that all layers have the same shapes."""

    def __init__(self, widen: Callable[[torch.Tensor], torch.Tensor]) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(WIDTH, WIDTH)
        self.widen = widen

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.widen(self.linear(x)).chunk(2)[0] * 2


class Net(torch.nn.Module):
    def __init__(self, widen: Callable[[torch.Tensor], torch.Tensor]) -> None:
        super().__init__()
        self.a, self.b = Layer(widen), Layer(widen)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.b(self.a(x))


def ones() -> torch.Tensor:
    return torch.ones(ROWS, WIDTH, requires_grad=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("way", choices=("operator", "exported", "eager_graph", "region", "function", "backward"))
    parser.add_argument("--backend", default="eager code")
    arguments = parser.parse_args()
    start()
    is_compiled = arguments.backend != "eager code"
    if arguments.way in ("function", "backward"):
        function = widened if arguments.way == "function" else copied
        run = torch.compile(function, backend=arguments.backend) if is_compiled else function
    else:
        region = torch.compiler.nested_compile_region(widened) if arguments.way == "region" else widened
        net = Net(gather if arguments.way == "operator" else region)
        if arguments.way == "exported" and is_compiled:
            run = torch.export.export(net, (ones(),)).module()
        else:
            run = torch.compile(net, backend=arguments.backend, fullgraph=True) if is_compiled else net
    for _ in range(STEPS):
        run(ones()).sum().backward()
    finish()


if __name__ == "__main__":
    main()
