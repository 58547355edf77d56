# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Tells observers of every `torch.nn.Module` call of the process, on the thread that makes it.

No hook is registered with torch: the tracker's own hook, which sits around `Module._call_impl`, calls `_before` and
`_after`. So there is no warning from torch.compile, nothing in anybody's `_forward_hooks`, and no graph break.
"""

import contextlib
import threading
from typing import Any, Protocol

import torch

from commtap.native import native


class Observer(Protocol):
    """Sees module calls. What it raises, the call raises."""

    def before_module(self, module: torch.nn.Module, args: tuple, kwargs: dict[str, Any] | None) -> None:
        """The call begins; `args` without the module."""

    def after_module(self, module: torch.nn.Module, args: tuple, kwargs: dict[str, Any] | None, output: Any) -> None:
        """The call is over, the module's own forward hooks included; `output` is None when it raises."""


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
    """Dynamo must not compile the two, which it meets where compiled code breaks off, nor what they call."""
    with contextlib.suppress(ImportError, AttributeError):
        from torch._C._dynamo import eval_frame

        skip = eval_frame._FrameExecStrategy(eval_frame._FrameAction.SKIP, eval_frame._FrameAction.SKIP)
        for function in (_before, _after):
            eval_frame.set_code_exec_strategy(function.__code__, skip)


def add(observer: Observer) -> None:
    """From now on the observer sees calls.

    Raises:
        RuntimeError: the tracker cannot watch module calls in this process.
    """
    with _lock:
        if not _observers:
            _hide_from_dynamo()
            if native().observe_modules(id(_before), id(_after)) != 0:
                raise RuntimeError("commtap: module calls cannot be watched in this process")
        _observers.append(observer)


def remove(observer: Observer) -> None:
    """The observer sees no more calls."""
    with _lock:
        _observers.remove(observer)
        if not _observers:
            native().observe_modules(None, None)
