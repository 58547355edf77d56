# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Sections around modules: copies, hooks, wrappers, and replacements of nn.Module.__call__."""

import copy
import cProfile
import hashlib
import inspect
import io
import pickle
import pstats
import sys
import threading
import traceback
import weakref
from typing import Any

import torch
import torch.nn.modules.module as torch_module
from sections import Section, network, section
from torch import nn

X = torch.ones(2, 4)


class Plain(nn.Module):
    """A module that can be pickled."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layers(x).square()


@section
def copies(it: Section) -> Any:
    """A deep copy of a model that has run is a second model."""
    model = network(it)
    first = model(X)
    copied = copy.deepcopy(model)
    copied.speaker.module = "copies#2.speaker"
    return first, copied(X), copied.speaker.layer.weight is model.speaker.layer.weight


@section
def pickled(it: Section) -> Any:
    """The pickled bytes of a module that has run, and the loaded module, are unchanged."""
    model = Plain()
    model(X)
    data = pickle.dumps(model)
    saved = io.BytesIO()
    torch.save(model, saved)
    saved.seek(0)
    again = torch.load(saved, weights_only=False)
    return len(data), pickle.loads(data)(X), again(X), sorted(vars(model))


@section
def data_parallel(it: Section) -> Any:
    """DataParallel without devices calls the module itself."""
    return nn.DataParallel(network(it, "DataParallel"))(X)


@section
def global_hooks(it: Section) -> Any:
    """The job's own global hooks see the same calls in the same order."""
    seen: list[str] = []
    model = network(it)
    handles = [
        torch_module.register_module_forward_pre_hook(lambda m, _: seen.append(f"before {type(m).__name__}")),
        torch_module.register_module_forward_hook(lambda m, *_: seen.append(f"after {type(m).__name__}")),
        torch_module.register_module_full_backward_hook(lambda m, *_: seen.append(f"backward {type(m).__name__}")),
    ]
    model(X.clone().requires_grad_()).sum().backward()
    for handle in handles:
        handle.remove()
    return seen


@section
def patched_call(it: Section) -> Any:
    """The job temporarily replaces nn.Module.__call__, in both usual ways."""
    seen: list[str] = []
    model = network(it)
    original = nn.Module.__call__

    def passes_all(self: nn.Module, *args: Any, **kwargs: Any) -> Any:
        seen.append(f"all {type(self).__name__}")
        return original(self, *args, **kwargs)

    def passes_one(self: nn.Module, x: torch.Tensor) -> Any:
        seen.append(f"one {type(self).__name__}")
        return original(self, x)

    outputs = []
    for patch in (passes_all, passes_one):
        nn.Module.__call__ = patch
        try:
            outputs.append(model(X))
        finally:
            nn.Module.__call__ = original
    outputs.append(model(X))
    return outputs, seen


@section
def patched_implementation(it: Section) -> Any:
    """The job replaces nn.Module._call_impl, which __call__ calls."""
    seen: list[str] = []
    model = network(it)
    original = nn.Module._call_impl

    def passes_all(self: nn.Module, *args: Any, **kwargs: Any) -> Any:
        seen.append(type(self).__name__)
        return original(self, *args, **kwargs)

    nn.Module._call_impl = passes_all
    try:
        return model(X), seen
    finally:
        nn.Module._call_impl = original


class OwnCall(nn.Module):
    """A class with its own __call__, which forwards to Module's."""

    def __init__(self, speaker: nn.Module) -> None:
        super().__init__()
        self.speaker = speaker

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        return super().__call__(x)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.speaker(x)


@section
def own_call(it: Section) -> Any:
    """A subclass's __call__ runs before Module's."""
    return OwnCall(network(it, "OwnCall").speaker)(X)


@section
def direct_call(it: Section) -> Any:
    """nn.Module.__call__, called as a function: all arguments by position."""
    model = network(it)
    return nn.Module.__call__(model, X), nn.Module.__call__(model, x=X), nn.Module.__call__(*(model, X))


@section
def many_names(it: Section) -> Any:
    """A call by keyword, by __call__ and through a bound method taken earlier."""
    model = network(it)
    bound = model.__call__
    return model(x=X), model.__call__(X), bound(X), list(map(model, [X]))


@section
def raising(it: Section) -> Any:
    """The traceback of a module that raises has no foreign frame; the next call is attributed as before."""
    model = network(it)
    try:
        model(torch.ones(3, 3))
    except RuntimeError:
        text = traceback.format_exc()
    model(X)
    return text


@section
def profiled(it: Section) -> Any:
    """cProfile counts the same calls of the same functions."""
    model = network(it)
    model(X)
    profile = cProfile.Profile()
    with profile:
        model(X)
    stats = pstats.Stats(profile).stats
    return sorted((name, calls) for (_, _, name), (calls, *_) in stats.items())


@section
def traced_calls(it: Section) -> Any:
    """The job's trace function sees the same functions begin and end."""
    model = network(it)
    seen: list[tuple[str, str]] = []

    def trace(frame: Any, event: str, _: Any) -> None:
        seen.append((event, frame.f_code.co_name))

    sys.setprofile(trace)
    try:
        model(X)
    finally:
        sys.setprofile(None)
    return seen


@section
def reference_counts(it: Section) -> Any:
    """A model is destroyed with its last reference, and nothing else keeps part of it alive."""
    model = network(it)
    model(X)
    dead: list[str] = []
    count = sys.getrefcount(model)
    weakref.finalize(model, dead.append, "model")
    del model
    return count, dead


@section
def what_is_visible(it: Section) -> Any:
    """The attributes that programs inspect are unchanged."""
    call = nn.Module.__call__
    return (
        call is nn.Module._wrapped_call_impl,
        type(call).__name__,
        call.__qualname__,
        str(inspect.signature(call)),
        hashlib.sha256(call.__code__.co_code).hexdigest(),
        [getattr(finder, "__name__", type(finder).__name__) for finder in sys.meta_path],
        threading.active_count(),
        sorted(name for name in sys.modules if "commtap" in name),
    )
