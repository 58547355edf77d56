# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Steps by `optimizer.step(closure)`: a closure that is called once, as Lightning does, or again in the same step."""

import argparse
from collections.abc import Callable

import torch
from common import finish, say_loss, start
from models import MLPModule
from torch.nn import functional as F
from torch.nn.parallel import DistributedDataParallel

STEPS = 4


class Sharpness(torch.optim.SGD):
    """Steps twice, each time for gradients of their own, by a torch optimizer inside it."""

    def __init__(self, parameters: list[torch.nn.Parameter]) -> None:
        super().__init__(parameters, lr=0.1)
        self.inner = torch.optim.SGD(parameters, lr=0.1)

    def step(self, closure: Callable[[], torch.Tensor]) -> torch.Tensor:
        for _ in range(2):
            loss = closure()
            self.inner.step()
        return loss


OPTIMIZERS = {
    "adamw": lambda parameters: torch.optim.AdamW(parameters, lr=0.1),
    "lbfgs": lambda parameters: torch.optim.LBFGS(parameters, lr=0.01, max_iter=2),
    "sharpness": Sharpness,
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("optimizer", choices=OPTIMIZERS)
    name = parser.parse_args().optimizer
    start()
    model = DistributedDataParallel(MLPModule())
    optimizer = OPTIMIZERS[name](list(model.parameters()))

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = F.mse_loss(model(torch.rand(4, 10)), torch.zeros(4, 10))
        loss.backward()
        return loss

    for step in range(STEPS):
        say_loss(step, optimizer.step(closure))
    finish()


if __name__ == "__main__":
    main()
