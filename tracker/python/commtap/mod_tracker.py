# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""`ModTracker`: knows the modules that run on this thread, in forward and in backward.

Names, methods and the order of hooks are those of `torch.distributed._tools.mod_tracker.ModTracker` (PyTorch 2.13).
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from commtap import module_calls
from commtap.backward_calls import NO_TASK, BackwardCalls, Call, GradHook, current_task
from commtap.module_names import ModuleNames

__all__ = ["ModTracker"]

PreForwardHook = Callable[[torch.nn.Module, tuple], None]
PostForwardHook = Callable[[torch.nn.Module, tuple, Any], None]


@dataclass(eq=False)
class _Watch:
    """A module call whose backward is followed."""

    call: Call
    inputs: Any
    #: A hook of the module that sees the output before the module's other hooks.
    hook: Any = None
    has_output: bool = False


class _Thread(threading.local):
    """The module calls that a thread is inside, outermost first."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.calls: list[_Watch | None] = []


class ModTracker:
    """A context manager that knows the modules that run on each thread.

    Example::

        with ModTracker() as tracker:
            model(batch)  # inside it, tracker.parents is {"Global", "Net", "Net.layers.0", ...}
    """

    def __init__(self) -> None:
        self._names = ModuleNames()
        self._thread = _Thread()
        self._backward = BackwardCalls()
        self._user_pre_fw_hook: PreForwardHook | None = None
        self._user_post_fw_hook: PostForwardHook | None = None

    @property
    def parents(self) -> set[str]:
        """The names of all modules whose forward or backward runs on this thread; always contains "Global"."""
        return {"Global", *self._thread.names, *self._backward.active()}

    @property
    def is_bw(self) -> bool:
        """Whether autograd runs a backward on this thread, including recomputation under checkpointing."""
        return current_task() != NO_TASK

    def get_known_fqn(self, mod: torch.nn.Module) -> str | None:
        """Returns the module's FQN; None if neither it nor a parent of it was called under this tracker."""
        return self._names.known(mod)

    def register_user_hooks(
        self,
        pre_fw_hook: PreForwardHook | None = None,
        post_fw_hook: PostForwardHook | None = None,
        pre_bw_hook: GradHook | None = None,
        post_bw_hook: GradHook | None = None,
    ) -> None:
        """Registers functions to call around each module's forward and backward. They must change nothing.

        Args:
            pre_fw_hook: ``(module, args)``.
            post_fw_hook: ``(module, args, output)``; output is None when the forward raises.
            pre_bw_hook: ``(module, grads)``, at the first gradient of an output. The module is None if it was
                destroyed.
            post_bw_hook: ``(module, grads)``, at the last gradient of the inputs. If no input needs a gradient, it
                runs at the end of the backward with empty ``grads``.

        Raises:
            AssertionError: one of the hooks is already registered; nothing is changed.
        """
        wanted = {
            "pre_fw_hook": (pre_fw_hook, self._user_pre_fw_hook),
            "post_fw_hook": (post_fw_hook, self._user_post_fw_hook),
            "pre_bw_hook": (pre_bw_hook, self._backward.pre_hook),
            "post_bw_hook": (post_bw_hook, self._backward.post_hook),
        }
        for name, (new, old) in wanted.items():
            if new is not None and old is not None:
                raise AssertionError(f"a {name} is registered already: call clear_user_hooks() first")
        self._user_pre_fw_hook = pre_fw_hook or self._user_pre_fw_hook
        self._user_post_fw_hook = post_fw_hook or self._user_post_fw_hook
        self._backward.pre_hook = pre_bw_hook or self._backward.pre_hook
        self._backward.post_hook = post_bw_hook or self._backward.post_hook

    def clear_user_hooks(self) -> None:
        """Removes all hooks of `register_user_hooks`."""
        self._user_pre_fw_hook = self._user_post_fw_hook = None
        self._backward.pre_hook = self._backward.post_hook = None

    def __enter__(self) -> "ModTracker":
        module_calls.add(self)
        return self

    def __exit__(self, *_: object) -> None:
        module_calls.remove(self)
        # A context that exits inside a module call gets no after_module() for it.
        self._thread = _Thread()

    def before_module(self, module: torch.nn.Module, args: tuple, kwargs: dict[str, Any] | None) -> None:
        """Enters a module call (`module_calls.Observer`)."""
        in_backward = self.is_bw
        if not in_backward:
            self._backward.forget_failed()
        name = self._names.of(module)
        self._thread.names.append(name)
        call = None
        try:
            if self._user_pre_fw_hook is not None:
                self._user_pre_fw_hook(module, args)
            if not in_backward and torch.is_grad_enabled():
                call = self._watch(module, name, args, kwargs)
        except BaseException:
            self._thread.names.pop()
            raise
        self._thread.calls.append(call)

    def after_module(self, module: torch.nn.Module, args: tuple, kwargs: dict[str, Any] | None, output: Any) -> None:
        """Leaves a module call (`module_calls.Observer`)."""
        thread = self._thread
        if not thread.calls:
            return  # the call began before this context
        call = thread.calls.pop()
        try:
            if self._user_post_fw_hook is not None:
                self._user_post_fw_hook(module, args, output)
            if call is not None:
                self._watch_output(call, output)
        finally:
            if call is not None and call.hook is not None:
                call.hook.remove()
            thread.names.pop()

    def _watch(self, module: torch.nn.Module, name: str, args: tuple, kwargs: dict[str, Any] | None) -> _Watch:
        call = Call(module, name)
        watch = _Watch(call, self._backward.watch_inputs(call, args, kwargs))
        if module._forward_hooks:
            # The module's own hooks may replace the output, as those of tensor parallelism do. PyTorch's tracker sees
            # the output before them: so backward enters the outer module first.
            def see(_module: torch.nn.Module, _args: tuple, output: Any) -> None:
                if self._thread.calls[-1:] == [watch]:  # not a recursive call, nor one of another thread
                    self._watch_output(watch, output)

            watch.hook = module.register_forward_hook(see, prepend=True)
        return watch

    def _watch_output(self, watch: _Watch, output: Any) -> None:
        if not watch.has_output:
            watch.has_output = True
            self._backward.watch_outputs(watch.call, watch.inputs, output)
