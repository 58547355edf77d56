# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""A pipeline without a library: each rank sends activations on and gradients back, one micro-batch after the other.

With --keep, messages arrive in buffers that are kept, and the stage takes copies, as in DeepSpeed's pipeline. With
--forward, the stage's `forward` is called as a plain method.
"""

import argparse

import torch
import torch.distributed as dist
from common import finish, say_loss, start
from models import MLPModule
from oracle import note_parameters
from torch.nn import functional as F

MICRO_BATCHES = 3
STEPS = 2


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--forward", action="store_true")
    return parser.parse_args()


def main() -> None:
    arguments = parse_arguments()
    rank = start()
    last = dist.get_world_size() - 1
    stage = MLPModule()
    note_parameters(stage)
    loss_function = torch.nn.MSELoss()
    optimizer = torch.optim.SGD(stage.parameters(), lr=0.1)
    torch.manual_seed(1)
    kept, kept_gradient = torch.empty(2, 10), torch.empty(2, 10)
    for step in range(STEPS):
        for _ in range(MICRO_BATCHES):
            taken = torch.rand(2, 10)
            if rank > 0:
                arriving = kept if arguments.keep else taken
                dist.recv(arriving, rank - 1)
                taken = (arriving.clone().detach() if arguments.keep else arriving).requires_grad_()
            given = stage.forward(taken) if arguments.forward else stage(taken)
            if rank < last:
                dist.send(given.detach(), rank + 1)
                gradient = kept_gradient if arguments.keep else torch.empty_like(given)
                dist.recv(gradient, rank + 1)
                given.backward(gradient)
            else:
                loss = loss_function(given, torch.zeros_like(given))
                loss.backward()
            if rank > 0:
                dist.send(taken.grad, rank - 1)
        optimizer.step()
        optimizer.zero_grad()
        # What every rank computes for itself, outside of the pipeline.
        say_loss(step, F.mse_loss(given, torch.zeros_like(given)))
    finish()


if __name__ == "__main__":
    main()
