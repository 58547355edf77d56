# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Jobs that communicate more than they need, each in one way, and those that only look like it."""

import contextlib
import itertools
import sys
from typing import Any

import torch
import torch.distributed as dist
from common import finish, say_loss, start
from torch.distributed._functional_collectives import all_to_all_single_autograd
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FullyShardedDataParallel, MixedPrecisionPolicy, fully_shard
from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.utils.checkpoint import checkpoint

WIDTH, STEPS = 20, 3
MICRO_BATCHES = 4


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


class Twice(torch.nn.Sequential):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return super().forward(super().forward(x))


def called_twice() -> torch.nn.Module:
    """FSDP2 keeps the parameters after a forward, and frees them after the first of two backwards."""
    model = Twice(torch.nn.Linear(WIDTH, WIDTH), torch.nn.Linear(WIDTH, WIDTH))
    for unit in (*model, model):
        fully_shard(unit, reshard_after_forward=False)
    return model


def checkpointed_units() -> torch.nn.Module:
    """FSDP2 over tensor parallelism: each unit is a wrapper, and what it wraps has its name."""
    mesh = init_device_mesh("cpu", (2, dist.get_world_size() // 2), mesh_dim_names=("dp", "tp"))
    model = torch.nn.Sequential()
    for _ in range(2):
        block = torch.nn.Sequential(torch.nn.Linear(WIDTH, WIDTH), torch.nn.Linear(WIDTH, WIDTH))
        parallelize_module(block, mesh["tp"], {"0": ColwiseParallel(), "1": RowwiseParallel()})
        model.append(fully_shard(checkpoint_wrapper(block), mesh=mesh["dp"]))
    return fully_shard(model, mesh=mesh["dp"])


def plain(layers: int) -> torch.nn.Module:
    return torch.nn.Sequential(*(torch.nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(layers)))


class Tabled(torch.nn.Linear):
    """Has a buffer that nothing changes."""

    def __init__(self) -> None:
        super().__init__(WIDTH, WIDTH)
        self.register_buffer("table", torch.ones(WIDTH))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return super().forward(x) * self.table


class Pair(torch.nn.Sequential):
    """Two replicas, one after the other."""


class Masked(torch.nn.Linear):
    """Has a buffer of another type that nothing changes."""

    def __init__(self) -> None:
        super().__init__(WIDTH, WIDTH)
        self.register_buffer("mask", torch.ones(WIDTH, dtype=torch.bool))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return super().forward(x) * self.mask


class Typed(Masked):
    """Has constant buffers of three types, of which DDP makes a call each."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("positions", torch.arange(WIDTH))
        self.register_buffer("table", torch.ones(WIDTH))


class Decayed(Tabled):
    """Replaces its buffer in each forward, and keeps the first."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.first = getattr(self, "first", self.table)
        self.table = self.table * 0.9
        return super().forward(x)


class Stepped(Tabled):
    """Changes its buffer in place on rank 0, so that the broadcast brings the change to the others."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if dist.get_rank() == 0:
            self.table.mul_(0.9)
        return super().forward(x)


class OwnNorm(torch.nn.Module):
    """Batch normalization without a class of torch. The function does not count up the versions of the statistics."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("running_mean", torch.zeros(WIDTH))
        self.register_buffer("running_var", torch.ones(WIDTH))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.batch_norm(x, self.running_mean, self.running_var, training=self.training)


class FirstOnly(torch.nn.Sequential):
    """Calls the first of its layers."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self[0](x)


def replica(*layers: torch.nn.Module, model: type[torch.nn.Sequential] = torch.nn.Sequential, **options: bool) -> Any:
    return torch.nn.parallel.DistributedDataParallel(model(*layers), **options)


class Exchanged(torch.nn.Linear):
    """Sends three of a rank's four tokens to the expert of rank 0, and its outputs back: of both calls together, each
    rank sends as much as it receives."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        received = [3, 3] if dist.get_rank() == 0 else [1, 1]
        there = all_to_all_single_autograd(x, received, [3, 1], dist.group.WORLD)
        return all_to_all_single_autograd(super().forward(there), [3, 1], received, dist.group.WORLD)


class Zero1(torch.optim.Optimizer):
    """Reduces whole gradients, of which each rank uses its part, and gathers the parameters."""

    def __init__(self, parameters: Any) -> None:
        super().__init__(parameters, {})

    @torch.no_grad()
    def step(self) -> None:  # type: ignore[override]
        size = dist.get_world_size()
        for parameter in self.param_groups[0]["params"]:
            dist.all_reduce(parameter.grad)
            part = parameter.chunk(size)[dist.get_rank()] - 0.1 * parameter.grad.chunk(size)[dist.get_rank()]
            dist.all_gather_into_tensor(parameter, part.contiguous())


MODELS = {
    "prefetched": prefetched,
    "recomputed": recomputed,
    "by_hand": by_hand,
    "full_tensor": sharded,
    "partial": replicated,
    "stages": stages,
    "called_twice": called_twice,
    "checkpointed_units": checkpointed_units,
    "micro_batches": sharded,
    "deferred": sharded,
    "after_backward": lambda: plain(60),
    "zero1": lambda: plain(3),
    "exchanged": lambda: torch.nn.Sequential(Exchanged(WIDTH, WIDTH)),
    "logged": lambda: plain(3),
    "replica_micro_batches": lambda: replica(*plain(3)),
    "replica_deferred": lambda: replica(*plain(3)),
    "replica_closure": lambda: replica(*plain(3)),
    "buffers": lambda: replica(Tabled()),
    "buffers_static": lambda: replica(Tabled(), Masked(), static_graph=True),
    "buffers_long": lambda: replica(Typed()),
    "buffers_twice": lambda: Pair(replica(Tabled()), replica(Masked(), plain(1))),
    "buffers_evaluated": lambda: replica(Tabled()),
    "buffers_kept": lambda: replica(Tabled(), broadcast_buffers=False),
    "buffers_replaced": lambda: replica(Decayed()),
    "buffers_of_rank_0": lambda: replica(Stepped(), Masked()),
    "own_statistics": lambda: replica(torch.nn.Linear(WIDTH, WIDTH), OwnNorm()),
    "statistics": lambda: replica(Tabled(), torch.nn.BatchNorm1d(WIDTH)),
    "all_used": lambda: replica(*plain(3), find_unused_parameters=True),
    "some_unused": lambda: replica(*plain(3), model=FirstOnly, find_unused_parameters=True),
}


def batch_of(model: torch.nn.Module) -> torch.Tensor:
    """Returns the loss after a forward and a backward."""
    loss = model(torch.rand(4, WIDTH, requires_grad=True)).square().mean()
    loss.backward()
    return loss


def accumulate(kind: str, model: Any) -> torch.Tensor:
    """Makes the batches of a step. The deferred ones reduce in the last."""
    micro_batches = MICRO_BATCHES if kind.endswith(("micro_batches", "deferred")) else 1
    for i in range(micro_batches):
        if kind == "deferred":
            model.set_requires_gradient_sync(i == micro_batches - 1)
        is_deferred = kind == "replica_deferred" and i < micro_batches - 1
        with model.no_sync() if is_deferred else contextlib.nullcontext():
            loss = batch_of(model)
    return loss


def between(kind: str, model: torch.nn.Module, loss: torch.Tensor) -> None:
    """Does what a job does with the gradients and the loss of a step."""
    if kind == "after_backward":
        for parameter in model.parameters():
            dist.all_reduce(parameter.grad)
    if kind == "full_tensor":
        for parameter in model.parameters():
            parameter.full_tensor().norm()
    if kind == "partial":
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    if kind == "logged":
        dist.all_reduce(loss.detach())


def optimizer_of(kind: str, model: torch.nn.Module) -> torch.optim.Optimizer:
    if kind == "zero1":
        return Zero1(model.parameters())
    if kind == "replica_closure":
        return torch.optim.LBFGS(model.parameters(), max_iter=MICRO_BATCHES)
    return torch.optim.AdamW(model.parameters(), foreach=True)


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
    optimizer = optimizer_of(kind, model)
    for step in range(70 if kind == "buffers_long" else STEPS):
        if kind == "replica_closure":

            def closure() -> torch.Tensor:
                optimizer.zero_grad()
                return batch_of(model)

            loss = optimizer.step(closure)
        else:
            loss = accumulate(kind, model)
            between(kind, model, loss)
            optimizer.step()
            optimizer.zero_grad()
        if kind == "buffers_evaluated":
            with torch.no_grad():
                model.eval()(torch.rand(4, WIDTH))
            model.train()
        say_loss(step, loss)
    finish()


if __name__ == "__main__":
    main()
