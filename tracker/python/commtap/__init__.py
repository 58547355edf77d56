# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""commtap from inside the job: what the tracker counts, for Python code that asks.

`CommDebugMode` and `ModTracker` have the names and results of PyTorch's own; the rest is `shim/commtap.h` in Python.
Works in a process that was started with commtap preloaded, and loads it otherwise.
"""

from commtap.comm_debug_mode import CommDebugMode
from commtap.control import (
    Capture,
    Collective,
    Threads,
    current_module,
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
    "is_backward",
    "mark_step",
    "reset",
    "scope",
    "snapshot",
    "start",
    "stop",
]
