# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Trains four steps and reduces two gradients by hand in each, and does something else besides."""

import sys

import torch
import torch.distributed as dist
from common import finish, start
from torch import nn

STEPS = 4


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, value: torch.Tensor) -> torch.Tensor:
        return self.linear(value)


class Plain:
    """Gradient descent that no label of torch shows."""

    def __init__(self, parameters: list[nn.Parameter]) -> None:
        self.parameters = parameters

    @torch.no_grad()
    def step(self) -> None:
        for parameter in self.parameters:
            parameter.sub_(parameter.grad, alpha=0.1)

    def zero_grad(self) -> None:
        for parameter in self.parameters:
            parameter.grad = None


@torch.no_grad()
def evaluate(model: nn.Module, forwards: int) -> None:
    for _ in range(forwards):
        model(torch.ones(2, 4))


def chunked(model: nn.Module) -> None:
    """Runs the backward of the loss alone, and then those of the chunks, as gradient caching does."""
    chunks = torch.randn(4, 4).chunk(2)
    with torch.no_grad():
        outputs = torch.cat([model(chunk) for chunk in chunks])
    outputs.requires_grad_()
    outputs.pow(2).mean().backward()
    for chunk, gradient in zip(chunks, outputs.grad.chunk(2), strict=True):
        torch.dot(model(chunk).flatten(), gradient.flatten()).backward()


def exchange(gradient: torch.Tensor) -> None:
    """Reduces a gradient in a ring of two ranks."""
    received, other = torch.empty_like(gradient), 1 - dist.get_rank()
    exchanged = [dist.P2POp(dist.isend, gradient.clone(), other), dist.P2POp(dist.irecv, received, other)]
    for work in dist.batch_isend_irecv(exchanged):
        work.wait()
    gradient.add_(received)


def main() -> None:
    what, rank = sys.argv[1], start()
    model = Net()
    parameters = list(model.parameters())
    optimizer = Plain(parameters) if what == "plain" else torch.optim.SGD(parameters, lr=0.1)
    evaluate(model, {"before": 6, "rank0": 6 - 6 * rank, "plain": 6}.get(what, 0))
    if what == "checked":  # the loop clears these gradients
        model(torch.randn(2, 4)).sum().backward()
    for _ in range(STEPS):
        optimizer.zero_grad()
        if what == "cached":
            chunked(model)
        else:
            model(torch.randn(2, 4)).pow(2).mean().backward()
        for parameter in parameters:
            exchange(parameter.grad) if what == "ring" else dist.all_reduce(parameter.grad)
        optimizer.step()
    if what == "after":
        evaluate(model, 3)
        dist.all_reduce(torch.ones(1))
    finish()


if __name__ == "__main__":
    main()
