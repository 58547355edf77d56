# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Training steps of DDP with gradient accumulation and two optimizers, then an evaluation; or only evaluation."""

import argparse
from contextlib import nullcontext

import torch
import torch.distributed as dist
from common import finish, start
from models import MLPModule
from torch.nn.parallel import DistributedDataParallel

STEPS = 5
MICRO_BATCHES = 3


def evaluate(model: torch.nn.Module) -> None:
    with torch.no_grad():
        correct = model(torch.rand(8, 10)).sum()
    dist.all_reduce(correct)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--mark", action="store_true", help="end steps by commtap.mark_step, every second one")
    parser.add_argument("--compile-step", action="store_true", help="compile the optimizers' steps")
    parser.add_argument("--evaluate", action="store_true", help="train nothing")
    arguments = parser.parse_args()
    start()
    model = DistributedDataParallel(MLPModule())
    if arguments.evaluate:
        for _ in range(STEPS):
            evaluate(model)
        finish()
        return
    weights = [parameter for parameter in model.parameters() if parameter.dim() > 1]
    others = [parameter for parameter in model.parameters() if parameter.dim() <= 1]
    optimizers = [torch.optim.SGD(weights, lr=0.1), torch.optim.AdamW(others)]
    steps = [optimizer.step for optimizer in optimizers]
    if arguments.compile_step:
        steps = [torch.compile(step, backend="eager") for step in steps]
    for step in range(STEPS):
        for nth in range(MICRO_BATCHES):
            with nullcontext() if nth == MICRO_BATCHES - 1 else model.no_sync():
                model(torch.rand(8, 10)).sum().backward()
        for optimizer, end_step in zip(optimizers, steps, strict=True):
            end_step()
            optimizer.zero_grad()
        if arguments.mark and step % 2 == 1:
            import commtap

            commtap.mark_step()
    evaluate(model)
    finish()


if __name__ == "__main__":
    main()
