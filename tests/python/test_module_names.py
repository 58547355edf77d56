# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""commtap.module_names: PyTorch's names of modules, without holding any."""

import gc
import weakref

import torch
from commtap.module_names import ModuleNames


def test_a_root_names_its_children() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(1, 1), torch.nn.Sequential(torch.nn.ReLU()))
    names = ModuleNames()
    assert names.known(model) is None
    assert names.of(model) == "Sequential"
    assert names.known(model[0]) == "Sequential.0"
    assert names.of(model[1][0]) == "Sequential.1.0"


def test_a_child_that_is_called_first_is_renamed_by_its_parent() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(1, 1))
    names = ModuleNames()
    assert names.of(model[0]) == "Linear"
    names.of(model)
    assert names.of(model[0]) == "Sequential.0"


def test_two_roots_of_one_class_share_a_name() -> None:
    names = ModuleNames()
    assert [names.of(torch.nn.ReLU()) for _ in range(2)] == ["ReLU", "ReLU"]


def test_a_child_that_is_added_after_the_first_call_is_a_root() -> None:
    model = torch.nn.Sequential()
    names = ModuleNames()
    names.of(model)
    model.append(torch.nn.ReLU())
    names.of(model)
    assert names.of(model[0]) == "ReLU"


def test_no_module_is_held() -> None:
    names = ModuleNames()
    model = torch.nn.Sequential(torch.nn.Linear(1, 1))
    names.of(model)
    alive = weakref.ref(model)
    del model
    gc.collect()
    assert alive() is None
    assert len(names._names) == 0
