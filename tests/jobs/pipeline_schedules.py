# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Pipelines of torch's other schedules: GPipe, and interleaved with two stages per rank, sharded or not."""

import argparse

import torch
import torch.distributed as dist
from common import finish, start
from models import MLPModule
from oracle import note_parameters
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.pipelining import PipelineStage, ScheduleGPipe, ScheduleInterleaved1F1B

MICRO_BATCHES = 4


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--schedule", choices=("gpipe", "interleaved"), required=True)
    parser.add_argument("--fsdp", action="store_true", help="shard each stage over the other mesh dimension")
    parser.add_argument("--optimizer", action="store_true", help="update each stage after each step")
    arguments = parser.parse_args()
    start()
    pipelines = 2 if arguments.fsdp else 1
    mesh = init_device_mesh("cpu", (dist.get_world_size() // pipelines, pipelines), mesh_dim_names=("pp", "dp"))
    here, ranks = mesh["pp"].get_local_rank(), mesh["pp"].size()
    chunks = 1 if arguments.schedule == "gpipe" else 2
    stages = []
    for index in range(here, chunks * ranks, ranks):
        model = torch.nn.Sequential(MLPModule())
        if arguments.fsdp:
            for unit in (model[0], model):
                fully_shard(unit, mesh=mesh["dp"], reshard_after_forward=False)
        note_parameters(model)
        example = torch.rand(2, 10)
        stages.append(
            PipelineStage(
                model,
                index,
                chunks * ranks,
                torch.device("cpu"),
                input_args=(example.requires_grad_(index > 0),),
                output_args=(example.clone().requires_grad_(),),
                group=mesh["pp"].get_group(),
            )
        )
    loss = torch.nn.functional.mse_loss
    if arguments.schedule == "gpipe":
        schedule = ScheduleGPipe(stages[0], MICRO_BATCHES, loss_fn=loss)
    else:
        schedule = ScheduleInterleaved1F1B(stages, MICRO_BATCHES, loss_fn=loss)
    optimizers = [torch.optim.SGD(stage.submod.parameters()) for stage in stages if arguments.optimizer]
    last = here == ranks - 1
    for step in range(2):
        batch, target = torch.rand(2 * MICRO_BATCHES, 10), torch.rand(2 * MICRO_BATCHES, 10)
        losses: list[torch.Tensor] = []
        if here == 0:
            schedule.step(batch)
        else:
            schedule.step(target=target, losses=losses)
        for optimizer in optimizers:
            optimizer.step()
        if last and mesh["dp"].get_local_rank() == 0:
            print(f"step {step} losses {[loss.item() for loss in losses]!r}", flush=True)
    finish()


if __name__ == "__main__":
    main()
