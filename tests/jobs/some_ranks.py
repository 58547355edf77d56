# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Modules that not all ranks have alike.

`Pipe` sends on rank 0 what rank 1 receives. With --first only rank 0 makes the all_reduce of `Net`, in its own group.
"""

import argparse

import torch
import torch.distributed as dist
from common import finish, start


class Pipe(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if dist.get_rank() == 0:
            dist.send(x, 1)
        else:
            dist.recv(x, 0)
        return x


class Net(torch.nn.Module):
    def __init__(self, group: dist.ProcessGroup, first_only: bool) -> None:
        super().__init__()
        self.group = group
        self.calls = dist.get_rank() == 0 or not first_only

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.calls:
            dist.all_reduce(x, group=self.group)
        return x


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--first", action="store_true")
    parser.add_argument("--sends", type=int, default=5)
    arguments = parser.parse_args()
    rank = start()
    groups = [dist.new_group([each], group_desc="own") for each in range(dist.get_world_size())]
    net, pipe = Net(groups[rank], arguments.first), Pipe()
    for _ in range(3):
        net(torch.ones(4))
    for _ in range(arguments.sends):
        pipe(torch.zeros(256))
    finish()


if __name__ == "__main__":
    main()
