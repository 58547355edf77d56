# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""A small job for each parallelism that has no job of its own."""

import argparse

import torch
import torch.distributed as dist
from common import add_compile_arguments, finish, maybe_compile, say_compile_counters, say_loss, start
from models import MLPModule, MLPStacked
from oracle import note_parameters
from torch.distributed._functional_collectives import all_to_all_single_autograd
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FullyShardedDataParallel, _init_utils, fully_shard
from torch.distributed.fsdp.wrap import ModuleWrapPolicy
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.nn import functional as F
from torch.nn.parallel import DistributedDataParallel

WIDTH, TOKENS, STEPS = 10, 8, 2


class Experts(torch.nn.Module):
    """Sends tokens to the experts of all ranks, and their outputs back."""

    def __init__(self, uneven: bool) -> None:
        super().__init__()
        self.expert = torch.nn.Linear(WIDTH, WIDTH)
        self.uneven = uneven

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        ranks = dist.get_world_size()
        share = len(x) // ranks
        sent = [share] * ranks
        if self.uneven:  # Every rank sends twice as many tokens to rank 0, at the last one's cost.
            sent[0], sent[-1] = sent[0] + share // 2, sent[-1] - share // 2
        taken = [sent[dist.get_rank()]] * ranks
        group = dist.group.WORLD
        there = all_to_all_single_autograd(x, taken, sent, group)
        return all_to_all_single_autograd(self.expert(there), sent, taken, group)


class Ring(torch.nn.Module):
    """Attention over a sequence that the ranks share: keys go round, one neighbour to the next."""

    def __init__(self) -> None:
        super().__init__()
        self.key = torch.nn.Linear(WIDTH, WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        rank, ranks = dist.get_rank(), dist.get_world_size()
        keys, result = self.key(x), 0
        for turn in range(ranks):
            result = result + torch.softmax(x @ keys.T, -1) @ keys
            if turn < ranks - 1:
                following = torch.empty_like(keys)
                work = [
                    dist.P2POp(dist.isend, keys.detach().contiguous(), (rank + 1) % ranks),
                    dist.P2POp(dist.irecv, following, (rank - 1) % ranks),
                ]
                for each in dist.batch_isend_irecv(work):
                    each.wait()
                keys = following
        return result


def ep(uneven: bool) -> torch.nn.Module:
    return torch.nn.Sequential(torch.nn.Linear(WIDTH, WIDTH), Experts(uneven))


def hsdp() -> torch.nn.Module:
    mesh = init_device_mesh("cpu", (2, dist.get_world_size() // 2), mesh_dim_names=("replicas", "shards"))
    model = MLPStacked()
    for unit in (*model.layers, model):
        fully_shard(unit, mesh=mesh)
    return model


def three_dimensions() -> torch.nn.Module:
    mesh = init_device_mesh("cpu", (dist.get_world_size() // 4, 2, 2), mesh_dim_names=("replicas", "shards", "tp"))
    model = MLPStacked()
    for layer in model.layers:
        parallelize_module(layer, mesh["tp"], {"net1": ColwiseParallel(), "net2": RowwiseParallel()})
    for unit in (*model.layers, model):
        fully_shard(unit, mesh=mesh["replicas", "shards"])
    return model


def synchronized() -> torch.nn.Module:
    # FSDP1 broadcasts from accelerators only, for their speed: Gloo can do it as well.
    _init_utils._check_module_states_for_sync_module_states = lambda _states: None
    return FullyShardedDataParallel(
        MLPStacked(),
        auto_wrap_policy=ModuleWrapPolicy({MLPModule}),
        sync_module_states=True,
        device_id=torch.device("cpu"),
    )


MODELS = {
    "ep": lambda: ep(uneven=False),
    "ep_uneven": lambda: ep(uneven=True),
    "cp": Ring,
    "hsdp": hsdp,
    "3d": three_dimensions,
    "sync": synchronized,
    "zero": lambda: DistributedDataParallel(MLPStacked()),
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("parallelism", choices=MODELS)
    add_compile_arguments(parser)
    arguments = parser.parse_args()
    rank = start()
    model = MODELS[arguments.parallelism]()
    note_parameters(model)
    if arguments.parallelism == "zero":
        optimizer = ZeroRedundancyOptimizer(model.parameters(), optimizer_class=torch.optim.Adam, lr=0.1)
    else:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model = maybe_compile(model, arguments)
    torch.manual_seed(rank)
    for step in range(STEPS):
        loss = F.mse_loss(model(torch.rand(TOKENS, WIDTH)), torch.zeros(TOKENS, WIDTH))
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        say_loss(step, loss)
    say_compile_counters(arguments)
    finish()


if __name__ == "__main__":
    main()
