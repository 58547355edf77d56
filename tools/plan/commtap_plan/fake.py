# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""A job whose tensors have shapes and no values: 70 B parameters on a laptop."""

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import torch
from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensorMode,
    unset_fake_temporarily,
)
from torch.nn.parallel import DistributedDataParallel
from torch.nn.utils import parametrizations
from torch.utils.data import DataLoader, dataloader

from commtap_plan import replacing, stops
from commtap_plan.shown import ShownFloat

#: What torch raises where it needs the values of a fake tensor.
DATA_ERRORS = (DataDependentOutputException, DynamicOutputShapeException)


def _has_values(tensor: torch.Tensor) -> bool:
    """Whether a tensor was made outside of the fake ones: a sample, or what a pipeline's stages agree about."""
    return type(tensor) in (torch.Tensor, torch.nn.Parameter)


def _is_fake(tensor: torch.Tensor) -> bool:
    """Whether a tensor, or this rank's part of a DTensor, has no values."""
    return isinstance(getattr(tensor, "_local_tensor", tensor), torch._subclasses.FakeTensor)


class StandIns:
    """Floats that are shown, in the place of values that fake tensors do not have."""

    def __init__(self, notes: dict[str, None]) -> None:
        self.notes = notes

    def _note(self, what: str) -> None:
        self.notes[f"{stops.line_now()}: {what}: a stand-in is shown"] = None

    def item(self, real: Callable[..., Any]) -> Callable[..., Any]:
        """`tensor.item()` of a float."""

        @functools.wraps(real)
        def item(tensor: torch.Tensor) -> Any:
            if _has_values(tensor):
                return _outside(real)(tensor)
            try:
                return real(tensor)
            except DATA_ERRORS:
                if not tensor.dtype.is_floating_point:
                    raise
                self._note("a float of a tensor")
                return ShownFloat()

        return item

    def number(self, real: Callable[..., Any]) -> Callable[..., Any]:
        """`float(tensor)`, which must be a plain float."""

        @functools.wraps(real)
        def number(tensor: torch.Tensor) -> float:
            if _has_values(tensor):
                return _outside(real)(tensor)
            try:
                return real(tensor)
            except DATA_ERRORS:
                self._note("a float of a tensor")
                return float.__add__(ShownFloat(), 0.0)

        return number

    def text(self, real: Callable[..., Any]) -> Callable[..., Any]:
        """`f"{tensor:.4f}"`."""

        @functools.wraps(real)
        def text(tensor: torch.Tensor, form: str) -> str:
            is_fake = isinstance(tensor, torch._subclasses.FakeTensor)
            if is_fake and tensor.dim() == 0:
                return format(tensor.item(), form)
            return real(tensor, form)

        return text


def _swap_tensors(real: Callable[..., Any]) -> Callable[..., Any]:
    """What `model.to()` calls. Torch refuses a tensor with weak references, and its fake mode keeps one of each."""

    @functools.wraps(real)
    def swap_tensors(one: torch.Tensor, other: torch.Tensor) -> None:
        if type(one) is not type(other) or not isinstance(one, torch._subclasses.FakeTensor):
            real(one, other)
            return
        one.__dict__, other.__dict__ = other.__dict__, one.__dict__
        torch._C._swap_tensor_impl(one, other)

    return swap_tensors


def _no_reducer(*_: Any, **__: Any) -> NoReturn:
    raise stops.DataDecides(
        "DistributedDataParallel reads the memory of its parameters, which fake tensors do not have: plan with --real"
    )


def _outside(real: Callable[..., Any]) -> Callable[..., Any]:
    """Runs a function with real tensors: of samples and of random numbers that choose them."""

    @functools.wraps(real)
    def outside(*args: Any, **kwargs: Any) -> Any:
        with unset_fake_temporarily():
            return real(*args, **kwargs)

    return outside


def _without_draws(real: Callable[..., Any]) -> Callable[..., Any]:
    """Replaces the loop of `torch.nn.init.trunc_normal_`, which draws until all values fit: fake tensors have none."""

    @functools.wraps(real)
    def fill(tensor: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
        return tensor if _is_fake(tensor) else real(tensor, *args, **kwargs)

    return fill


def _is_orthogonal(real: Callable[..., Any]) -> Callable[..., Any]:
    """Agrees to a fake matrix: `torch.nn.utils.parametrizations.orthogonal` has just made it."""

    @functools.wraps(real)
    def is_orthogonal(matrix: torch.Tensor, *args: Any, **kwargs: Any) -> bool:
        return _is_fake(matrix) or real(matrix, *args, **kwargs)

    return is_orthogonal


def keep_meshes_real() -> None:
    """Makes the ranks of device meshes, which are tensors, real ones: torch reads their values."""
    from torch.distributed import device_mesh

    mesh_class = device_mesh.DeviceMesh
    special = ("__init__", "__getitem__")
    for name, attribute in list(vars(mesh_class).items()):
        if name.startswith("__") and name not in special:
            continue
        if isinstance(attribute, property):
            replacing.replace(mesh_class, name, property(_outside(attribute.fget)))
        elif isinstance(attribute, staticmethod):
            replacing.replace(mesh_class, name, staticmethod(_outside(attribute.__func__)))
        elif callable(attribute) and not isinstance(attribute, type):
            replacing.replace(mesh_class, name, _outside(attribute))
    replacing.replace_everywhere(device_mesh, "init_device_mesh", _outside(device_mesh.init_device_mesh))


@contextlib.contextmanager
def fake_tensors(notes: dict[str, None]) -> Iterator[None]:
    """Runs a block with fake tensors. Adds to `notes` where the script shows a value that they do not have."""
    stand_ins = StandIns(notes)
    tensor = torch.Tensor
    replacements = [
        (tensor, "item", stand_ins.item(tensor.item)),
        (tensor, "__float__", stand_ins.number(tensor.__float__)),
        (tensor, "__format__", stand_ins.text(tensor.__format__)),
        (torch.utils, "swap_tensors", _swap_tensors(torch.utils.swap_tensors)),
        (torch.nn.init, "_no_grad_trunc_normal_", _without_draws(torch.nn.init._no_grad_trunc_normal_)),
        (parametrizations, "_is_orthogonal", _is_orthogonal(parametrizations._is_orthogonal)),
        (DistributedDataParallel, "__init__", _no_reducer),
        (DataLoader, "__iter__", _outside(DataLoader.__iter__)),
        (dataloader._BaseDataLoaderIter, "__next__", _outside(dataloader._BaseDataLoaderIter.__next__)),
    ]
    with replacing.replaced(replacements), FakeTensorMode(allow_non_fake_inputs=True):
        yield
