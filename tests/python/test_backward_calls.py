# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""commtap.backward_calls: where the backward of a module call begins and ends."""

import gc
from typing import Any

import pytest
import torch
from commtap.backward_calls import NO_TASK, BackwardCalls, Call, current_task, tensors_with_grad


class Double(torch.nn.Module):
    """A module without parameters."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2


class Tracked:
    """Calls modules as `ModTracker` does, and notes what its hooks receive."""

    def __init__(self) -> None:
        self.calls = BackwardCalls()
        self.seen: list[Any] = []
        self.calls.pre_hook = lambda module, grads: self.seen.append(("begin", module, len(grads)))
        self.calls.post_hook = lambda module, grads: self.seen.append(("end", module, len(grads)))

    def __call__(self, module: torch.nn.Module, x: torch.Tensor, name: str = "") -> torch.Tensor:
        call = Call(module, name or type(module).__name__)
        inputs = self.calls.watch_inputs(call, (x,))
        output = module(x)
        self.calls.watch_outputs(call, inputs, output)
        return output

    def order(self) -> list[tuple[str, Any]]:
        return [each[:2] for each in self.seen]


@pytest.fixture
def tracked() -> Tracked:
    return Tracked()


def test_no_backward_runs() -> None:
    assert current_task() == NO_TASK


def test_tensors_with_grad() -> None:
    with_grad, without = torch.ones(1, requires_grad=True), torch.ones(1)
    found = tensors_with_grad((without, [with_grad]), {"a": with_grad, "b": 3}, None)
    assert len(found) == 2
    assert all(each is with_grad for each in found)


def test_a_backward_begins_with_the_outputs_and_ends_with_the_inputs(tracked: Tracked) -> None:
    first, second = Double(), Double()
    leaf = torch.ones(2, requires_grad=True)
    y = tracked(second, tracked(first, leaf * 1) * 1)
    y.sum().backward()
    assert tracked.order() == [("begin", second), ("end", second), ("begin", first), ("end", first)]
    assert leaf.grad is not None
    assert leaf.grad.tolist() == [4, 4]


def test_a_tensor_between_two_calls_begins_the_one_before_it_ends_the_other(tracked: Tracked) -> None:
    """As in PyTorch, whose hooks run in the order in which they were registered."""
    first, second = Double(), Double()
    tracked(second, tracked(first, torch.ones(2, requires_grad=True) * 1)).sum().backward()
    assert tracked.order() == [("begin", second), ("begin", first), ("end", second), ("end", first)]


def test_a_call_whose_inputs_need_no_gradient_ends_with_the_backward(tracked: Tracked) -> None:
    outer, inner = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
    y = tracked(outer, torch.ones(2))
    z = tracked(inner, torch.ones(2))
    (y + z).sum().backward()
    order = tracked.order()
    assert {each[0] for each in order[:2]} == {"begin"}
    begun = [module for what, module in order[:2] if what == "begin"]
    assert order[2:] == [("end", module) for module in reversed(begun)]
    assert tracked.seen[-1][2] == 0


def test_the_modules_whose_backward_runs(tracked: Tracked) -> None:
    active: list[list[str]] = []
    x = torch.ones(2, requires_grad=True) * 1
    x.register_hook(lambda _: active.append(sorted(tracked.calls.active())))
    middle = tracked(Double(), x, "Net.first")
    middle.register_hook(lambda _: active.append(sorted(tracked.calls.active())))
    after = middle * 1
    after.register_hook(lambda _: active.append(sorted(tracked.calls.active())))
    tracked(Double(), after, "Net.second").sum().backward()
    assert active == [["Net.second"], ["Net.first"], ["Net.first"]]
    assert list(tracked.calls.active()) == []
    assert tracked.calls._running == {}


def test_each_backward_of_a_kept_graph_is_followed(tracked: Tracked) -> None:
    module = Double()
    y = tracked(module, torch.ones(2, requires_grad=True) * 1).sum()
    for _ in range(2):
        y.backward(retain_graph=True)
    assert tracked.order() == [("begin", module), ("end", module)] * 2


def test_a_call_without_a_backward_leaves_no_hook(tracked: Tracked) -> None:
    leaf = torch.ones(2, requires_grad=True)
    with torch.no_grad():
        tracked(Double(), leaf)
    assert not leaf._backward_hooks
    leaf.sum().backward()
    assert tracked.seen == []


def test_hooks_on_a_leaf_go_with_the_graph(tracked: Tracked) -> None:
    leaf = torch.ones(2, requires_grad=True)
    y = tracked(Double(), leaf)
    del y
    gc.collect()
    assert not leaf._backward_hooks
    leaf.sum().backward()
    assert tracked.seen == []


def test_a_gradient_of_a_leaf_that_belongs_to_another_graph(tracked: Tracked) -> None:
    leaf = torch.ones(2, requires_grad=True)
    y = tracked(Double(), leaf)
    leaf.sum().backward()
    assert tracked.seen == []
    y.sum().backward()
    assert [each[0] for each in tracked.seen] == ["begin", "end"]


def test_a_module_that_was_destroyed_before_its_backward(tracked: Tracked) -> None:
    y = tracked(Double(), torch.ones(2, requires_grad=True) * 1)
    gc.collect()
    y.sum().backward()
    assert tracked.order() == [("begin", None), ("end", None)]


def test_a_backward_that_fails_is_forgotten(tracked: Tracked) -> None:
    x = torch.ones(2, requires_grad=True) * 1

    def fail(_: torch.Tensor) -> None:
        raise ZeroDivisionError

    x.register_hook(fail)
    y = tracked(torch.nn.Identity(), tracked(Double(), x) * 1)
    with pytest.raises(ZeroDivisionError):
        y.sum().backward()
    tracked.calls.forget_failed()
    assert tracked.calls._running == {}
    assert list(tracked.calls.active()) == []
