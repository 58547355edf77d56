# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""FSDP2 for a number of steps, each of which ends with a barrier; and what a plan of it must do without."""

import argparse
import socket

import torch
import torch.distributed as dist
from common import say_loss, start
from models import MLPStacked
from torch.distributed.fsdp import fully_shard


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=2)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--decide", action="store_true", help="stop training if the loss is small")
    parser.add_argument("--connect", action="store_true", help="report to a server")
    parser.add_argument("--objects", action="store_true", help="rank 0 sends the others what to do")
    arguments = parser.parse_args()
    rank = start()
    if arguments.connect:
        socket.create_connection(("127.0.0.1", 9), timeout=1).close()
    if arguments.objects:
        word = ["train" if rank == 0 else None]
        dist.broadcast_object_list(word, src=0)
        print(f"rank {rank} was told: {word[0]}", flush=True)
    model = MLPStacked(n_layers=arguments.layers)
    for layer in model.layers:
        fully_shard(layer)
    fully_shard(model)
    optimizer = torch.optim.AdamW(model.parameters())
    for step in range(arguments.steps):
        loss = model(torch.rand(4, 10)).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        dist.barrier()
        say_loss(step, loss)
        if arguments.decide and loss.item() < 0:
            break
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
