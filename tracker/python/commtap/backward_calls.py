# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Where a backward is in the tree of modules: gradient hooks on what goes into and comes out of each module call."""

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
    """The number of the backward that runs on this thread; `NO_TASK` if none does."""
    return torch._C._current_graph_task_id()


def tensors_with_grad(*values: Any) -> list[torch.Tensor]:
    """All tensors in nested containers that require a gradient."""
    return [leaf for leaf in tree_leaves(values) if isinstance(leaf, torch.Tensor) and leaf.requires_grad]


class _Handles:
    """Takes hooks out when the graph that it hangs on is freed.

    Hooks on a leaf tensor live as long as the tensor: one that goes into every step would gather one more each step.
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
    """One module call of a forward, for its backward."""

    def __init__(self, module: torch.nn.Module, name: str) -> None:
        self.module = weakref.ref(module)
        self.name = name
        self.has_inputs = False
        self.task = NO_TASK


class _Backward:
    """One run of the engine: the modules whose backward has begun and not ended."""

    def __init__(self) -> None:
        self.thread = threading.get_ident()
        self.active: Counter[str] = Counter()
        #: Calls whose inputs need no gradient, so that nothing tells their end but the end of all.
        self.until_the_end: list[Call] = []


class BackwardCalls:
    """Follows calls through backward. A module that is deleted before its backward is None to the hooks.

    The gradient hooks are PyTorch's, so that the order is: a module's backward begins with the first gradient of its
    outputs and ends with the last of its inputs; if no input needs one, when the whole backward ends, innermost first.
    """

    def __init__(self) -> None:
        self.pre_hook: GradHook | None = None
        self.post_hook: GradHook | None = None
        self._running: dict[int, _Backward] = {}

    def active(self) -> Iterable[str]:
        """The modules whose backward runs on this thread."""
        if current_task() == NO_TASK:
            return ()
        mine = [each for each in self._running.values() if each.thread == threading.get_ident()]
        return [name for each in mine for name, count in each.active.items() if count > 0]

    def forget_failed(self) -> None:
        """No backward runs on this thread: what is left of one was ended by an exception."""
        if self._running:
            thread = threading.get_ident()
            self._running = {task: each for task, each in self._running.items() if each.thread != thread}

    def watch_inputs(self, call: Call, *values: Any) -> _Handles:
        """Before the forward, which may change its inputs in place."""
        tensors = tensors_with_grad(*values)
        call.has_inputs = bool(tensors)
        if not tensors:
            return _Handles([])
        return _Handles([register_multi_grad_hook(tensors, lambda *grads: self._end_with_inputs(call, grads))])

    def watch_outputs(self, call: Call, inputs: _Handles, output: Any) -> None:
        """After the forward. The hooks live as long as the graph that it has made."""
        made = [tensor for tensor in tensors_with_grad(output) if tensor.grad_fn is not None]
        if not made:
            inputs.remove()  # no backward will pass this call
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
        # A leaf tensor's gradient may be that of another call, or of an earlier step.
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
