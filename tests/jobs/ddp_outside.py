# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""DDP's collectives outside of its calls and of autograd: torch's Join, and the callbacks of a communication hook.

With --two the job has a second DDP module, which communicates only when it is made.
"""

import argparse

import torch
import torch.distributed as dist
from common import finish, say_loss, start
from torch.distributed.algorithms.ddp_comm_hooks import powerSGD_hook as power
from torch.distributed.algorithms.join import Join
from torch.nn.parallel import DistributedDataParallel

WIDTH, STEPS, PLAIN_STEPS = 64, 4, 2


class Net(torch.nn.Sequential):
    def __init__(self) -> None:
        super().__init__(*(torch.nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(2)))


def train(model: DistributedDataParallel, steps: int) -> None:
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for step in range(steps):
        loss = model(torch.ones(2, WIDTH)).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        say_loss(step, loss)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["join", "power"])
    parser.add_argument("--two", action="store_true")
    arguments = parser.parse_args()
    start()
    model = DistributedDataParallel(Net())
    others = [DistributedDataParallel(torch.nn.Linear(2, 2))] if arguments.two else []
    if arguments.what == "power":
        state = power.PowerSGDState(None, matrix_approximation_rank=1, start_powerSGD_iter=PLAIN_STEPS)
        model.register_comm_hook(state, power.powerSGD_hook)
        train(model, STEPS)
    else:
        with Join([model]):
            train(model, STEPS - 1 + dist.get_rank())  # rank 1 has one step more
    del others
    finish()


if __name__ == "__main__":
    main()
