# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Notifies observers of every `torch.nn.Module` call of the process, on the calling thread.

Registers no hook with torch: the tracker's own hook around `Module._call_impl` calls `_before` and `_after`. This
avoids torch.compile's warning, entries in the job's `_forward_hooks`, and graph breaks.
"""

import contextlib
import sys
import threading
from typing import Any, Protocol

import torch

from commtap.native import native


class Observer(Protocol):
    """Receives module calls. The call raises whatever the observer raises."""

    def before_module(self, module: torch.nn.Module, args: tuple, kwargs: dict[str, Any] | None) -> None:
        """Runs before the call; `args` excludes the module itself."""

    def after_module(self, module: torch.nn.Module, args: tuple, kwargs: dict[str, Any] | None, output: Any) -> None:
        """Runs after the call and the module's own forward hooks; `output` is None if the call raises."""


_observers: list[Observer] = []
_lock = threading.Lock()


def _before(module: torch.nn.Module, args: tuple, kwargs: dict[str, Any] | None) -> None:
    if not torch.compiler.is_compiling():
        for observer in tuple(_observers):
            observer.before_module(module, args, kwargs)


def _after(module: torch.nn.Module, args: tuple, kwargs: dict[str, Any] | None, output: Any) -> None:
    if not torch.compiler.is_compiling():
        for observer in tuple(_observers):
            observer.after_module(module, args, kwargs, output)


def _hide_from_dynamo() -> None:
    """Keeps Dynamo from compiling `_before`, `_after` and their callees, which it meets after a graph break."""
    with contextlib.suppress(ImportError, AttributeError):
        from torch._C._dynamo import eval_frame

        skip = eval_frame._FrameExecStrategy(eval_frame._FrameAction.SKIP, eval_frame._FrameAction.SKIP)
        for function in (_before, _after):
            eval_frame.set_code_exec_strategy(function.__code__, skip)


def add(observer: Observer) -> None:
    """Adds an observer, which receives calls from now on.

    Raises:
        RuntimeError: the tracker has no module hook in this process.
    """
    with _lock:
        if not _observers:
            _hide_from_dynamo()
            if native().observe_modules(id(_before), id(_after)) != 0:
                raise RuntimeError(
                    "commtap: module calls are not hooked in this process: expected the tracker's part for Python "
                    f"{sys.version_info.major}.{sys.version_info.minor}: see the tracker's warning on stderr"
                )
        _observers.append(observer)


def remove(observer: Observer) -> None:
    """Removes an observer, which receives no more calls."""
    with _lock:
        _observers.remove(observer)
        if not _observers:
            native().observe_modules(None, None)
