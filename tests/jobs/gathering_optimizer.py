# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""FSDP2 with three things that communicate outside of modules, in each of two steps: an optimizer that makes a
full_tensor() of each gradient, the clipping, and the job's own metric."""

import argparse

import torch
import torch.distributed as dist
from common import finish, start
from torch.distributed.fsdp import fully_shard

STEPS = 2


class PlainMuon(torch.optim.Optimizer):
    """Needs the whole gradient for the update of a shard."""

    def step(self) -> None:
        for parameter in self.param_groups[0]["params"]:
            whole = parameter.grad.full_tensor()
            mine = whole.chunk(dist.get_world_size())[dist.get_rank()]
            parameter.data.to_local().sub_(mine.sign(), alpha=0.01)


parser = argparse.ArgumentParser()
parser.add_argument("--metrics", type=int, default=1, help="all_reduces of the metric per step")
options = parser.parse_args()

start()
model = torch.nn.Sequential(torch.nn.Linear(6, 6, bias=False), torch.nn.Linear(6, 6, bias=False))
for layer in model:
    fully_shard(layer)
fully_shard(model)
muon = PlainMuon(model.parameters(), {})
for _ in range(STEPS):
    model(torch.randn(3, 6)).sum().backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0).full_tensor()
    muon.step()
    muon.zero_grad()
    with torch.autograd.profiler.record_function("val_metric"):
        for _ in range(options.metrics):
            dist.all_reduce(torch.zeros(1))
finish()
