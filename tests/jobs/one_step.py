# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""One training step of a layer, whose optimizer reduces the gradient in a hook of its step."""

import torch
import torch.distributed as dist
from common import finish, start


def main() -> None:
    start()
    model = torch.nn.Linear(4, 4)
    optimizer = torch.optim.AdamW(model.parameters())
    optimizer.register_step_pre_hook(lambda *_: dist.all_reduce(model.weight.grad))
    model(torch.randn(2, 4)).sum().backward()
    optimizer.step()
    finish()


if __name__ == "__main__":
    main()
