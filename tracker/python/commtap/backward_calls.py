# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Follows a backward through the module tree, by gradient hooks on the inputs and outputs of each module call."""

import threading
import weakref
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch.autograd.graph import register_multi_grad_hook
from torch.utils._pytree import tree_leaves

GradHook = Callable[[torch.nn.Module | None, tuple], None]
NO_TASK = -1


def current_task() -> int:
    """Returns the id of the backward that runs on this thread; `NO_TASK` if none runs."""
    return torch._C._current_graph_task_id()


def tensors_with_grad(*values: Any) -> list[torch.Tensor]:
    """Returns all tensors in nested containers that require a gradient."""
    return [leaf for leaf in tree_leaves(values) if isinstance(leaf, torch.Tensor) and leaf.requires_grad]


class _Handles:
    """Removes hooks when the autograd graph that holds this object is freed.

    Hooks on a leaf tensor live as long as the tensor. A tensor that is an input of every step would gain a hook per
    step.
    """

    def __init__(self, handles: list[Any]) -> None:
        self.handles = handles

    def remove(self) -> None:
        for handle in self.handles:
            handle.remove()
        self.handles = []

    def __del__(self) -> None:
        self.remove()


class Call:
    """One module call of a forward, as its backward needs it. Holds the module weakly."""

    def __init__(self, module: torch.nn.Module, name: str) -> None:
        self.module = weakref.ref(module)
        self.name = name
        self.has_inputs = False
        self.task = NO_TASK


class _Backward:
    """One run of the autograd engine: the modules whose backward has begun and has not completed."""

    def __init__(self) -> None:
        self.thread = threading.get_ident()
        self.active: Counter[str] = Counter()
        #: Calls whose inputs need no gradient. Only the end of the whole backward ends them.
        self.until_the_end: list[Call] = []


class BackwardCalls:
    """Follows module calls through backward. Hooks receive None for a module destroyed before its backward.

    The gradient hooks are PyTorch's, which sets the order. A module's backward begins with the first gradient of its
    outputs and ends with the last gradient of its inputs. If no input needs a gradient, it ends with the whole
    backward, innermost module first.
    """

    def __init__(self) -> None:
        self.pre_hook: GradHook | None = None
        self.post_hook: GradHook | None = None
        self._running: dict[int, _Backward] = {}

    def active(self) -> Iterable[str]:
        """Returns the modules whose backward runs on this thread."""
        if current_task() == NO_TASK:
            return ()
        mine = [each for each in self._running.values() if each.thread == threading.get_ident()]
        return [name for each in mine for name, count in each.active.items() if count > 0]

    def forget_failed(self) -> None:
        """Drops the state of failed backwards. Must not run on a thread inside a backward."""
        if self._running:
            thread = threading.get_ident()
            self._running = {task: each for task, each in self._running.items() if each.thread != thread}

    def watch_inputs(self, call: Call, *values: Any) -> _Handles:
        """Hooks a call's inputs. Must run before the forward, which may change them in place."""
        tensors = tensors_with_grad(*values)
        call.has_inputs = bool(tensors)
        if not tensors:
            return _Handles([])
        return _Handles([register_multi_grad_hook(tensors, lambda *grads: self._end_with_inputs(call, grads))])

    def watch_outputs(self, call: Call, inputs: _Handles, output: Any) -> None:
        """Hooks a call's outputs. Must run after the forward; the hooks live as long as the autograd graph."""
        made = [tensor for tensor in tensors_with_grad(output) if tensor.grad_fn is not None]
        if not made:
            inputs.remove()  # no backward goes through this call
            return
        inputs.handles.append(register_multi_grad_hook(made, lambda *grads: self._begin(call, grads), mode="any"))
        made[0].grad_fn.metadata[inputs] = None

    def _begin(self, call: Call, grads: tuple) -> None:
        task = current_task()
        if task not in self._running:
            self._running[task] = _Backward()
            torch.autograd.Variable._execution_engine.queue_callback(lambda: self._finish(task))
        running = self._running[task]
        call.task = task
        running.active[call.name] += 1
        if not call.has_inputs:
            running.until_the_end.append(call)
        if self.pre_hook is not None:
            self.pre_hook(call.module(), grads)

    def _end_with_inputs(self, call: Call, grads: tuple) -> None:
        # A leaf tensor's gradient may belong to another call or to an earlier step.
        if call.task == current_task():
            self._end(call, grads)

    def _end(self, call: Call, grads: tuple) -> None:
        if self.post_hook is not None:
            self.post_hook(call.module(), grads)
        running = self._running.get(call.task)
        if running is not None:
            running.active[call.name] -= 1
        call.task = NO_TASK

    def _finish(self, task: int) -> None:
        for call in reversed(self._running[task].until_the_end):
            self._end(call, ())
        del self._running[task]
