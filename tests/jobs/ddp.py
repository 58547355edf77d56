# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""DistributedDataParallel: several gradient buckets, a synchronized buffer, gradient accumulation."""

import argparse
import contextlib

import torch
from common import add_compile_arguments, finish, maybe_compile, say_compile_counters, say_loss, start
from oracle import note_parameters, step_context
from torch import nn
from torch.nn.parallel import DistributedDataParallel

WIDTH = 512


class Net(nn.Module):
    """Three layers with a bucket of parameters each, and a batch norm, whose statistics DDP synchronizes."""

    def __init__(self) -> None:
        super().__init__()
        self.net1 = nn.Linear(8, WIDTH)
        self.norm = nn.BatchNorm1d(WIDTH)
        self.net2 = nn.Linear(WIDTH, WIDTH)
        self.net3 = nn.Linear(WIDTH, WIDTH)
        self.net4 = nn.Linear(WIDTH, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = torch.relu(self.norm(self.net1(x)))
        return self.net4(torch.relu(self.net3(torch.relu(self.net2(hidden)))))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--accumulate", type=int, default=1, help="micro-batches to a step")
    parser.add_argument("--one-graph", action="store_true", help="Dynamo does not split graphs at DDP's buckets")
    add_compile_arguments(parser)
    arguments = parser.parse_args()
    rank = start()
    ddp = DistributedDataParallel(Net(), bucket_cap_mb=1)
    note_parameters(ddp)
    if arguments.one_graph:
        torch._dynamo.config.optimize_ddp = False
    model = maybe_compile(ddp, arguments)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    torch.manual_seed(rank)
    for step in range(3):
        for micro in range(arguments.accumulate):
            last = micro == arguments.accumulate - 1
            with contextlib.nullcontext() if last else ddp.no_sync(), step_context():
                loss = model(torch.rand(4, 8)).square().mean()
                loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        say_loss(step, loss)
    say_compile_counters(arguments)
    finish()


if __name__ == "__main__":
    main()
