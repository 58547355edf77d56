# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Optimizers with a closure: collectives in the closure, in its module and its backward, and in the step itself."""

from collections.abc import Callable

import torch
import torch.distributed as dist
from common import finish, say_loss, start
from torch.nn import functional as F


class Averaged(torch.nn.Linear):
    """A layer that averages its output over the ranks."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = super().forward(x)
        dist.all_reduce(y.data)
        return y


class AveragingSGD(torch.optim.SGD):
    """Reduces gradients in its step, after the closure."""

    @torch.no_grad()
    def step(self, closure: Callable[[], torch.Tensor]) -> torch.Tensor:
        with torch.enable_grad():
            loss = closure()
        for group in self.param_groups:
            for parameter in group["params"]:
                dist.all_reduce(parameter.grad)
        super().step()
        return loss


def main() -> None:
    start()
    model = Averaged(4, 4)
    model.weight.register_hook(lambda gradient: dist.all_reduce(gradient.clone()) and None)
    optimizers = [torch.optim.LBFGS(model.parameters(), max_iter=1), AveragingSGD(model.parameters(), lr=0.1)]
    for step, optimizer in enumerate(optimizers):
        x = torch.rand(2, 4)

        def closure(x: torch.Tensor = x, optimizer: torch.optim.Optimizer = optimizer) -> torch.Tensor:
            optimizer.zero_grad()
            loss = F.mse_loss(model(x), torch.zeros(2, 4))
            dist.all_reduce(loss.detach())
            loss.backward()
            return loss

        # By position and by name.
        loss = optimizer.step(closure) if step == 0 else optimizer.step(closure=closure)
        say_loss(step, loss)
    finish()


if __name__ == "__main__":
    main()
