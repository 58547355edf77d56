# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Prints the modules that run in forward and backward, with one block under activation checkpointing.

PYTHONPATH=tracker/python python docs/examples/modules.py
"""

import torch
from commtap import ModTracker
from torch.utils.checkpoint import checkpoint


class Net(torch.nn.Module):
    """Two layers; backward computes the second again."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Linear(4, 4) for _ in range(2))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = torch.relu(self.layers[0](x))
        return checkpoint(self.layers[1], hidden, use_reentrant=False)


tracker = ModTracker()


def say(hook: str, module: torch.nn.Module | None) -> None:
    """Prints one line for the hook that fired."""
    name = None if module is None else tracker.get_known_fqn(module)
    print(f"{hook:8} {name!s:12} is_bw={tracker.is_bw!s:5} parents={sorted(tracker.parents)}")


tracker.register_user_hooks(
    pre_fw_hook=lambda module, args: say("pre_fw", module),
    post_fw_hook=lambda module, args, output: say("post_fw", module),
    pre_bw_hook=lambda module, grads: say("pre_bw", module),
    post_bw_hook=lambda module, grads: say("post_bw", module),
)
model = Net()
with tracker:
    model(torch.rand(2, 4)).sum().backward()
