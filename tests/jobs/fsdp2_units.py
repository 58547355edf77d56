# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""fully_shard with a unit of two modules, explicit prefetch, and an unshard before the first forward."""

import itertools

import torch
import torch.distributed as dist
from common import finish, start
from models import ModelArgs, Transformer
from oracle import note_parameters
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from training import train_on_random_tokens


def main() -> None:
    rank = start()
    mesh = init_device_mesh("cpu", (dist.get_world_size(),), mesh_dim_names=("dp",))
    args = ModelArgs(n_layers=3, dropout_p=0.0, weight_tying=False)
    model = Transformer(args)
    for block in model.layers:
        fully_shard(block, mesh=mesh)
    fully_shard([model.norm, model.output], mesh=mesh)
    fully_shard(model, mesh=mesh)
    in_order = [model, *model.layers, model.output]
    for unit, following in itertools.pairwise(in_order):
        unit.set_modules_to_forward_prefetch([following])
        following.set_modules_to_backward_prefetch([unit] if unit is not model else [])
    model.set_modules_to_backward_prefetch([model.output])
    note_parameters(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.05)
    torch.manual_seed(rank)
    model.unshard()
    train_on_random_tokens(model, args, optimizer)
    finish()


if __name__ == "__main__":
    main()
