# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Jobs that communicate more than they need, each in one way, and one that only looks like it."""

import itertools
import sys
from typing import Any

import torch
import torch.distributed as dist
from common import finish, say_loss, start
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FullyShardedDataParallel, MixedPrecisionPolicy, fully_shard
from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor
from torch.utils.checkpoint import checkpoint

WIDTH, STEPS = 20, 3


class Block(torch.nn.Module):
    """A layer whose calls are checkpointed by a forward inside of the backward."""

    def __init__(self) -> None:
        super().__init__()
        self.mix = torch.nn.Linear(WIDTH, WIDTH)

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        return checkpoint(super().__call__, x, use_reentrant=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.mix(x).sin()


class Stack(torch.nn.Sequential):
    """A model that checkpoints its layers, from outside of them, if `checkpoints` is set."""

    checkpoints = False

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self:
            x = checkpoint(layer, x, use_reentrant=True) if self.checkpoints else layer(x)
        return x


class Gathered(torch.autograd.Function):
    """A product with a sequence that the ranks share. It keeps this rank's part, and gathers again in the backward."""

    @staticmethod
    def whole(x: torch.Tensor) -> torch.Tensor:
        full = x.new_empty(len(x) * dist.get_world_size(), WIDTH)
        dist.all_gather_into_tensor(full, x)
        return full

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x, weight)
        return Gathered.whole(x) @ weight.T

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        x, weight = ctx.saved_tensors
        shared = torch.empty_like(x)
        dist.reduce_scatter_tensor(shared, gradient @ weight)
        return shared, gradient.T @ Gathered.whole(x)


class SequenceParallel(torch.nn.Linear):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return Gathered.apply(x, self.weight)


def prefetched() -> torch.nn.Module:
    """The recomputation of a block prefetches the next one, whose backward is done."""
    model = Stack(Block(), Block(), Block())
    for unit in (*model, model):
        fully_shard(unit)
    for here, following in itertools.pairwise(model):
        here.set_modules_to_forward_prefetch([following])
    return model


def recomputed() -> torch.nn.Module:
    """The checkpoint is around FSDP1's units, which free their parameters between recomputation and backward."""

    def wrap(module: torch.nn.Module) -> torch.nn.Module:
        return FullyShardedDataParallel(module, device_id=torch.device("cpu"), forward_prefetch=True)

    model = Stack(*(wrap(torch.nn.Linear(WIDTH, WIDTH)) for _ in range(3)))
    model.checkpoints = True
    return wrap(model)


def by_hand() -> torch.nn.Module:
    """Sequence parallelism without parameters that are sharded."""
    return torch.nn.Sequential(SequenceParallel(WIDTH, WIDTH, bias=False), torch.nn.Linear(WIDTH, WIDTH))


def sharded() -> torch.nn.Module:
    """Three units of FSDP2, of which each step looks at every parameter."""
    model = torch.nn.Sequential(*(torch.nn.Linear(WIDTH, WIDTH) for _ in range(3)))
    for unit in (*model, model):
        fully_shard(unit)
    return model


def replicated() -> torch.nn.Module:
    """Each rank has a part of the batch, so the gradients of the replicated weights are partial sums."""
    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    model = torch.nn.Sequential(*(torch.nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(3)))
    for layer in model:
        layer.weight = torch.nn.Parameter(distribute_tensor(layer.weight.data, mesh, [Replicate()]))
    model.register_forward_pre_hook(lambda _, batch: DTensor.from_local(batch[0], mesh, [Shard(0)], run_check=False))
    model.register_forward_hook(lambda _module, _batch, result: result.to_local())
    return model


class Stage(torch.nn.Sequential):
    """The model of the first half of the ranks."""


class LaterStage(Stage):
    """The model of the other half, which has other names."""


def stages() -> torch.nn.Module:
    """Two models of the same units, each on half of the ranks, as the stages of a pipeline."""
    half = dist.get_world_size() // 2
    mesh = init_device_mesh("cpu", (2, half), mesh_dim_names=("pp", "fsdp"))["fsdp"]
    layers = (torch.nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(2))
    model = Stage(*layers) if dist.get_rank() < half else LaterStage(*layers)
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    for unit in (*model, model):
        fully_shard(unit, mesh=mesh, mp_policy=policy, reshard_after_forward=True)
    return model


MODELS = {
    "prefetched": prefetched,
    "recomputed": recomputed,
    "by_hand": by_hand,
    "full_tensor": sharded,
    "partial": replicated,
    "stages": stages,
}


def main() -> None:
    kind = sys.argv[1]
    start()
    for _ in range(STEPS if kind == "stages" else 0):
        dist.barrier()
        dist.broadcast_object_list([{"a": 1}])
    model = MODELS[kind]()
    if kind == "stages":
        with torch.no_grad():
            for _ in range(STEPS):
                model(torch.rand(4, WIDTH))
    optimizer = torch.optim.AdamW(model.parameters(), foreach=True)
    for step in range(STEPS):
        loss = model(torch.rand(4, WIDTH, requires_grad=True)).square().mean()
        loss.backward()
        if kind == "full_tensor":
            for parameter in model.parameters():
                parameter.full_tensor().norm()
        if kind == "partial":
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        say_loss(step, loss)
    finish()


if __name__ == "__main__":
    main()
