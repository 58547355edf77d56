# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""FullyShardedDataParallel, with each MLP of a stack as a unit."""

import argparse
import functools

import torch
from common import add_compile_arguments, finish, maybe_compile, say_compile_counters, say_loss, start
from models import MLPModule, MLPStacked
from oracle import note_parameters, step_context
from torch.distributed.fsdp import FullyShardedDataParallel, ShardingStrategy
from torch.distributed.fsdp.wrap import ModuleWrapPolicy


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--strategy", choices=("full_shard", "shard_grad_op"), default="full_shard")
    parser.add_argument("--use-orig-params", action="store_true")
    parser.add_argument("--clip", action="store_true")
    add_compile_arguments(parser)
    arguments = parser.parse_args()
    rank = start()
    wrap = functools.partial(
        FullyShardedDataParallel,
        auto_wrap_policy=ModuleWrapPolicy({MLPModule}),
        sharding_strategy=ShardingStrategy[arguments.strategy.upper()],
        use_orig_params=arguments.use_orig_params,
        device_id=torch.device("cpu"),
    )
    model = wrap(torch.nn.Sequential(MLPStacked(), torch.nn.Linear(10, 4)))
    note_parameters(model)
    model = maybe_compile(model, arguments)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    torch.manual_seed(rank)
    for step in range(2):
        with step_context():
            loss = model(torch.rand(8, 10)).square().mean()
            loss.backward()
        if arguments.clip:
            model.clip_grad_norm_(1.0)
        optimizer.step()
        optimizer.zero_grad()
        say_loss(step, loss)
    say_compile_counters(arguments)
    finish()


if __name__ == "__main__":
    main()
