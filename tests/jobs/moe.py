# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""A mixture of experts whose ranks send each other how many tokens they send: the splits of what follows."""

import argparse

import torch
import torch.distributed as dist
from common import finish, say_loss, start
from torch.distributed._functional_collectives import all_to_all_single_autograd
from torch.nn import functional as F

WIDTH, TOKENS, STEPS, EXPERTS_PER_RANK = 8, 16, 3, 2


class Experts(torch.nn.Module):
    """Sends tokens to the experts that the router has chosen, and their outputs back."""

    def __init__(self, uneven: bool) -> None:
        super().__init__()
        self.experts = EXPERTS_PER_RANK * dist.get_world_size()
        self.router = torch.nn.Linear(WIDTH, self.experts)
        self.expert = torch.nn.Linear(WIDTH, WIDTH)
        self.uneven = uneven

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        ranks, group = dist.get_world_size(), dist.group.WORLD
        scores = torch.softmax(self.router(x), -1)
        chosen = scores.argmax(-1) if self.uneven else torch.arange(len(x)) % self.experts
        counts = torch.bincount(chosen, minlength=self.experts)
        received = torch.empty_like(counts)
        dist.all_to_all_single(received, counts)
        sent = counts.view(ranks, -1).sum(1).tolist()
        taken = received.view(ranks, -1).sum(1).tolist()
        order = torch.argsort(chosen, stable=True)
        there = all_to_all_single_autograd(x[order], taken, sent, group)
        back = all_to_all_single_autograd(self.expert(there), sent, taken, group)
        weights = scores.gather(1, chosen[:, None])
        return back * weights[order]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--uneven", action="store_true", help="the router chooses")
    arguments = parser.parse_args()
    rank = start()
    model = torch.nn.Sequential(torch.nn.Linear(WIDTH, WIDTH), Experts(arguments.uneven))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    torch.manual_seed(rank)
    for step in range(STEPS):
        loss = F.mse_loss(model(torch.rand(TOKENS, WIDTH)), torch.zeros(TOKENS, WIDTH))
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        say_loss(step, loss)
    finish()


if __name__ == "__main__":
    main()
