# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""commtap's counts and controls for Python code inside the job.

`CommDebugMode` and `ModTracker` have the names and results of PyTorch's own classes. The other names are the functions
of `shim/commtap.h`. Uses the preloaded library, or loads libcommtap.so at the first use.

Importing this package imports nothing of torch: each name is imported at its first use.
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from commtap.comm_debug_mode import CommDebugMode
    from commtap.control import (
        Capture,
        Collective,
        Threads,
        current_module,
        current_step,
        is_backward,
        mark_step,
        reset,
        scope,
        snapshot,
        start,
        stop,
    )
    from commtap.mod_tracker import ModTracker

__all__ = [
    "Capture",
    "Collective",
    "CommDebugMode",
    "ModTracker",
    "Threads",
    "current_module",
    "current_step",
    "is_backward",
    "mark_step",
    "reset",
    "scope",
    "snapshot",
    "start",
    "stop",
]

_MODULES = {"CommDebugMode": "comm_debug_mode", "ModTracker": "mod_tracker"}


def __getattr__(name: str) -> object:
    if name == "__version__":
        from commtap.locations import version

        return version()
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_MODULES.get(name, 'control')}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    own = (name for name in globals() if name.startswith("__"))
    return sorted({*own, *__all__, "__version__"})
