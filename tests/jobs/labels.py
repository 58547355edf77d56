# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Collectives under labels of record_function, inside a module, in an optimizer's step and outside both."""

import torch
import torch.distributed as dist
from common import finish, start
from torch.profiler import record_function


class Mixer(torch.nn.Module):
    """Averages its layer's output over the ranks, once under a label and once without."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.layer(x)
        with record_function("mix"):
            dist.all_reduce(y.data)
        dist.all_reduce(y.data)
        return y


def average_gradient(optimizer: torch.optim.Optimizer, _args: tuple, _kwargs: dict) -> None:
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            dist.all_reduce(parameter.grad)


def main() -> None:
    start()
    model = Mixer()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    optimizer.register_step_pre_hook(average_gradient)
    for _ in range(2):
        loss = model(torch.rand(2, 4)).sum()
        loss.backward()
        optimizer.step()
    with record_function("evaluate"):
        dist.all_reduce(loss.data)
    finish()


if __name__ == "__main__":
    main()
