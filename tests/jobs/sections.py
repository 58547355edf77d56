# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""A job of named sections, each a use of one of PyTorch's features. What a section returns is printed as JSON; it has a
process group of its own name, and notes in which module it calls each collective, so that a report can be held against
it, section by section."""

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol
from torch import nn


class Section:
    """The group of a section, and the calls that it made over it by module."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.group = dist.new_group(group_desc=name)
        self.calls: Counter = Counter()

    def note(self, module: str = "Global") -> None:
        """One collective more."""
        self.calls[module] += 1

    def all_reduce(self, value: torch.Tensor, module: str = "Global") -> torch.Tensor:
        """A sum over the ranks, in place."""
        self.note(module)
        dist.all_reduce(value, group=self.group)
        return value

    def functional(self, value: torch.Tensor) -> torch.Tensor:
        """A sum over the ranks, as compilers and DTensor call it; whoever traces it notes its calls."""
        return funcol.wait_tensor(funcol.all_reduce(value, "sum", self.group))

    def __deepcopy__(self, memo: dict[int, Any]) -> "Section":
        return self  # of a copied model too


class Speaker(nn.Module):
    """A layer, then a sum over the ranks, in a child module."""

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
    """A model whose class, and with it its name in a report, is the section's: its child `speaker` communicates."""
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
    """For JSON: tensors with all their digits."""
    if isinstance(value, torch.Tensor):
        return [str(value.dtype), value.detach().to(torch.float64).tolist()]
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def run_all() -> None:
    """Runs all sections; one line of JSON each."""
    for name, function in SECTIONS.items():
        current = Section(name)
        torch.manual_seed(0)
        result = plain(function(current))
        print(json.dumps({"section": name, "result": result, "calls": current.calls}), flush=True)
