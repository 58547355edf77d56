# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Sections around dispatching: modes, tensor subclasses, transforms, custom ops."""

import re
from typing import Any

import torch
import torch.distributed as dist
from sections import Section, network, section
from torch import library
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.distributed.tensor.debug import CommDebugMode
from torch.overrides import TorchFunctionMode
from torch.testing._internal.two_tensor import TwoTensor
from torch.utils._python_dispatch import TorchDispatchMode, return_and_correct_aliasing
from torch.utils.flop_counter import FlopCounterMode

X = torch.ones(2, 4)


@section
def torch_profiler(it: Section) -> Any:
    """The profiler records the same events equally often, collectives included."""
    model = network(it)
    with torch.profiler.profile(record_shapes=True, with_stack=True) as profiler:
        model(X.clone().requires_grad_()).sum().backward()
    return sorted((re.sub("0x[0-9a-f]+", "", event.key), event.count) for event in profiler.key_averages())


@section
def comm_debug_mode(it: Section) -> Any:
    """PyTorch's CommDebugMode in the same job counts the same."""
    model = network(it)
    with CommDebugMode() as mode:
        model(X)
        it.note()
        it.functional(X)
    return {str(op): count for op, count in mode.get_comm_counts().items() if count}


@section
def fake_tensors(it: Section) -> Any:
    """A dry run communicates nothing."""
    model = torch.nn.Linear(4, 4)
    with FakeTensorMode(allow_non_fake_inputs=True):
        y = it.functional(model(torch.empty(8, 4)))
    return list(y.shape), type(y).__name__


class OpLog(TorchDispatchMode):
    """A mode of the job that logs every op."""

    def __init__(self) -> None:
        super().__init__()
        self.ops: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        self.ops.append(str(func))
        return func(*args, **(kwargs or {}))


@section
def dispatch_mode(it: Section) -> Any:
    """The job's dispatch mode sees the same ops in the same order."""
    model = network(it)
    with OpLog() as log:
        y = model(X.clone().requires_grad_())
        y.sum().backward()
        it.note()
        it.functional(X)
    return log.ops


class FunctionLog(TorchFunctionMode):
    """A mode of the job that logs every torch function."""

    def __init__(self) -> None:
        super().__init__()
        self.functions: list[str] = []

    def __torch_function__(self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        self.functions.append(getattr(func, "__name__", str(func)))
        return func(*args, **(kwargs or {}))


@section
def function_mode(it: Section) -> Any:
    """The job's function mode sees the same calls."""
    model = network(it)
    with FunctionLog() as log:
        model(X)
    return log.functions


@section
def flop_counter(it: Section) -> Any:
    """FlopCounterMode counts the same FLOPs by module, which it finds by module hooks."""
    model = network(it)
    with FlopCounterMode(display=False) as counter:
        model(X)
    return {name: {str(op): n for op, n in ops.items()} for name, ops in counter.get_flop_counts().items()}


class Wrapped(torch.Tensor):
    """A subclass that unwraps its tensor, runs the op, and wraps the result."""

    @staticmethod
    def __new__(cls, inner: torch.Tensor) -> "Wrapped":
        made = torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)
        made.inner = inner
        return made

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        unwrap = lambda value: value.inner if isinstance(value, Wrapped) else value  # noqa: E731
        args, kwargs = torch.utils._pytree.tree_map(unwrap, (args, kwargs or {}))
        return torch.utils._pytree.tree_map_only(torch.Tensor, Wrapped, func(*args, **kwargs))


class Tagged(torch.Tensor):
    """A subclass with its own data, which dispatches below itself."""

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        with torch._C._DisableTorchDispatch():
            out = func(*args, **(kwargs or {}))
        return return_and_correct_aliasing(func, args, kwargs or {}, out)


@section
def subclass_that_wraps(it: Section) -> Any:
    """A collective on a wrapper counts once, as the inner tensor's."""
    it.note()
    return it.functional(Wrapped(X)).inner


@section
def subclass_of_two(it: Section) -> Any:
    """PyTorch's TwoTensor subclass runs each op once per inner tensor."""
    it.note()
    it.note()
    y = it.functional(TwoTensor(X.clone(), 2 * X))
    return y.a, y.b


@section
def subclass_with_data(it: Section) -> Any:
    """The subclass itself holds the data."""
    it.note()
    y = it.functional(X.clone().as_subclass(Tagged))
    return y.as_subclass(torch.Tensor)


@section
def subclass_with_function(it: Section) -> Any:
    """A subclass with only __torch_function__, in place."""
    it.note()

    class Noted(torch.Tensor):
        pass

    value = X.clone().as_subclass(Noted)
    dist.all_reduce(value, group=it.group)
    return type(value).__name__, value.as_subclass(torch.Tensor)


@section
def transforms(it: Section) -> Any:
    """grad, vmap, jvp and jacrev of a module called through functional_call."""
    model = network(it)
    parameters = dict(model.named_parameters())

    def loss(values: dict[str, torch.Tensor], x: torch.Tensor) -> torch.Tensor:
        return torch.func.functional_call(model.speaker.layer, values, (x,)).square().sum()

    values = {name.rpartition(".")[2]: value.detach() for name, value in parameters.items()}
    gradient = torch.func.grad(loss)(values, X)
    each = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0))(values, X)
    jacobian = torch.func.jacrev(loss)(values, X)
    _, tangent = torch.func.jvp(lambda x: loss(values, x), (X,), (X,))
    return gradient, each, jacobian, tangent


@section
def vmap_of_a_collective(it: Section) -> Any:
    """A collective without a batching rule runs once per item."""
    for _ in X:
        it.note()
    return torch.func.vmap(it.functional)(X)


@section
def gradient_of_a_collective(it: Section) -> Any:
    """torch.func.grad through a functional collective."""
    try:
        y = torch.func.grad(lambda x: it.functional(x).sum())(X)
    except Exception as error:
        return repr(error)
    it.note()
    return y


@section
def autocast(it: Section) -> Any:
    """Dtypes and values under autocast; a collective is not one of its ops."""
    model = network(it)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = model(X)
        it.note()
        z = it.functional(y)
    y.sum().backward()
    return y, z, model.speaker.layer.weight.grad


@section
def inference_mode(it: Section) -> Any:
    """Inference tensors, no_grad, and leaving both."""
    model = network(it)
    with torch.inference_mode():
        y = model(X)
        it.all_reduce(y)
        it.note()
        z = it.functional(y)
    with torch.no_grad():
        w = model(X)
    return y.is_inference(), z.is_inference(), y, w, model(X).requires_grad


@section
def saved_tensor_hooks(it: Section) -> Any:
    """Offloading hooks see the same tensors."""
    seen: list[list[int]] = []

    def pack(value: torch.Tensor) -> torch.Tensor:
        seen.append(list(value.shape))
        return value

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda value: value):
        network(it)(X.clone().requires_grad_()).sum().backward()
    return seen


@section
def late_custom_op(it: Section) -> Any:
    """A custom op defined after other ops have run, which communicates inside."""

    @library.custom_op("neighbours::late", mutates_args=())
    def late(x: torch.Tensor) -> torch.Tensor:
        value = x.clone()
        dist.all_reduce(value, group=it.group)
        return value

    class Late(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.compile(lambda value: late(value) + 1, backend="aot_eager", fullgraph=True)(x)

    late.register_fake(torch.empty_like)
    it.note()
    it.note("Late")
    return late(X), Late()(X)


@section
def late_collective_op(it: Section) -> Any:
    """A library's own collective op, named in COMMTAP_OPS: defined late, removed, redefined with other arguments."""
    outputs = []
    for schema, place in (
        ("talk(Tensor x, str group_name) -> Tensor", 0),
        ("talk(str group_name, Tensor x) -> Tensor", 1),
    ):
        with library._scoped_library("neighbours_late", "DEF") as late:
            late.define(schema)
            late.impl("talk", lambda *args, at=place: args[at] * 2, "CPU")
            arguments = [torch.ones(2, 4), it.group.group_name]
            it.note()
            outputs.append(torch.ops.neighbours_late.talk(*(arguments if place == 0 else arguments[::-1])))
    return outputs
