# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""A pipeline without a library: each rank sends activations on and gradients back, one micro-batch after the other."""

import torch
import torch.distributed as dist
from common import finish, say_loss, start
from models import MLPModule
from oracle import note_parameters
from torch.nn import functional as F

MICRO_BATCHES = 3
STEPS = 2


def main() -> None:
    rank = start()
    last = dist.get_world_size() - 1
    stage = MLPModule()
    note_parameters(stage)
    loss_function = torch.nn.MSELoss()
    optimizer = torch.optim.SGD(stage.parameters(), lr=0.1)
    torch.manual_seed(1)
    for step in range(STEPS):
        for _ in range(MICRO_BATCHES):
            taken = torch.rand(2, 10)
            if rank > 0:
                dist.recv(taken, rank - 1)
                taken.requires_grad_()
            given = stage(taken)
            if rank < last:
                dist.send(given.detach(), rank + 1)
                gradient = torch.empty_like(given)
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
