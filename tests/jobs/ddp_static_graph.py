# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""DDP with a static graph: the first backward reduces all gradients in a callback when it ends."""

import torch
from common import finish, say_loss, start
from models import MLPModule
from torch.nn import functional as F
from torch.nn.parallel import DistributedDataParallel

STEPS = 3


def main() -> None:
    start()
    model = DistributedDataParallel(MLPModule(), static_graph=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(STEPS):
        loss = F.mse_loss(model(torch.rand(4, 10)), torch.zeros(4, 10))
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        say_loss(step, loss)
    finish()


if __name__ == "__main__":
    main()
