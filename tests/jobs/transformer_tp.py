# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Tensor and sequence parallelism of a Transformer, with tied weights and activation checkpointing."""

import argparse

import torch
import torch.distributed as dist
from common import add_compile_arguments, finish, maybe_compile, say_compile_counters, say_loss, start
from models import ModelArgs, Transformer
from oracle import note_parameters, step_context
from torch.distributed.device_mesh import init_device_mesh
from torch.nn import functional as F


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seq-parallel", action="store_true")
    parser.add_argument("--checkpoint", action="store_true")
    parser.add_argument("--untied", action="store_true")
    add_compile_arguments(parser)
    arguments = parser.parse_args()
    start()
    mesh = init_device_mesh("cpu", (dist.get_world_size(),), mesh_dim_names=("tp",))
    args = ModelArgs(dropout_p=0.0, checkpoint_activations=arguments.checkpoint, weight_tying=not arguments.untied)
    model = Transformer.parallelize(Transformer(args), mesh, arguments.seq_parallel)
    note_parameters(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.05)
    model = maybe_compile(model, arguments)
    tokens = torch.randint(0, args.vocab_size, (4, args.max_seq_len))
    for step in range(2):
        with step_context():
            logits = model(tokens)
            loss = F.cross_entropy(logits.flatten(0, 1), tokens.roll(-1, dims=1).flatten())
            loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        say_loss(step, loss)
    say_compile_counters(arguments)
    finish()


if __name__ == "__main__":
    main()
