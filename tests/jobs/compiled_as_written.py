# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Models as people write them for torch.compile: a backward of their own, modules called twice, checkpoint wrappers,
FSDP by parametrization.
"""

import argparse
from collections.abc import Callable

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol
from common import finish, say_loss, start
from torch import library, nn
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor

DIM, LENGTH = 8, 4
Step = Callable[[torch.Tensor], torch.Tensor]


def summed(x: torch.Tensor) -> torch.Tensor:
    return funcol.all_reduce(x, "sum", dist.group.WORLD)


class CopyTo(torch.autograd.Function):
    """Sums the gradient over the ranks, as tensor-parallel layers written by hand do."""

    @staticmethod
    def forward(ctx: object, x: torch.Tensor) -> torch.Tensor:
        return x.view_as(x)

    @staticmethod
    def backward(ctx: object, gradient: torch.Tensor) -> torch.Tensor:
        return summed(gradient)


@library.custom_op("commtap_tests::copy_to", mutates_args=())
def copy_to(x: torch.Tensor) -> torch.Tensor:
    return x.clone()


copy_to.register_fake(torch.empty_like)
copy_to.register_autograd(lambda _, gradient: summed(gradient))


class Head(nn.Module):
    """A layer whose backward alone communicates."""

    def __init__(self, copy: Step) -> None:
        super().__init__()
        self.linear = nn.Linear(DIM, DIM)
        self.copy = copy

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear(self.copy(x))


class Gather(nn.Module):
    """Gathers the sequence, and scatters its gradient."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(DIM, DIM)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear(funcol.all_gather_tensor_autograd(x, 0, dist.group.WORLD)).chunk(2)[0]


class Block(nn.Module):
    """Two layers, of which the second has a residual connection."""

    def __init__(self) -> None:
        super().__init__()
        self.attention, self.mlp = Gather(), Gather()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.attention(x)
        return x + self.mlp(x).sin()


class Model(nn.Module):
    """Layers, one after the other."""

    def __init__(self, *layers: nn.Module) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            x = layer(x)
        return x


class Whole(nn.Module):
    """Gathers a sharded parameter, and scatters the sum of its gradients. No module registers it."""

    def forward(self, parameter: DTensor) -> torch.Tensor:
        return parameter.redistribute(placements=[Replicate()]).to_local(grad_placements=[Partial()])


def reader(name: str, whole_of: Whole) -> property:
    """A parameter that is gathered at each read."""
    return property(lambda module: whole_of(module._parameters[name]))


def shard_by_readers(layer: nn.Linear, mesh: DeviceMesh, whole_of: Whole) -> None:
    """Shards the parameters and swaps the class for one with readers, as torchtitan's SimpleFSDP does."""
    readers = {}
    for name, parameter in list(layer.named_parameters()):
        layer.register_parameter(name, nn.Parameter(distribute_tensor(parameter.detach(), mesh, [Shard(0)])))
        readers[name] = reader(name, whole_of)
    layer.__class__ = type("ReadLinear", (nn.Linear,), readers)


def parametrized(backend: str) -> nn.Module:
    """One module without parameters computes those of all layers."""
    model = Model(nn.Linear(DIM, 2 * DIM), Model(nn.Linear(2 * DIM, DIM)))
    mesh, whole_of = init_device_mesh("cpu", (dist.get_world_size(),), mesh_dim_names=("dp",)), Whole()
    for layer in (model.layers[0], model.layers[1].layers[0]):
        shard_by_readers(layer, mesh, whole_of)
    return whole(model, backend)


def wrapped(backend: str) -> nn.Module:
    """Each block is wrapped first and then compiled."""
    model = Model(Block(), Block())
    for number, block in enumerate(model.layers):
        wrapper = checkpoint_wrapper(block, preserve_rng_state=False)
        model.layers[number] = wrapper if backend == "no" else torch.compile(wrapper, backend=backend)
    return model


def whole(model: nn.Module, backend: str) -> nn.Module:
    """The model is compiled whole."""
    if backend != "no":
        model.compile(backend=backend, fullgraph=True)
    return model


def trained(model: nn.Module) -> Step:
    def step(x: torch.Tensor) -> torch.Tensor:
        loss = model(x).square().mean()
        loss.backward()
        return loss

    return step


def summing_step(backend: str) -> Step:
    """The step is compiled, and sums the gradients outside of every module."""
    model = Model(Gather(), Gather())

    def step(x: torch.Tensor) -> torch.Tensor:
        loss = model(x).square().mean()
        loss.backward()
        for parameter in model.parameters():
            parameter.grad = summed(parameter.grad)
        return loss

    return step if backend == "no" else torch.compile(step, backend=backend)


def twice(backend: str) -> nn.Module:
    """One module is in two places."""
    shared = Gather()
    return whole(Model(shared, Gather(), shared), backend)


WAYS = {
    "function": lambda backend: trained(whole(Model(nn.Linear(DIM, DIM), Head(CopyTo.apply)), backend)),
    "operator": lambda backend: trained(whole(Model(nn.Linear(DIM, DIM), Head(copy_to)), backend)),
    "twice": lambda backend: trained(twice(backend)),
    "parametrized": lambda backend: trained(parametrized(backend)),
    "wrapped": lambda backend: trained(wrapped(backend)),
    "step": summing_step,
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("way", choices=WAYS)
    parser.add_argument("--backend", default="no")
    arguments = parser.parse_args()
    start()
    step = WAYS[arguments.way](arguments.backend)
    for number in range(2):
        say_loss(number, step(torch.rand(LENGTH, DIM, requires_grad=True)))
    finish()


if __name__ == "__main__":
    main()
