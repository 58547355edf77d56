# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""An optimizer that reduces gradients in its step, as distributed Adam, Muon and Shampoo do."""

import torch
import torch.distributed as dist
from common import finish, start
from torch import nn

STEPS = 3


class Net(nn.Module):
    """A large parameter, a small one of its own, and two of the same shape."""

    def __init__(self) -> None:
        super().__init__()
        self.emb = nn.Embedding(64, 16)
        self.scale = nn.Parameter(torch.ones(16))
        self.left, self.right = (nn.Linear(16, 16, bias=False) for _ in range(2))

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.right(self.left(self.emb(tokens) * self.scale))


class Distributed(torch.optim.Optimizer):
    """SGD on the mean of the gradients.

    Large parameters are scattered by rows. Those of the same shape are stacked into a buffer, which belongs to both.
    """

    def __init__(self, model: Net) -> None:
        super().__init__(model.parameters(), {"lr": 0.1})
        self.stacked = [model.left.weight, model.right.weight]

    @torch.no_grad()
    def step(self) -> None:
        stack = torch.stack([parameter.grad for parameter in self.stacked])
        dist.all_reduce(stack)
        for parameter, gradient in zip(self.stacked, stack, strict=True):
            self.update(parameter, gradient)
        for parameter in self.param_groups[0]["params"]:
            if all(parameter is not stacked for stacked in self.stacked):
                self.reduce(parameter)

    def reduce(self, parameter: nn.Parameter) -> None:
        if parameter.dim() == 1:
            dist.all_reduce(parameter.grad)
            self.update(parameter, parameter.grad)
            return
        ranks, rank = dist.get_world_size(), dist.get_rank()
        part = torch.empty_like(parameter.grad.chunk(ranks)[rank])
        dist.reduce_scatter_tensor(part, parameter.grad)
        mine = parameter.detach().chunk(ranks)[rank].clone()
        self.update(mine, part)
        dist.all_gather_into_tensor(parameter, mine)

    def update(self, parameter: torch.Tensor, gradient: torch.Tensor) -> None:
        parameter.sub_(gradient, alpha=self.param_groups[0]["lr"] / dist.get_world_size())


def main() -> None:
    start()
    model = Net()
    optimizer = Distributed(model)
    for _ in range(STEPS):
        model(torch.randint(0, 64, (4, 8))).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    finish()


if __name__ == "__main__":
    main()
