# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""commtap.operations: records of ops, one step of them in full, and what each noise level shows."""

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from commtap import operations
from commtap.operations import OperationLog, by_pass, is_dry, operation, shown
from torch._subclasses.fake_tensor import FakeTensorMode


def record(name: str, phase: str = "forward", shape: tuple = ()) -> dict[str, Any]:
    return operation(name, (), phase) | {"input_shape": list(shape)}


@pytest.mark.parametrize(
    ("phase", "is_bw", "recomputed"),
    [("forward", False, False), ("backward", True, False), ("recompute", True, True), ("other", False, False)],
)
def test_a_record_tells_the_pass(phase: str, is_bw: bool, recomputed: bool) -> None:
    made = operation("aten.mm", (torch.ones(1), 3), phase)
    assert made == {
        "name": "aten.mm",
        "input_shape": [],
        "input_sharding": [],
        "device_mesh": "",
        "is_bw": is_bw,
        "is_activation_checkpointing": recomputed,
    }


def test_a_record_has_one_entry_per_dtensor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operations, "DTensor", SimpleNamespace)
    first = SimpleNamespace(shape=(2,), placements=("S0",), device_mesh="mesh A")
    second = SimpleNamespace(shape=(3,), placements=("R",), device_mesh="mesh B")
    made = operation("aten.mm", (first, 7, second), "forward")
    assert made["input_shape"] == [(2,), (3,)]
    assert made["input_sharding"] == [("S0",), ("R",)]
    assert made["device_mesh"] == "mesh B"


def names(log: OperationLog, module: str) -> list[str]:
    return [each["name"] for each in log.by_module.get(module, {"operations_list": []})["operations_list"]]


def test_equal_steps_are_kept_once() -> None:
    log = OperationLog()
    for _ in range(3):
        log.root_called("Net")
        for name in ("mm", "add", "mm"):
            log.add("Net", record(name))
    assert names(log, "Net") == ["mm", "add", "mm"]


def test_the_round_with_the_most_of_an_op_is_kept() -> None:
    log = OperationLog()
    for count in (1, 3, 2):
        log.root_called("Net")
        for _ in range(count):
            log.add("Net", record("mm"))
    assert names(log, "Net") == ["mm"] * 3


def test_two_roots_of_one_step_are_one_round() -> None:
    log = OperationLog()
    for _ in range(2):
        for root in ("Encoder", "Decoder"):
            log.root_called(root)
            log.add("Shared", record("mm"))
    assert names(log, "Shared") == ["mm", "mm"]


def test_records_that_differ_are_all_kept() -> None:
    log = OperationLog()
    for phase in ("forward", "backward", "forward"):
        log.root_called("Net")
        log.add("Net", record("mm", phase))
    assert len(names(log, "Net")) == 2


def test_records_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operations, "MAX_OPERATIONS", 3)
    log = OperationLog()
    for _ in range(5):
        log.add("Net", record("mm"))
    assert len(names(log, "Net")) == 3
    assert log.dropped == 2


def test_meta_and_fake_tensors_are_dry() -> None:
    with FakeTensorMode():
        fake = torch.ones(1)
    real, meta = torch.ones(1), torch.ones(1, device="meta")
    assert not is_dry([real, [real, 3], "text"])
    assert is_dry([real, meta])
    assert is_dry([real, {"nested": [fake]}])


def test_what_a_noise_level_shows() -> None:
    plain = record("aten.mm.default")
    on_dtensors = record("aten.add.Tensor", shape=((2,),))
    trivial = record("aten.detach.default", shape=((2,),))
    everything = [plain, on_dtensors, trivial]
    assert shown(everything, 0) == []
    assert shown(everything, 1) == [on_dtensors]
    assert shown(everything, 2) == [plain, on_dtensors]
    assert shown(everything, 3) == everything


def test_by_pass() -> None:
    forward, backward, recomputed = record("a"), record("b", "backward"), record("c", "recompute")
    assert by_pass([recomputed, forward, backward]) == ([forward], [backward], [recomputed])
