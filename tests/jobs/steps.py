# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Training steps of DDP with gradient accumulation, two optimizers, and an evaluation at the end."""

import argparse
from contextlib import nullcontext

import torch
import torch.distributed as dist
from common import finish, start
from models import MLPModule
from torch.nn.parallel import DistributedDataParallel

STEPS = 5
MICRO_BATCHES = 3


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--mark", action="store_true", help="end steps by commtap.mark_step, every second one")
    arguments = parser.parse_args()
    start()
    model = DistributedDataParallel(MLPModule())
    weights = [parameter for parameter in model.parameters() if parameter.dim() > 1]
    others = [parameter for parameter in model.parameters() if parameter.dim() <= 1]
    optimizers = [torch.optim.SGD(weights, lr=0.1), torch.optim.AdamW(others)]
    for step in range(STEPS):
        for nth in range(MICRO_BATCHES):
            with nullcontext() if nth == MICRO_BATCHES - 1 else model.no_sync():
                model(torch.rand(8, 10)).sum().backward()
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad()
        if arguments.mark and step % 2 == 1:
            import commtap

            commtap.mark_step()
    with torch.no_grad():
        correct = model(torch.rand(8, 10)).sum()
    dist.all_reduce(correct)
    finish()


if __name__ == "__main__":
    main()
