# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""commtap.module_calls: the tracker is observed while someone observes, and each observer gets each call."""

import sys
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from commtap import module_calls
from fake_native import FakeNative


class Observer:
    """Notes what it receives."""

    def __init__(self) -> None:
        self.received: list[tuple] = []

    def before_module(self, *call: Any) -> None:
        self.received.append(("before", *call))

    def after_module(self, *call: Any) -> None:
        self.received.append(("after", *call))


@pytest.fixture(autouse=True)
def no_observers(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No observer at the beginning."""
    monkeypatch.setattr(module_calls, "_observers", [])
    return


def test_the_tracker_is_observed_from_the_first_observer_to_the_last(library: FakeNative) -> None:
    first, second = Observer(), Observer()
    module_calls.add(first)
    assert library.calls == [("observe_modules", (id(module_calls._before), id(module_calls._after)))]
    module_calls.add(second)
    module_calls.remove(first)
    assert len(library.calls) == 1
    module_calls.remove(second)
    assert library.calls[1:] == [("observe_modules", (None, None))]
    module_calls.add(first)
    assert len(library.calls) == 3


def test_every_observer_gets_every_call(library: FakeNative) -> None:
    first, second = Observer(), Observer()
    module_calls.add(first)
    module_calls.add(second)
    module = torch.nn.ReLU()
    module_calls._before(module, (1,), {"x": 2})
    module_calls._after(module, (1,), None, 3)
    assert first.received == [("before", module, (1,), {"x": 2}), ("after", module, (1,), None, 3)]
    assert second.received == first.received


def test_an_observer_may_remove_itself(library: FakeNative) -> None:
    second = Observer()

    class Once(Observer):
        def before_module(self, *call: Any) -> None:
            module_calls.remove(self)

    module_calls.add(Once())
    module_calls.add(second)
    module_calls._before(torch.nn.ReLU(), (), None)
    assert len(second.received) == 1
    assert module_calls._observers == [second]


def test_an_exception_of_an_observer_reaches_the_caller(library: FakeNative) -> None:
    class Raises(Observer):
        def before_module(self, *call: Any) -> None:
            raise KeyError("mine")

    module_calls.add(Raises())
    with pytest.raises(KeyError, match="mine"):
        module_calls._before(torch.nn.ReLU(), (), None)


def test_a_call_that_a_compiler_traces_is_not_observed(library: FakeNative, monkeypatch: pytest.MonkeyPatch) -> None:
    observer = Observer()
    module_calls.add(observer)
    monkeypatch.setattr(torch.compiler, "is_compiling", lambda: True)
    module_calls._before(torch.nn.ReLU(), (), None)
    module_calls._after(torch.nn.ReLU(), (), None, None)
    assert observer.received == []


def test_a_process_without_the_module_hook(library: FakeNative) -> None:
    library.results["observe_modules"] = -2
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    with pytest.raises(
        RuntimeError, match=rf"expected the tracker's part for Python {python}: see the tracker's warning"
    ):
        module_calls.add(Observer())
    assert module_calls._observers == []
