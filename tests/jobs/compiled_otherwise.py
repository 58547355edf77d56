# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The model of compiled.py in the ways that few jobs use: each with the collectives of the same eager steps."""

import argparse
from collections.abc import Callable

import torch
from common import finish, say_loss, start
from compiled import Model, loss_of
from torch import nn
from torch.fx.experimental.proxy_tensor import make_fx

DIM, LENGTH = 16, 8
Step = Callable[[torch.Tensor], torch.Tensor]


def trained(model: nn.Module) -> Step:
    """Returns the step that computes a loss and its backward."""

    def step(x: torch.Tensor) -> torch.Tensor:
        loss = loss_of(model, x)
        loss.backward()
        return loss

    return step


def compiled(model: nn.Module) -> Step:
    """Inductor, as the environment sets it."""
    model.compile(backend="inductor")
    return trained(model)


def whole_step(model: nn.Module) -> Step:
    """Forward and backward are in the function that is compiled."""
    return torch.compile(trained(model), backend="aot_eager")


def compiled_autograd(model: nn.Module) -> Step:
    """Autograd's graph is compiled too."""
    torch._dynamo.config.compiled_autograd = True
    return torch.compile(trained(model), backend="aot_eager")


def exported(model: nn.Module) -> Step:
    """The graph of torch.export, forward only."""
    program = torch.export.export(model, (torch.rand(LENGTH, DIM),))
    module = program.module()
    return lambda x: module(x.detach()).square().mean()


def interpreted(model: nn.Module) -> Step:
    """An interpreter runs the nodes of an exported graph one by one."""
    module = torch.export.export(model, (torch.rand(LENGTH, DIM),)).module()
    return lambda x: torch.fx.Interpreter(module).run(x.detach()).square().mean()


def annotated(model: nn.Module) -> Step:
    """A graph of the whole step that no module runs, whose nodes have the names of modules as annotations."""
    from torch.fx.traceback import _set_autograd_backward, annotate, preserve_node_meta

    def name(module: nn.Module, path: str) -> None:
        forward = module.forward
        module.forward = lambda *inputs: _under(path, forward, *inputs)

    def _under(path: str, forward: Callable, *inputs: torch.Tensor) -> torch.Tensor:
        with annotate({"module_fqn": path}):
            return forward(*inputs)

    for path, module in model.named_modules():
        if path:
            name(module, path)
    parameters = dict(model.named_parameters())

    def step(values: dict[str, torch.Tensor], x: torch.Tensor) -> list[torch.Tensor]:
        loss = torch.func.functional_call(model, values, (x,)).square().mean()
        with _set_autograd_backward():
            return [loss, *torch.autograd.grad(loss, [*values.values(), x])]

    with preserve_node_meta():
        graph = make_fx(step, tracing_mode="fake")(parameters, torch.rand(LENGTH, DIM, requires_grad=True))
    return lambda x: graph.forward(parameters, x)[0]


WAYS = {way.__name__: way for way in (compiled, whole_step, compiled_autograd, exported, interpreted, annotated)}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("way", choices=[*WAYS, "eager"])
    arguments = parser.parse_args()
    start()
    model = Model(DIM, breaks=False, recompute=False)
    step = WAYS[arguments.way](model) if arguments.way != "eager" else trained(model)
    for number in range(2):
        say_loss(number, step(torch.rand(LENGTH, DIM, requires_grad=True)))
    finish()


if __name__ == "__main__":
    main()
