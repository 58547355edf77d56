# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Optimizers that torch does not know: around a torch.optim.Optimizer, without one, and inside the backward."""

import argparse
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import torch
import torch.distributed as dist
from common import finish, say_loss, start
from models import MLPModule
from torch.nn import functional as F

STEPS = 3
MICRO_BATCHES = 2


class Engine(torch.nn.Module):
    """Wraps a model as DeepSpeed's engine does: sends it in the constructor, reduces gradients after the backward."""

    def __init__(self, module: torch.nn.Module) -> None:
        super().__init__()
        self.module = module
        for parameter in module.parameters():
            dist.broadcast(parameter.data, 0)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.module(x)

    def backward(self, loss: torch.Tensor, *, reduces: bool) -> None:
        loss.backward()
        if reduces:
            gradients = torch.cat([parameter.grad.flatten() for parameter in self.module.parameters()])
            dist.all_reduce(gradients)
            for parameter in self.module.parameters():
                parameter.grad.copy_(gradients[: parameter.numel()].view_as(parameter))
                gradients = gradients[parameter.numel() :]


class ShardedAdamW:
    """ZeRO-1: makes the parameters views of one buffer, of which a torch optimizer updates this rank's part."""

    def __init__(self, parameters: Iterable[torch.nn.Parameter]) -> None:
        self.parameters = list(parameters)
        self.flat = torch.cat([parameter.data.flatten() for parameter in self.parameters])
        self.shards = self.flat.chunk(dist.get_world_size())
        rest = self.flat
        for parameter in self.parameters:
            parameter.data = rest[: parameter.numel()].view_as(parameter)
            rest = rest[parameter.numel() :]
        self.master = torch.nn.Parameter(self.shards[dist.get_rank()].clone())
        self.inner = torch.optim.AdamW([self.master])

    @property
    def param_groups(self) -> list[dict[str, Any]]:
        return self.inner.param_groups

    def step(self) -> None:
        gradients = torch.cat([parameter.grad.flatten() for parameter in self.parameters])
        self.master.grad = gradients.chunk(dist.get_world_size())[dist.get_rank()].clone()
        norm = self.master.grad.square().sum()
        dist.all_reduce(norm)
        self.master.grad /= norm.sqrt().clamp(min=1.0)
        self.inner.step()
        dist.all_gather_into_tensor(self.flat, self.master.detach())
        for parameter in self.parameters:
            parameter.grad = None


class OwnSGD:
    """Shares nothing with torch.optim."""

    def __init__(self, parameters: Iterable[torch.nn.Parameter], *, reduces: bool) -> None:
        self.param_groups = [{"params": list(parameters), "lr": 0.1}]
        self.reduces = reduces

    def step(self, closure: Callable[[], torch.Tensor] | None = None) -> None:
        variables = locals()  # Before Python 3.13, this is a dict that the frame keeps.
        if closure is not None:
            closure()
        for group in self.param_groups:
            for parameter in group["params"]:
                self.update(parameter, group["lr"])
        assert variables["self"] is self

    @torch.no_grad()
    def update(self, parameter: torch.nn.Parameter, lr: float) -> None:
        if self.reduces:
            dist.all_reduce(parameter.grad)
        parameter -= lr * parameter.grad
        parameter.grad = None


def in_backward(model: torch.nn.Module, make: Callable[[list[torch.nn.Parameter]], Any], *, reduces: bool) -> None:
    """Updates each parameter as soon as its gradient is there."""

    def update(parameter: torch.nn.Parameter, optimizer: Any) -> None:
        if reduces:
            dist.all_reduce(parameter.grad)
        optimizer.step()
        parameter.grad = None

    for parameter in model.parameters():
        parameter.register_post_accumulate_grad_hook(partial(update, optimizer=make([parameter])))


def loss_of(model: torch.nn.Module) -> torch.Tensor:
    return F.mse_loss(model(torch.rand(4, 10)), torch.zeros(4, 10))


def train_sharded(model: torch.nn.Module) -> None:
    engine = Engine(model)
    optimizer = ShardedAdamW(model.parameters())
    for step in range(STEPS):
        for nth in range(MICRO_BATCHES):
            loss = loss_of(engine)
            engine.backward(loss, reduces=nth == MICRO_BATCHES - 1)
        optimizer.step()
        dist.all_reduce(loss.detach())
        say_loss(step, loss)


def train_alone(model: torch.nn.Module, optimizer: OwnSGD, *, passes_closure: bool = False) -> None:
    for step in range(STEPS):

        def closure() -> torch.Tensor:
            for _ in range(MICRO_BATCHES):
                loss = loss_of(model)
                loss.backward()
            dist.all_reduce(loss.detach())
            return loss

        if passes_closure:
            optimizer.step(closure)
        else:
            say_loss(step, closure())
            optimizer.step()


def train_in_backward(model: torch.nn.Module) -> None:
    for step in range(STEPS):
        loss = loss_of(model)
        loss.backward()
        dist.all_reduce(loss.detach())
        say_loss(step, loss)


def main() -> None:
    parser = argparse.ArgumentParser()
    kinds = ("sharded", "own", "own_closure", "quiet", "in_backward", "own_in_backward")
    parser.add_argument("kind", choices=kinds)
    kind = parser.parse_args().kind
    start()
    model = MLPModule()
    if kind == "sharded":
        train_sharded(model)
    elif kind in ("own", "own_closure", "quiet"):
        train_alone(model, OwnSGD(model.parameters(), reduces=kind != "quiet"), passes_closure=kind == "own_closure")
    else:
        if kind == "in_backward":
            in_backward(model, lambda parameters: torch.optim.SGD(parameters, lr=0.1), reduces=True)
        else:
            in_backward(model, lambda parameters: OwnSGD(parameters, reduces=True), reduces=False)
        train_in_backward(model)
    finish()


if __name__ == "__main__":
    main()
