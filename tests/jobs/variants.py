# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""One model under each wrapper and each swap of its class, trained for two steps."""

import argparse
from collections.abc import Callable

import torch
import torch.distributed as dist
from common import finish, start
from torch import nn
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard
from torch.nn.parallel import DistributedDataParallel

STEPS = 2


class Block(nn.Module):
    """A layer of the model."""

    def __init__(self) -> None:
        super().__init__()
        self.up = nn.Linear(8, 16)
        self.down = nn.Linear(16, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.down(torch.relu(self.up(x)))


class Model(nn.Module):
    """The class that the user wrote."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Block() for _ in range(2))
        self.head = nn.Linear(8, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


class Float16Module(nn.Module):
    """Stands for Megatron's wrapper."""

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.module = module
        self.register_buffer("scale", torch.ones(1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.module(x)


class DistributedModelParallel(nn.Module):
    """Stands for torchrec's wrapper."""

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self._dmp_wrapped_module = DistributedDataParallel(module)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self._dmp_wrapped_module(x)


class Fabric(nn.Module):
    """Stands for Lightning's wrapper, which registers what it wraps twice."""

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self._forward_module = DistributedDataParallel(module)
        self._original_module = module

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self._forward_module(x)


class Forwarder(nn.Module):
    """A class of a user that only forwards."""

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.module = module

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.module(x)


def shard(model: Model) -> nn.Module:
    """FSDP2: each layer is a unit, and so is the root."""
    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    for layer in model.layers:
        fully_shard(layer, mesh=mesh)
    return fully_shard(model, mesh=mesh)


def shard_by_wrappers(model: Model) -> nn.Module:
    """FSDP1: each layer is a unit, and so is the root."""
    device = torch.device("cpu")
    for i, layer in enumerate(model.layers):
        model.layers[i] = FullyShardedDataParallel(layer, device_id=device, use_orig_params=True)
    return FullyShardedDataParallel(model, device_id=device, use_orig_params=True)


def checkpoint(model: Model) -> nn.Module:
    """Recomputes the first layer, under DDP."""
    model.layers[0] = checkpoint_wrapper(model.layers[0])
    return DistributedDataParallel(model)


def compile_called(model: Model) -> nn.Module:
    """Compiles a model that was called before."""
    model(torch.rand(1, 8))
    return torch.compile(model, backend="eager")


def parametrize(model: Model) -> nn.Module:
    """Swaps the class of a layer of a DDP model."""
    nn.utils.parametrizations.weight_norm(model.layers[0].up)
    return DistributedDataParallel(model)


VARIANTS: dict[str, Callable[[Model], nn.Module]] = {
    "plain": lambda model: model,
    "ddp": DistributedDataParallel,
    "fsdp1": shard_by_wrappers,
    "fsdp2": shard,
    "compiled": lambda model: torch.compile(model, backend="eager"),
    "compile_called": compile_called,
    "compiled_ddp": lambda model: torch.compile(DistributedDataParallel(model), backend="eager"),
    "checkpoint": checkpoint,
    "parametrize": parametrize,
    "float16": lambda model: DistributedDataParallel(Float16Module(model)),
    "dmp": DistributedModelParallel,
    "fabric": Fabric,
    "forwarder": lambda model: Forwarder(DistributedDataParallel(model)),
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("variant", choices=VARIANTS)
    rank = start()
    model = VARIANTS[parser.parse_args().variant](Model())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    torch.manual_seed(rank)
    for _ in range(STEPS):
        loss = model(torch.rand(4, 8)).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        with torch.profiler.record_function("mean loss"):
            dist.all_reduce(loss.detach())
    finish()


if __name__ == "__main__":
    main()
