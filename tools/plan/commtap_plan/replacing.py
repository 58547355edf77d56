# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Replaces attributes of torch's modules and classes. Raises KeyError for one that is not in torch_names.REPLACED."""

import contextlib
import sys
import types
from collections.abc import Iterator
from typing import Any

from commtap_plan import torch_names

#: Owner, name and the new value.
Replacement = tuple[Any, str, Any]


def _check(owner: Any, name: str) -> None:
    is_module = isinstance(owner, types.ModuleType)
    torch_names.row_of(owner.__name__ if is_module else f"{owner.__module__}.{owner.__qualname__}", name)


def from_torch(frame: types.FrameType) -> bool:
    """Returns whether torch's own code runs in the frame: an answer for a script is not for torch itself."""
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] == "torch"


def replace(owner: Any, name: str, new: Any) -> None:
    """Replaces an attribute until the process ends."""
    _check(owner, name)
    setattr(owner, name, new)


def replace_everywhere(owner: Any, name: str, new: Any) -> None:
    """Replaces an attribute of a module, also in every module of torch that has imported it."""
    _check(owner, name)
    old = getattr(owner, name)
    for module_name, module in list(sys.modules.items()):
        if module_name.startswith("torch.") and module is not None:
            for attribute in [key for key, value in vars(module).items() if value is old]:
                setattr(module, attribute, new)


@contextlib.contextmanager
def replaced(replacements: list[Replacement]) -> Iterator[None]:
    """Replaces attributes for a block."""
    for owner, name, _ in replacements:
        _check(owner, name)
    before = [(owner, name, vars(owner).get(name, getattr(owner, name))) for owner, name, _ in replacements]
    for owner, name, new in replacements:
        setattr(owner, name, new)
    try:
        yield
    finally:
        for owner, name, old in before:
            setattr(owner, name, old)
