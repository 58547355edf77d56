# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Names of modules as `ModTracker` gives them: a root by its class, everything below by `named_children`."""

import weakref

import torch


class ModuleNames:
    """Fully qualified names, "Net.layers.0.up", by module. Holds no module alive.

    Two roots of one class have one name, as with PyTorch's own; the tracker's report tells them apart ("Net#2").
    """

    def __init__(self) -> None:
        self._names: weakref.WeakKeyDictionary[torch.nn.Module, str] = weakref.WeakKeyDictionary()
        self._walked: weakref.WeakSet[torch.nn.Module] = weakref.WeakSet()

    def known(self, module: torch.nn.Module) -> str | None:
        """The name; None for a module that was never called, nor any above it."""
        return self._names.get(module)

    def of(self, module: torch.nn.Module) -> str:
        """The name; a module seen for the first time names all below it."""
        name = self._names.setdefault(module, type(module).__name__)
        if module not in self._walked:
            self._walked.add(module)
            for child_name, child in module.named_children():
                self._names[child] = f"{name}.{child_name}"
                self.of(child)
        return name
