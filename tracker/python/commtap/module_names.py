# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Module names as `ModTracker` has them: a root has its class's name, a child its name in `named_children`."""

import weakref

import torch


class ModuleNames:
    """FQNs such as "Net.layers.0.up", by module. Holds no module alive.

    Two roots of one class share a name, as in PyTorch. The tracker's report distinguishes them ("Net#2").
    """

    def __init__(self) -> None:
        self._names: weakref.WeakKeyDictionary[torch.nn.Module, str] = weakref.WeakKeyDictionary()
        self._walked: weakref.WeakSet[torch.nn.Module] = weakref.WeakSet()

    def known(self, module: torch.nn.Module) -> str | None:
        """Returns the FQN; None if neither the module nor a parent of it was ever called."""
        return self._names.get(module)

    def of(self, module: torch.nn.Module) -> str:
        """Returns the FQN. Names all children of a module at its first call."""
        name = self._names.setdefault(module, type(module).__name__)
        if module not in self._walked:
            self._walked.add(module)
            for child_name, child in module.named_children():
                self._names[child] = f"{name}.{child_name}"
                self.of(child)
        return name
