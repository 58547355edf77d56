# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Collectives that a model's modules call themselves, in graphs that are compiled in the ways in which users do it.

The parallel layers are written by hand with functional collectives. Their inputs are plain tensors, so torch's caches
take their graphs, which they do not do for DTensor's.
"""

import argparse
import threading
from collections.abc import Callable

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol
from common import COMPILE_CHOICES, finish, maybe_compile, say_compile_counters, say_loss, start
from torch import nn
from torch.utils.checkpoint import checkpoint

WAYS = ("model", "blocks", "function", "two", "shapes", "breaks")


class Column(nn.Module):
    """Gathers the sequence, and scatters its gradient."""

    def __init__(self, dim: int, hidden: int) -> None:
        super().__init__()
        self.linear = nn.Linear(dim, hidden)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear(funcol.all_gather_tensor_autograd(x, 0, dist.group.WORLD))


class Row(nn.Module):
    """Sums over the ranks and scatters the sequence, and gathers the gradient."""

    def __init__(self, hidden: int, dim: int) -> None:
        super().__init__()
        self.linear = nn.Linear(hidden, dim)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return funcol.reduce_scatter_tensor_autograd(self.linear(x), "sum", 0, dist.group.WORLD)


class Experts(nn.Module):
    """Sends tokens to the other ranks and their results back."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.expert = nn.Linear(dim, dim)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        sent = funcol.all_to_all_single_autograd(x, None, None, dist.group.WORLD)
        return funcol.all_to_all_single_autograd(self.expert(sent), None, None, dist.group.WORLD)


class Block(nn.Module):
    """Both layers and the experts; a sum over the ranks that is the block's own."""

    def __init__(self, dim: int, breaks: bool) -> None:
        super().__init__()
        self.up = Column(dim, 2 * dim)
        self.down = Row(2 * dim, dim)
        self.experts = Experts(dim)
        self.breaks = breaks

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.down(torch.relu(self.up(x)))
        if self.breaks:
            torch._dynamo.graph_break()
        x = x + self.experts(x)
        return x / funcol.all_reduce(x.detach().abs().mean(), "sum", dist.group.WORLD)


class Model(nn.Module):
    """A stack of blocks, whose activations may be checkpointed."""

    def __init__(self, dim: int, breaks: bool, recompute: bool, layers: int = 2) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Block(dim, breaks) for _ in range(layers))
        self.recompute = recompute

    def run_block(self, block: nn.Module, x: torch.Tensor) -> torch.Tensor:
        return checkpoint(block, x, use_reentrant=False) if self.recompute else block(x)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            x = self.run_block(layer, x)
        return x


def loss_of(model: nn.Module, x: torch.Tensor) -> torch.Tensor:
    return model(x).square().mean()


def generate_parts() -> None:
    """Lets Inductor put what could be in a CUDA graph into functions of their own, on a CPU too."""
    from torch._inductor import config
    from torch._inductor.scheduler import Scheduler

    config.graph_partition = True
    Scheduler.should_partition = lambda *_, **__: None


def region_of(module: nn.Module, x: torch.Tensor) -> torch.Tensor:
    return module(x)


def make_regions(which: str) -> None:
    """Lets Dynamo trace the forward of all blocks, and perhaps of the layers in them, once."""
    region = torch.compiler.nested_compile_region
    if which == "function":
        called = region(region_of)
        Model.run_block = lambda _, block, x: called(block, x)
        return
    Block.forward = region(Block.forward)
    if which == "nested":
        Row.forward = region(Row.forward)
        Experts.forward = region(Experts.forward)


def prepared(way: str, models: list[nn.Module], arguments: argparse.Namespace) -> Callable:
    """Returns the function that computes the loss of a model, after compiling what the way says."""
    if way in ("function", "two"):
        return maybe_compile(loss_of, arguments)
    for model in models:
        if way == "blocks":
            for layer in model.layers:
                layer.compile(backend=arguments.backend) if arguments.compile != "no" else None
        else:
            model.compile(backend=arguments.backend) if arguments.compile != "no" else None
    return loss_of


def train_in_threads(compute: Callable, models: list[nn.Module], x: torch.Tensor) -> None:
    """Trains each model in a thread of its own, so that their collectives mix: for a job of one rank."""

    def train(model: nn.Module) -> None:
        for _ in range(5):
            compute(model, x).backward()

    threads = [threading.Thread(target=train, args=(model,)) for model in models]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("way", choices=WAYS)
    parser.add_argument("--compile", choices=COMPILE_CHOICES, default="no")
    parser.add_argument("--backend", default="aot_eager")
    parser.add_argument("--recompute", action="store_true")
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument(
        "--regions", choices=("blocks", "nested", "function"), help="what is compiled once for all blocks"
    )
    parser.add_argument("--threads", action="store_true", help="train each model in a thread afterwards")
    parser.add_argument("--parts", action="store_true", help="generate functions of parts, as for CUDA graphs")
    arguments = parser.parse_args()
    start()
    if arguments.parts:
        generate_parts()
    if arguments.regions:
        make_regions(arguments.regions)
    dim = 16
    count = 2 if arguments.way == "two" else 1
    models = [Model(dim, arguments.way == "breaks", arguments.recompute, arguments.layers) for _ in range(count)]
    compute = prepared(arguments.way, models, arguments)
    lengths = (8, 12, 16) if arguments.way == "shapes" else (8, 8)
    for step, length in enumerate(lengths):
        for model in models:
            # Needs a gradient, so that the first layer has a backward too.
            x = torch.rand(length, dim, requires_grad=True)
            loss = compute(model, x)
            loss.backward()
            say_loss(step, loss)
    if arguments.threads:
        train_in_threads(compute, models, torch.rand(lengths[0], dim))
    say_compile_counters(arguments)
    finish()


if __name__ == "__main__":
    main()
