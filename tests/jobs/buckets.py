# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Data parallelism without a library: a hook on each gradient fills a flat buffer, which is reduced when it is full."""

import torch
import torch.distributed as dist
from common import finish, say_loss, start
from models import MLPModule
from oracle import note_parameters, step_context
from torch.nn import functional as F


def main() -> None:
    rank = start()
    model = torch.nn.Sequential(MLPModule(), MLPModule())
    note_parameters(model)
    parameters = list(model.parameters())
    bucket = torch.zeros(sum(parameter.numel() for parameter in parameters[:-1]))
    filled = 0

    def copy_in(parameter: torch.Tensor) -> None:
        """Reduces the last bias, whose gradient is the first, by itself, and all others together."""
        nonlocal filled
        if parameter is parameters[-1]:
            dist.all_reduce(parameter.grad)
            return
        bucket[filled : filled + parameter.numel()].copy_(parameter.grad.flatten())
        filled += parameter.numel()
        if filled == bucket.numel():
            dist.all_reduce(bucket)
            filled = 0

    for parameter in parameters:
        parameter.register_post_accumulate_grad_hook(copy_in)
    torch.manual_seed(rank)
    for step in range(2):
        with step_context():
            loss = F.mse_loss(model(torch.rand(4, 10)), torch.zeros(4, 10))
            loss.backward()
        with torch.no_grad():
            for parameter in parameters:
                parameter -= 0.1 * parameter.grad
                parameter.grad = None
        say_loss(step, loss)
    finish()


if __name__ == "__main__":
    main()
