# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""A job of named sections, each of which uses one of PyTorch's features and prints its result as JSON.

A section has a process group with its own name, and logs its collectives by module. A test compares a report with
that log, section by section.
"""

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol
from torch import nn


class Section:
    """A section's group, and its calls over that group by module."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.group = dist.new_group(group_desc=name)
        self.calls: Counter = Counter()

    def note(self, module: str = "Global") -> None:
        """Logs one collective."""
        self.calls[module] += 1

    def all_reduce(self, value: torch.Tensor, module: str = "Global") -> torch.Tensor:
        """Sums over the ranks, in place."""
        self.note(module)
        dist.all_reduce(value, group=self.group)
        return value

    def functional(self, value: torch.Tensor) -> torch.Tensor:
        """Sums over the ranks as compilers and DTensor do. The caller logs its calls, because tracing makes none."""
        return funcol.wait_tensor(funcol.all_reduce(value, "sum", self.group))

    def __deepcopy__(self, memo: dict[int, Any]) -> "Section":
        return self  # copies of a model share the section


class Speaker(nn.Module):
    """A layer, then a sum over the ranks, as a child module."""

    def __init__(self, section: Section, module: str) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.section = section
        self.module = module

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.layer(x)
        self.section.all_reduce(y.detach().clone(), self.module)
        return y


def network(section: Section, root: str | None = None) -> nn.Module:
    """Returns a model whose class, and so its name in a report, is the section's. Its child `speaker` communicates."""
    name = root or section.name

    class Network(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.speaker = Speaker(section, f"{name}.speaker")

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.speaker(x).relu()

    torch.manual_seed(0)
    Network.__name__ = name
    return Network()


SECTIONS: dict[str, Callable[[Section], Any]] = {}


def section(function: Callable[[Section], Any]) -> Callable[[Section], Any]:
    """Adds a section to the job."""
    SECTIONS[function.__name__] = function
    return function


def plain(value: Any) -> Any:
    """Converts a value for JSON; tensors keep all their digits."""
    if isinstance(value, torch.Tensor):
        return [str(value.dtype), value.detach().to(torch.float64).tolist()]
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def run_all() -> None:
    """Runs all sections and prints one line of JSON each."""
    for name, function in SECTIONS.items():
        current = Section(name)
        torch.manual_seed(0)
        result = plain(function(current))
        print(json.dumps({"section": name, "result": result, "calls": current.calls}), flush=True)
