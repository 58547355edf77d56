# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""commtap's counts and controls for Python code inside the job.

`CommDebugMode` and `ModTracker` have the names and results of PyTorch's own classes. The other names are the functions
of `shim/commtap.h`. Uses the preloaded library, or loads libcommtap.so at the first use.
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
