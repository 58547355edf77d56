# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Jobs that communicate before their first forward, and the same ops after it.

Each has an all_reduce of one number at the start, and one behind each of the two training steps.
"""

import argparse
import threading

import torch
import torch.distributed as dist
from common import finish, start
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel

STEPS = 2


def announce() -> None:
    dist.all_reduce(torch.ones(1))


def layers() -> torch.nn.Module:
    return torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 4))


def train(model: torch.nn.Module) -> None:
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(STEPS):
        model(torch.rand(2, 4)).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
        announce()


def ddp() -> None:
    announce()
    train(DistributedDataParallel(layers()))


def fsdp2() -> None:
    model = layers()
    for parameter in model.parameters():
        dist.broadcast(parameter.data, 0)
    announce()
    for layer in model:
        fully_shard(layer)
    train(fully_shard(model))


def by_hand() -> None:
    """The parameters are sent at the end, too: then it is no set-up."""
    model = layers()
    for parameter in model.parameters():
        dist.broadcast(parameter.data, 0)
    announce()
    train(model)
    for parameter in model.parameters():
        dist.broadcast(parameter.data, 0)


def evaluated() -> None:
    """The first forward is that of an evaluation."""
    model = layers()
    announce()
    with torch.no_grad():
        model(torch.rand(2, 4))
    announce()
    train(DistributedDataParallel(model))


def in_a_thread() -> None:
    model = layers()
    announce()
    thread = threading.Thread(target=model, args=(torch.rand(2, 4),))
    thread.start()
    thread.join()
    announce()


def without_modules() -> None:
    weight = torch.rand(4, requires_grad=True)
    announce()
    for _ in range(STEPS):
        (weight * torch.rand(4)).sum().backward()
        dist.all_reduce(weight.grad)
        announce()


def switched_off() -> None:
    """Runs what may be a forward while nothing is counted."""
    import commtap

    commtap.stop()
    commtap.start()
    announce()
    train(layers())


JOBS = {job.__name__: job for job in (ddp, fsdp2, by_hand, evaluated, in_a_thread, without_modules, switched_off)}

parser = argparse.ArgumentParser()
parser.add_argument("job", choices=JOBS)
start()
JOBS[parser.parse_args().job]()
finish()
