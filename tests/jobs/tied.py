# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""A weight of two modules, an embedding and an output, sent by DDP, FSDP2, an optimizer and a hook on its gradient."""

import argparse

import torch
import torch.distributed as dist
from common import finish, start
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel

STEPS = 3
WORDS, WIDTH = 16, 8


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(WORDS, WIDTH)
        self.mix = nn.Linear(WIDTH, WIDTH, bias=False)
        self.head = nn.Linear(WIDTH, WORDS, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        return self.head(self.mix(self.embed(words)))


class Broadcasting(torch.optim.SGD):
    """Sends each parameter after the step, as ZeroRedundancyOptimizer does."""

    @torch.no_grad()
    def step(self, closure: None = None) -> None:
        super().step(closure)
        for parameter in self.param_groups[0]["params"]:
            dist.broadcast(parameter.data, 0)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("way", choices=("ddp", "fsdp2", "optimizer", "hook"))
    way = parser.parse_args().way
    start()
    net = Net()
    model = DistributedDataParallel(net) if way == "ddp" else net
    if way == "fsdp2":
        fully_shard(net)
    if way == "hook":
        for parameter in net.parameters():
            parameter.register_post_accumulate_grad_hook(lambda parameter: dist.all_reduce(parameter.grad))
    optimizer = (Broadcasting if way == "optimizer" else torch.optim.SGD)(model.parameters(), lr=0.1)
    for _ in range(STEPS):
        model(torch.arange(WORDS)).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    finish()


if __name__ == "__main__":
    main()
