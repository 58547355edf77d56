# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Reinforcement learning: of 8 ranks, 6 train in tensor parallel pairs, and 2 roll out with the new weights."""

import torch
import torch.distributed as dist

TRAINERS = 6
STEPS = 3

dist.init_process_group("gloo")
rank = dist.get_rank()
everyone = list(range(dist.get_world_size()))
train = dist.new_group(everyone[:TRAINERS], group_desc="train")
pairs = [dist.new_group([first, first + 1], group_desc=f"pair_{first // 2}") for first in range(0, TRAINERS, 2)]
rollout = dist.new_group(everyone[TRAINERS:], group_desc="rollout")
net = torch.nn.Linear(8, 8)
optimizer = torch.optim.SGD(net.parameters(), 0.1)
for _ in range(STEPS):
    loss = net(torch.randn(4, 8)).square().mean()
    if rank < TRAINERS:
        loss.backward()
        dist.all_reduce(net.bias.grad, group=pairs[rank // 2])
        for parameter in net.parameters():
            dist.all_reduce(parameter.grad, group=train)
        optimizer.step()
        optimizer.zero_grad()
    else:
        dist.all_reduce(loss.detach(), group=rollout)
    for parameter in net.parameters():
        dist.broadcast(parameter.data, 0)
dist.destroy_process_group()
