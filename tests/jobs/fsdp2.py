# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""fully_shard, with every block of a Transformer and the root as units, and gradient clipping."""

import argparse

import torch
import torch.distributed as dist
from common import add_compile_arguments, finish, maybe_compile, say_compile_counters, say_loss, start
from models import ModelArgs, Transformer
from oracle import note_parameters, step_context
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.nn import functional as F


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--accumulate", type=int, default=1, help="micro-batches to a step")
    parser.add_argument("--clip", action="store_true")
    add_compile_arguments(parser)
    arguments = parser.parse_args()
    rank = start()
    mesh = init_device_mesh("cpu", (dist.get_world_size(),), mesh_dim_names=("dp",))
    args = ModelArgs(n_layers=3, dropout_p=0.0, weight_tying=False)
    model = Transformer(args)
    for block in model.layers:
        fully_shard(block, mesh=mesh)
    fully_shard(model, mesh=mesh)
    note_parameters(model)
    run = maybe_compile(model, arguments)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.05)
    torch.manual_seed(rank)
    for step in range(2):
        for micro in range(arguments.accumulate):
            model.set_requires_gradient_sync(micro == arguments.accumulate - 1)
            tokens = torch.randint(0, args.vocab_size, (4, args.max_seq_len))
            with step_context():
                logits = run(tokens)
                loss = F.cross_entropy(logits.flatten(0, 1), tokens.roll(-1, dims=1).flatten())
                loss.backward()
        if arguments.clip:
            norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
            norm.full_tensor()
        optimizer.step()
        optimizer.zero_grad()
        say_loss(step, loss)
    say_compile_counters(arguments)
    finish()


if __name__ == "__main__":
    main()
