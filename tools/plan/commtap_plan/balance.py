# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""How many tokens go to which expert. Data decides it, so a plan does not know it.

Ranks tell each other their counts with an all_to_all of integers, and take the splits of the next one from what they
got. `--assume-balanced` takes every count for equal: it follows counts from where the script counts (`bincount`,
`histc`, `one_hot`, `scatter_add`) through views, sums and collectives to where it asks for their values. Without it the
values that a rank gets are -1, which no split can be, so that the script ends there.
"""

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch._subclasses.fake_tensor import unset_fake_temporarily
from torch.distributed import _functional_collectives as functional
from torch.distributed import distributed_c10d as c10d
from torch.nn import functional as nn
from torch.utils._python_dispatch import TorchDispatchMode

from commtap_plan import replacing, stops

#: The attribute of a tensor of counts: what each element is if all are equal.
_EACH = "_commtap_each"

_UNKNOWN = -1

_aten = torch.ops.aten
_c10d = torch.ops.c10d
_functional = torch.ops._c10d_functional

#: Each element of the result is an element of the first argument.
_SAME = {
    *(_aten.view.default, _aten._unsafe_view.default, _aten.reshape.default, _aten.clone.default, _aten.detach.default),
    *(_aten._to_copy.default, _aten.alias.default, _aten.t.default, _aten.transpose.int, _aten.permute.default),
    *(_aten.slice.Tensor, _aten.select.int, _aten.squeeze.dim, _aten.squeeze.default, _aten.unsqueeze.default),
    *(_aten.expand.default, _aten.flatten.using_ints, _aten.index.Tensor, _aten.index_select.default),
    *(_functional.all_to_all_single.default, _functional.all_gather_into_tensor.default),
    *(_functional.wait_tensor.default, _aten.max.default, _aten.min.default),
}
_SUMS = {_aten.sum.default, _aten.sum.dim_IntList}
#: The output is the first argument, the input the second.
_INTO = {_c10d.alltoall_base_.default, _c10d._allgather_base_.default, _aten.copy_.default}
_SCATTERS = {_aten.scatter_add.default, _aten.scatter_add_.default}


def _each(tensor: Any) -> float | None:
    return getattr(tensor, _EACH, None) if isinstance(tensor, torch.Tensor) else None


def _mark(tensor: Any, each: float) -> None:
    if isinstance(tensor, torch.Tensor):
        setattr(tensor, _EACH, each)


def equal_parts(each: float, number: int) -> list[int]:
    """Returns whole numbers as equal as possible; the first ones are larger by one."""
    total = round(each * number)
    least, more = divmod(total, max(number, 1))
    return [least + (i < more) for i in range(number)]


class Balanced(TorchDispatchMode):
    """Follows tensors of counts."""

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        del types
        kwargs = kwargs or {}
        if function is _aten.bincount.default:
            return self._bincount(function, args, kwargs)
        result = function(*args, **kwargs)
        self._follow(function, args, result)
        return result

    def _bincount(self, function: Any, args: Any, kwargs: Any) -> Any:
        values = args[0]
        length = kwargs.get("minlength", args[2] if len(args) > 2 else 0)
        is_fake = isinstance(values, torch._subclasses.FakeTensor)
        result = torch.zeros(length, dtype=torch.int64) if is_fake and length else function(*args, **kwargs)
        _mark(result, values.numel() / max(result.numel(), 1))
        return result

    def _follow(self, function: Any, args: Any, result: Any) -> None:
        if function is _aten.histc.default:
            _mark(result, args[0].numel() / max(result.numel(), 1))
        elif function in _SCATTERS and result.dim() == 1:
            _mark(result, args[2].numel() / max(result.numel(), 1))
        elif function in _INTO:
            each = _each(args[1])
            if each is not None:
                _mark(args[0], each)
        elif args and (each := _each(args[0])) is not None:
            if function in _SAME:
                _mark(result, each)
            elif function in _SUMS:
                _mark(result, each * args[0].numel() / max(result.numel(), 1))


def _one_hot(real: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(real)
    def one_hot(tensor: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
        result = real(tensor, *args, **kwargs)
        _mark(result, tensor.numel() / max(result.numel(), 1))
        return result

    return one_hot


def _value(notes: dict[str, None], real: Callable[..., Any], answer: Callable[[float, torch.Tensor], Any]) -> Any:
    """A method of a tensor that asks for its values."""

    @functools.wraps(real)
    def method(tensor: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
        each = _each(tensor)
        if each is None:
            return real(tensor, *args, **kwargs)
        notes[f"{stops.line_now()}: counts that data decides: taken for equal"] = None
        return answer(each, tensor)

    return method


def _nested(values: list[int], shape: torch.Size) -> Any:
    if len(shape) == 0:
        return values[0]
    if len(shape) == 1:
        return values
    part = len(values) // max(shape[0], 1)
    return [_nested(values[i * part : (i + 1) * part], shape[1:]) for i in range(shape[0])]


def _list(each: float, tensor: torch.Tensor) -> Any:
    return _nested(equal_parts(each, tensor.numel()), tensor.shape)


def _number(each: float, _: torch.Tensor) -> int:
    return round(each)


def _array(each: float, tensor: torch.Tensor) -> Any:
    with unset_fake_temporarily():
        return torch.tensor(_list(each, tensor)).numpy()


@contextlib.contextmanager
def balanced(notes: dict[str, None]) -> Iterator[None]:
    """Runs a block in which counts are equal. Adds to `notes` where the script asks for one."""
    owners = (torch.Tensor, torch._subclasses.FakeTensor)
    answers: dict[str, Callable[[float, torch.Tensor], Any]] = {
        **{"tolist": _list, "item": _number, "numpy": _array},
        **dict.fromkeys(("__int__", "__index__"), _number),
    }
    methods = [
        (owner, name, _value(notes, getattr(owner, name), answer))
        for owner in owners
        for name, answer in answers.items()
        if name in vars(owner) or owner is torch.Tensor
    ]
    with replacing.replaced([*methods, (nn, "one_hot", _one_hot(nn.one_hot))]), Balanced():
        yield


def _is_count(tensor: Any) -> bool:
    return isinstance(tensor, torch.Tensor) and not tensor.dtype.is_floating_point and not tensor.dtype.is_complex


def _forget(tensors: list[torch.Tensor], notes: dict[str, None]) -> None:
    for tensor in tensors:
        if _is_count(tensor) and _each(tensor) is None and not isinstance(tensor, torch._subclasses.FakeTensor):
            notes[f"{stops.line_now()}: counts of other ranks, which are not known: --assume-balanced"] = None
            with torch.no_grad():
                tensor.fill_(_UNKNOWN)


def _into(notes: dict[str, None], real: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(real)
    def all_to_all(output: Any, *args: Any, **kwargs: Any) -> Any:
        result = real(output, *args, **kwargs)
        _forget(output if isinstance(output, list) else [output], notes)
        return result

    return all_to_all


def _returned(notes: dict[str, None], real: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(real)
    def all_to_all(*args: Any, **kwargs: Any) -> Any:
        result = real(*args, **kwargs)
        _forget([result], notes)
        return result

    return all_to_all


def forget_counts(notes: dict[str, None]) -> None:
    """Replaces received counts by numbers that no split accepts. `notes` gets the line of the script."""
    for name in ("all_to_all_single", "all_to_all"):
        replacing.replace_everywhere(c10d, name, _into(notes, getattr(c10d, name)))
    all_to_all = _returned(notes, functional.all_to_all_single)
    replacing.replace_everywhere(functional, "all_to_all_single", all_to_all)
