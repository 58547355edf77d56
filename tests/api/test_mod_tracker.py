# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""ModTracker: PyTorch's own tests, run on both implementations, and tests that only commtap's passes."""

import gc
import threading
import warnings
import weakref
from collections.abc import Callable
from copy import copy
from typing import Any

import pytest
import torch
from commtap import ModTracker
from torch import nn
from torch.distributed._tools.mod_tracker import ModTracker as Peer
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import DTensor, Replicate
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.utils.checkpoint import checkpoint

TRACKERS = [pytest.param(ModTracker, id="commtap"), pytest.param(Peer, id="torch")]
both = pytest.mark.parametrize("tracker_type", TRACKERS)


class Leaf(nn.Module):
    """Logs its position in forward and backward."""

    def __init__(self, note: Callable[[bool], None]) -> None:
        super().__init__()
        self.note = note

    def forward(self, x: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        hidden = x["a"].relu_()
        self.note(False)
        hidden.register_hook(lambda _: self.note(True))
        return {"a": torch.mm(hidden, hidden)}


class Nested(nn.Module):
    """A module with a direct child, one in a ModuleDict and one in a ModuleList."""

    def __init__(self, note: Callable[[bool], None]) -> None:
        super().__init__()
        self.a = Leaf(note)
        self.b = nn.ModuleDict({"nest": Leaf(note)})
        self.c = nn.ModuleList([Leaf(note)])

    def forward(self, x: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        return self.b["nest"](self.a(self.c[0](x)))


@both
def test_hierarchy(tracker_type: type) -> None:
    """Names pass through containers, in forward and backward, twice."""
    seen: dict[bool, list] = {False: [], True: []}
    tracker = tracker_type()
    model = Nested(lambda backward: seen[backward].append((copy(tracker.parents), tracker.is_bw)))
    with tracker:
        for _ in range(2):
            model({"a": torch.randn(10, 10, requires_grad=True).clone()})["a"].sum().backward()
    names = ["Nested.c.0", "Nested.a", "Nested.b.nest"]
    assert seen[False] == 2 * [({"Global", "Nested", name}, False) for name in names]
    assert seen[True] == 2 * [({"Global", "Nested", name}, True) for name in reversed(names)]


@both
def test_after_a_backward(tracker_type: type) -> None:
    """No module stays active after a backward, even if no input gradient marks its end."""
    with tracker_type() as tracker:
        nn.Linear(2, 2)(torch.rand(2, requires_grad=True)).sum().backward()
        assert not tracker.is_bw
        assert tracker.parents == {"Global"}
        nn.Linear(2, 2)(torch.rand(2)).sum().backward()
        assert tracker.parents == {"Global"}


class Bar(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.foo = nn.Linear(10, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.foo(x).relu_()


def recording_tracker(tracker_type: type) -> tuple[Any, list[tuple]]:
    """Returns a tracker whose four hooks log (hook, name, name is in parents, is_bw)."""
    tracker, calls = tracker_type(), []

    def note(hook: str, module: nn.Module | None) -> None:
        name = None if module is None else tracker.get_known_fqn(module)
        calls.append((hook, name, name in tracker.parents, tracker.is_bw))

    tracker.register_user_hooks(
        lambda module, _: note("pre_fw", module),
        lambda module, _, __: note("post_fw", module),
        lambda module, _: note("pre_bw", module),
        lambda module, _: note("post_bw", module),
    )
    return tracker, calls


FORWARD = [
    ("pre_fw", "Bar", True, False),
    ("pre_fw", "Bar.foo", True, False),
    ("post_fw", "Bar.foo", True, False),
    ("post_fw", "Bar", True, False),
]


@both
def test_user_hooks(tracker_type: type) -> None:
    """Hooks run in order, each can be set only once, and a destroyed module is None."""
    tracker, calls = recording_tracker(tracker_type)
    model = Bar()
    with tracker:
        model(torch.rand(10, 10, requires_grad=True)).sum().backward()
    assert calls == [
        *FORWARD,
        ("pre_bw", "Bar", True, True),
        ("pre_bw", "Bar.foo", True, True),
        ("post_bw", "Bar", True, True),
        ("post_bw", "Bar.foo", True, True),
    ]
    with pytest.raises(AssertionError):
        tracker.register_user_hooks(lambda module, args: None, None, None, None)
    calls.clear()
    with tracker:
        loss = model(torch.rand(10, 10, requires_grad=True)).sum()
        del model
        loss.backward()
    assert calls == [*FORWARD, *2 * [("pre_bw", None, False, True)], *2 * [("post_bw", None, False, True)]]
    tracker.clear_user_hooks()
    calls.clear()
    with tracker:
        Bar()(torch.rand(10, 10, requires_grad=True)).sum().backward()
    assert calls == []


def calls_under_tensor_parallelism(
    tracker_type: type, mesh: DeviceMesh, local: bool, dtensor: bool, grad: bool
) -> list:
    """Returns the hooks' calls of a step whose modules' own hooks replace inputs and outputs."""
    model = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 8))
    plan = {"0": ColwiseParallel(use_local_output=local), "2": RowwiseParallel(use_local_output=local)}
    parallelize_module(model, mesh, plan)
    x = torch.ones(4, 8, requires_grad=grad)
    tracker, calls = recording_tracker(tracker_type)
    with tracker:
        model(DTensor.from_local(x, mesh, [Replicate()]) if dtensor else x).sum().backward()
    assert all(not module._forward_hooks or len(module._forward_hooks) == 1 for module in model)
    return calls


@pytest.mark.parametrize("local", [False, True])
@pytest.mark.parametrize("dtensor", [False, True])
@pytest.mark.parametrize("grad", [False, True])
def test_names_and_order_under_tensor_parallelism(mesh: DeviceMesh, local: bool, dtensor: bool, grad: bool) -> None:
    """The hooks report the modules that PyTorch's report, in the same order, for DTensor outputs too."""
    ours, theirs = (calls_under_tensor_parallelism(each, mesh, local, dtensor, grad) for each in (ModTracker, Peer))
    assert ours == theirs


class Checkpointed(nn.Module):
    def __init__(self, layers: int, dim: int) -> None:
        super().__init__()
        self.linears = nn.ModuleList(nn.Linear(dim, dim) for _ in range(layers))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for i, block in enumerate(self.linears):
            x = checkpoint(block, x, preserve_rng_state=True, use_reentrant=False) if i else block(x)
            x = torch.relu(x)
        return x


@both
def test_activation_checkpointing(tracker_type: type) -> None:
    """A recomputation's hooks run inside the backward, with is_bw. A module without input gradients ends last."""
    tracker, calls = recording_tracker(tracker_type)
    model = Checkpointed(2, 8)
    with tracker:
        model(torch.randn(2, 8)).sum().backward()
    assert calls == [
        ("pre_fw", "Checkpointed", True, False),
        ("pre_fw", "Checkpointed.linears.0", True, False),
        ("post_fw", "Checkpointed.linears.0", True, False),
        ("pre_fw", "Checkpointed.linears.1", True, False),
        ("post_fw", "Checkpointed.linears.1", True, False),
        ("post_fw", "Checkpointed", True, False),
        ("pre_bw", "Checkpointed", True, True),
        ("pre_bw", "Checkpointed.linears.1", True, True),
        ("pre_fw", "Checkpointed.linears.1", True, True),
        ("post_fw", "Checkpointed.linears.1", True, True),
        ("post_bw", "Checkpointed.linears.1", True, True),
        ("pre_bw", "Checkpointed.linears.0", True, True),
        ("post_bw", "Checkpointed.linears.0", True, True),
        ("post_bw", "Checkpointed", True, True),
    ]


@both
def test_known_names(tracker_type: type) -> None:
    """A root's call makes its descendants known; a module that was never called is unknown."""
    model = Bar()
    with tracker_type() as tracker:
        assert tracker.get_known_fqn(model) is None
        model(torch.rand(10, 10))
    assert (tracker.get_known_fqn(model), tracker.get_known_fqn(model.foo)) == ("Bar", "Bar.foo")
    assert tracker.get_known_fqn(nn.Linear(1, 1)) is None


def test_hooks_get_arguments_and_gradients() -> None:
    """Hooks get PyTorch's objects: arguments as a tuple, gradients as from its multi-gradient hooks."""
    seen: dict[type, dict[str, Any]] = {}
    x = torch.ones(2, 3)
    for tracker_type in (ModTracker, Peer):
        got = seen[tracker_type] = {}
        tracker = tracker_type()
        tracker.register_user_hooks(
            lambda _, args, got=got: got.update(args=args),
            lambda _, args, output, got=got: got.update(output=output.shape),
            lambda _, grads, got=got: got.update(begins=[grad.shape for grad in grads]),
            lambda _, grads, got=got: got.update(ends=[[grad.shape for grad in each] for each in grads]),
        )
        given = x.clone().requires_grad_()
        with tracker:
            nn.Linear(3, 4)(given).sum().backward()
        assert got.pop("args") == (given,)
    assert (
        seen[ModTracker]
        == seen[Peer]
        == {
            "output": torch.Size([2, 4]),
            "begins": [torch.Size([2, 4])],
            "ends": [[torch.Size([2, 3])]],
        }
    )


def test_no_hook_is_left_on_a_leaf() -> None:
    """A tensor that is every step's input gains no hooks, and no hook fires in another step's backward."""
    tracker, calls = recording_tracker(ModTracker)
    model, x = nn.Linear(4, 4), torch.rand(2, 4, requires_grad=True)
    with tracker:
        for _ in range(5):
            model(x).sum().backward()
        loss = model(x).sum()
        assert len(x._backward_hooks) == 1
        del loss
        assert not x._backward_hooks
    assert [hook for hook, *_ in calls].count("post_bw") == 5


def test_a_model_dies_with_its_last_reference() -> None:
    """Graph, hooks and names keep no module alive, even without the garbage collector."""
    model = Bar()
    alive = weakref.ref(model)
    gc.disable()
    try:
        with ModTracker() as tracker:
            for _ in range(3):
                model(torch.rand(10, 10, requires_grad=True)).sum().backward()
            model(torch.rand(10, 10))  # a forward without its backward
            del model
            assert alive() is None
            assert tracker._backward._running == {}
    finally:
        gc.enable()


def test_one_module_twice_in_one_call_and_no_warning() -> None:
    """A module that calls itself works without the warning of PyTorch's tracker."""

    class Again(nn.Module):
        def forward(self, x: torch.Tensor, depth: int) -> torch.Tensor:
            inner = self(x, depth - 1) if depth else x
            assert tracker.parents == {"Global", "Again"}
            return inner * 2

    with ModTracker() as tracker, warnings.catch_warnings():
        warnings.simplefilter("error")
        Again()(torch.rand(2, requires_grad=True), 3).sum().backward()
        assert tracker.parents == {"Global"}


def test_an_exception_in_forward() -> None:
    """post_fw gets None, and the modules are left."""

    class Fails(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            raise ValueError("on purpose")

    outputs = []
    tracker = ModTracker()
    tracker.register_user_hooks(post_fw_hook=lambda _, __, output: outputs.append(output))
    with tracker:
        with pytest.raises(ValueError, match="on purpose"):
            nn.Sequential(Fails())(torch.rand(2))
        assert tracker.parents == {"Global"}
    assert outputs == [None, None]


def test_an_exception_in_a_hook_reaches_the_caller() -> None:
    """The exception reaches the caller, and no module stays active."""

    def fail(*_: object) -> None:
        raise ValueError("on purpose")

    for hook in ("pre_fw_hook", "post_fw_hook"):
        tracker = ModTracker()
        tracker.register_user_hooks(**{hook: fail})
        with tracker:
            with pytest.raises(ValueError, match="on purpose"):
                nn.Linear(2, 2)(torch.rand(2))
            assert tracker.parents == {"Global"}


def test_an_exception_in_backward() -> None:
    """The next forward starts with no active module."""

    class Fails(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            return x.clone()

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
            raise ValueError("on purpose")

    seen = []

    class Net(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            x = x * 2
            x.register_hook(lambda _: seen.append(tracker.parents))
            return x + 1

    x = torch.rand(2, requires_grad=True)
    with ModTracker() as tracker:
        failing = Fails.apply(nn.Sequential(nn.Linear(2, 2))(x)).sum()
        failing = nn.Sequential(nn.ReLU())(failing)
        with pytest.raises(ValueError, match="on purpose"):
            failing.backward()
        assert tracker.parents == {"Global"}
        Net()(x).sum().backward()
    assert seen == [{"Global", "Net"}]


def test_two_threads() -> None:
    """Each thread has its own active modules."""
    inside, checked = threading.Event(), threading.Event()

    class Waits(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            inside.set()
            assert checked.wait(30)
            return x

    with ModTracker() as tracker:
        other = threading.Thread(target=Waits(), args=(torch.rand(2),))
        other.start()
        assert inside.wait(30)
        assert tracker.parents == {"Global"}
        checked.set()
        other.join()


@pytest.mark.parametrize("use_reentrant", [True, False])
def test_names_in_a_recomputation(use_reentrant: bool) -> None:
    """Under both kinds of checkpointing the recomputed module is among the parents, in backward."""
    seen = []

    class Block(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            seen.append((tracker.parents, tracker.is_bw))
            return x.sin()

    block = Block()
    with ModTracker() as tracker:
        checkpoint(block, torch.rand(2, requires_grad=True), use_reentrant=use_reentrant).sum().backward()
        assert tracker.parents == {"Global"}
    assert seen == [({"Global", "Block"}, False), ({"Global", "Block"}, True)]


def test_compiled_modules_are_compiled_alike() -> None:
    """Compilation gives no warning of global hooks and one graph; the eager modules around it are still seen."""
    torch._dynamo.reset()
    graphs = []

    def backend(graph: torch.fx.GraphModule, _: Any) -> Callable:
        graphs.append(graph)
        return graph.forward

    model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    with ModTracker() as tracker, warnings.catch_warnings():
        warnings.simplefilter("error")
        tracker.register_user_hooks(pre_fw_hook=lambda module, _: seen.append(type(module).__name__))
        seen: list[str] = []
        torch.compile(model, backend=backend, fullgraph=True)(torch.rand(2))
        nn.Identity()(torch.rand(2))
    assert len(graphs) == 1
    assert seen[-1] == "Identity"
    assert not model[0]._forward_hooks
    torch._dynamo.reset()
