# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Experts whose split sizes are known: uneven in the first step, even in the second. And lists of tensors."""

import argparse

import torch
import torch.distributed as dist
from common import add_compile_arguments, finish, maybe_compile, say, say_compile_counters, say_loss, start
from torch.distributed._functional_collectives import all_to_all_single_autograd

WIDTH, TOKENS = 4, 9
#: The tokens that each rank sends to each.
UNEVEN = [[6, 1, 2], [0, 9, 0], [4, 4, 1]]
EVEN = [[3, 3, 3]] * 3


class Experts(torch.nn.Module):
    """Sends tokens to the experts of all ranks, and their outputs back."""

    def __init__(self) -> None:
        super().__init__()
        self.expert = torch.nn.Linear(WIDTH, WIDTH)

    def forward(self, x: torch.Tensor, sent: list[int], taken: list[int]) -> torch.Tensor:
        there = all_to_all_single_autograd(x, taken, sent, dist.group.WORLD)
        return all_to_all_single_autograd(self.expert(there), sent, taken, dist.group.WORLD)


class Lists(torch.nn.Module):
    """Sends the tokens of the second step as one tensor for each rank: Gloo has no uneven lists. Then without sizes."""

    def forward(self, rank: int, size: int) -> None:
        if not torch.__version__.startswith("2.11."):  # its Gloo cannot exchange lists
            received = [torch.empty(count, WIDTH) for count in EVEN[rank]]
            dist.all_to_all(received, [torch.full((count, WIDTH), float(rank)) for count in EVEN[rank]])
            say(f"lists {[part.sum().item() for part in received]}")
        whole = torch.empty(size, WIDTH)
        dist.all_to_all_single(whole, torch.full((size, WIDTH), float(rank)))
        dist.all_gather([torch.empty(WIDTH) for _ in range(size)], torch.ones(WIDTH))


def main() -> None:
    parser = argparse.ArgumentParser()
    add_compile_arguments(parser)
    arguments = parser.parse_args()
    rank = start()
    model = maybe_compile(Experts(), arguments)
    for step, table in enumerate((UNEVEN, EVEN)):
        x = torch.rand(TOKENS, WIDTH, requires_grad=True)
        loss = model(x, table[rank], [row[rank] for row in table]).sum()
        loss.backward()
        say_loss(step, loss)
    Lists()(rank, dist.get_world_size())
    say_compile_counters(arguments)
    finish()


if __name__ == "__main__":
    main()
