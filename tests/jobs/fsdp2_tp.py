# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""fully_shard over tensor parallelism, on a mesh of two dimensions."""

import argparse

import torch
import torch.distributed as dist
from common import add_compile_arguments, finish, maybe_compile, say_compile_counters, start
from models import ModelArgs, Transformer
from oracle import note_parameters
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from training import train_on_random_tokens


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seq-parallel", action="store_true")
    add_compile_arguments(parser)
    arguments = parser.parse_args()
    start()
    mesh = init_device_mesh("cpu", (dist.get_world_size() // 2, 2), mesh_dim_names=("dp", "tp"))
    args = ModelArgs(dropout_p=0.0, weight_tying=False)
    model = Transformer.parallelize(Transformer(args), mesh["tp"], arguments.seq_parallel)
    for block in model.layers:
        # Compile only the blocks, before sharding: Dynamo cannot trace the embeddings' DTensors under FSDP.
        maybe_compile(block, arguments)
        fully_shard(block, mesh=mesh["dp"])
    fully_shard(model, mesh=mesh["dp"])
    note_parameters(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.05)
    torch.manual_seed(mesh["dp"].get_local_rank())
    train_on_random_tokens(model, args, optimizer)
    say_compile_counters(arguments)
    finish()


if __name__ == "__main__":
    main()
