# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""commtap.module_facts: what CommDebugMode knows of modules, and of those that were called before it."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from commtap.module_facts import CommModuleTracker
from fake_native import FakeNative

#: The tracker's modules before the context: id: (name, parent).
TREE = {0: (b"Global", 0), 3: (b"Net", 0), 4: (b"Net.up", 3), 5: (b"Net.up.act", 4)}


def place(module_id: int, phase: bytes = b"forward") -> SimpleNamespace:
    name, parent = TREE[module_id]
    return SimpleNamespace(module_id=module_id, parent_id=parent, module=name, phase=phase)


@pytest.fixture
def tracker(library: FakeNative) -> Iterator[CommModuleTracker]:
    library.results["info"] = lambda module_id: place(module_id) if module_id in TREE else None
    library.results["module_id"] = 100
    with CommModuleTracker() as made:
        yield made


def call(tracker: CommModuleTracker, module: torch.nn.Module, body: Any = None) -> None:
    tracker.before_module(module, (), None)
    if body is not None:
        body()
    tracker.after_module(module, (), None, None)


def test_a_context_begins_with_global_alone(tracker: CommModuleTracker) -> None:
    assert tracker.module_helper_dict == {"Global": {"depth": 0}}
    assert tracker.module_parents_dict == {"Global": set()}
    assert tracker.module_depth_dict == {"Global": 0}
    assert tracker.parent_list == ["Global"]
    assert tracker.register_forward_hook_handles == {}


def test_a_first_call_records_the_module(tracker: CommModuleTracker) -> None:
    model = torch.nn.Sequential(torch.nn.Linear(2, 1, bias=False))
    inside: list[list[str]] = []
    for _ in range(2):
        call(tracker, model, lambda: call(tracker, model[0], lambda: inside.append(tracker.parent_list)))
    assert inside == [["Global", "Sequential", "Sequential.0"]] * 2
    assert tracker.module_depth_dict == {"Global": 0, "Sequential": 1, "Sequential.0": 2}
    assert tracker.module_helper_dict["Sequential.0"] == {
        "depth": 2,
        "module_type": "class 'torch.nn.modules.linear.Linear'",
    }
    assert tracker.module_parents_dict["Sequential.0"] == {"Global", "Sequential", "Sequential.0"}
    assert tracker.parent_dict == {"Global": ["Sequential"], "Sequential": ["Sequential.0"]}
    assert list(tracker.module_parameters_dict) == ["Sequential.0"]
    assert tracker.module_parameters_dict["Sequential.0"]["weight"].shape == (1, 2)
    assert tracker.parent_list == ["Global"]
    assert set(tracker.register_forward_hook_handles) == {"Sequential", "Sequential.0"}


def test_placements_are_those_of_dtensors(tracker: CommModuleTracker, monkeypatch: pytest.MonkeyPatch) -> None:
    class Sharded(torch.Tensor):
        placements = ("Shard(0)",)

    monkeypatch.setattr("commtap.module_facts.DTensor", Sharded)
    model = torch.nn.Linear(2, 1)
    sharded = torch.ones(1, 2).as_subclass(Sharded)
    monkeypatch.setattr(model, "named_parameters", lambda recurse: [("weight", SimpleNamespace(data=sharded))])
    call(tracker, model)
    assert tracker.sharding_dict == {"Linear.weight": ("Shard(0)",)}
    assert tracker.module_helper_dict["Linear"]["parameters"] == {"weight": "('Shard(0)',)"}


def test_a_name_comes_from_the_context_or_else_from_the_tracker(tracker: CommModuleTracker) -> None:
    call(tracker, torch.nn.ReLU())
    assert tracker.name_of(100) == "ReLU"
    assert tracker.name_of(5) == "Net.up.act"
    assert tracker.module_parents_dict["Net.up.act"] == {"Global", "Net", "Net.up", "Net.up.act"}
    assert tracker.name_of(0) == "Global"
    assert tracker.name_of(99) == "Global"


def test_a_name_is_looked_up_once(tracker: CommModuleTracker, library: FakeNative) -> None:
    tracker.name_of(4)
    asked = len(library.calls)
    tracker.name_of(4)
    assert len(library.calls) == asked


def test_where_the_thread_is(tracker: CommModuleTracker, library: FakeNative) -> None:
    library.results["place"] = place(4)
    assert tracker.name == "Net.up"
    assert not tracker.activation_checkpointing
    library.results["place"] = place(4, b"recompute")
    assert tracker.activation_checkpointing


def test_a_new_context_forgets(tracker: CommModuleTracker) -> None:
    call(tracker, torch.nn.Linear(1, 1))
    tracker.log.add("Linear", {"name": "mm"})
    with tracker:
        assert tracker.module_helper_dict == {"Global": {"depth": 0}}
        assert tracker.module_parameters_dict == {}
        assert tracker.parent_dict == {}
        assert tracker.log.by_module == {}


def test_printed_facts(tracker: CommModuleTracker, capsys: pytest.CaptureFixture) -> None:
    tracker.sharding_dict["Net.weight"] = ("Shard(0)",)
    tracker.module_parameters_dict["Net"] = {"weight": 1}
    tracker.print_sharding_info()
    tracker.print_paramater_info()
    assert capsys.readouterr().out == "Net.weight: ('Shard(0)',)\n{'Net': {'weight': 1}}\n"
