# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Pipeline parallelism: one stage per rank, micro-batches in the 1F1B schedule."""

import argparse

import torch
import torch.distributed as dist
from common import add_compile_arguments, finish, maybe_compile, say_compile_counters, start
from models import MLPModule
from oracle import note_parameters
from torch.distributed.pipelining import PipelineStage, Schedule1F1B

MICRO_BATCHES = 4


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--infer-shapes", action="store_true", help="stages learn their shapes from each other")
    add_compile_arguments(parser)
    arguments = parser.parse_args()
    rank = start()
    last = dist.get_world_size() - 1
    model = MLPModule()
    note_parameters(model)
    model = maybe_compile(model, arguments)
    first = torch.rand(2, 10, requires_grad=rank > 0)
    shapes = {} if arguments.infer_shapes else {"input_args": (first,), "output_args": (model(first),)}
    stage = PipelineStage(model, rank, dist.get_world_size(), torch.device("cpu"), **shapes)
    schedule = Schedule1F1B(stage, MICRO_BATCHES, loss_fn=torch.nn.functional.mse_loss)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(2):
        batch, target = torch.rand(2 * MICRO_BATCHES, 10), torch.rand(2 * MICRO_BATCHES, 10)
        losses: list[torch.Tensor] = []
        if rank == 0:
            schedule.step(batch)
        else:
            schedule.step(target=target, losses=losses)
        optimizer.step()
        optimizer.zero_grad()
        if rank == last:
            print(f"step {step} losses {[loss.item() for loss in losses]!r}", flush=True)
    say_compile_counters(arguments)
    finish()


if __name__ == "__main__":
    main()
