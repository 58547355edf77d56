# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the comparison of commtap's counts with a profiler's."""

from typing import Any

import pytest
from counts import Amount, absent, differences, reported, total, traced

GROUP = "__torch__.torch.classes.c10d.ProcessGroup process_group"
FLOATS = [12, 13, 0, 15, 4, "cpu"]


def node(number: int, above: int, name: str, schema: str, values: list[Any], types: list[str]) -> dict[str, Any]:
    """Returns an event as ExecutionTraceObserver writes it: a trace has the event that ends first in front."""
    return {
        "id": number,
        "ctrl_deps": above,
        "name": name,
        "inputs": {"values": values, "types": types},
        "attrs": [{"name": "tid", "value": 1}, {"name": "op_schema", "value": f"{name}({schema}) -> Tensor"}],
    }


def test_a_functional_op_counts_once() -> None:
    """The c10d op that a functional op calls is not another collective; the size of its group counts."""
    schema = "Tensor input, int group_size, Any group_name"
    coalesced = f"Tensor[] outputs, Tensor[] inputs, {GROUP}, bool async_op=True"
    nodes = [
        node(
            4,
            3,
            "c10d::allgather_into_tensor_coalesced_",
            coalesced,
            [[FLOATS], [FLOATS], "<Object>", True],
            ["GenericList[Tensor(float)]", "GenericList[Tensor(float)]", "Object", "Bool"],
        ),
        node(3, 2, "_c10d_functional::all_gather_into_tensor", schema, [FLOATS, 2, "0"], ["Tensor(float)", "Int", "S"]),
        node(2, 1, "aten::add", "Tensor self", [FLOATS], ["Tensor(float)"]),
        node(5, 1, "_c10d_functional::wait_tensor", "Tensor tensor", [FLOATS], ["Tensor(float)"]),
        node(1, 1, "[pytorch|profiler|execution_trace|process]", "", [], []),
    ]
    assert traced({"nodes": nodes}, 2) == {"_c10d_functional.all_gather_into_tensor": Amount(1, 120)}


def test_a_parent_that_has_ended() -> None:
    """A collective counts although the trace names the one before it as its parent: Gloo's event ended in between."""
    schema, types = f"Tensor[] tensors, {GROUP}", ["GenericList[Tensor(float)]", "Object"]
    nodes = [
        node(2, 1, "c10d::allreduce_", schema, [[FLOATS], "<Object>"], types),
        node(4, 2, "c10d::allreduce_", schema, [[FLOATS], "<Object>"], types),
        node(5, 1, "gloo:all_reduce", "", [], []),
        node(3, 2, "gloo:all_reduce", "", [], []),
    ]
    assert traced({"nodes": nodes}, 2) == {"c10d.allreduce_": Amount(2, 120)}


def test_payload_of_nested_lists_and_of_a_gather() -> None:
    """Lists of lists add up; a gather's payload is this rank's part times the ranks; a barrier has none."""
    lists = ["GenericList[GenericList[Tensor(float),Tensor(double)]]", "GenericList[Tensor(float)]", "Object"]
    doubles = [1, 2, 0, 3, 8, "cpu"]
    schema = f"Tensor[][] output_tensors, Tensor[] input_tensors, {GROUP}, bool async_op=True"
    values = [[[FLOATS, doubles]], [FLOATS], "<Object>"]
    nodes = [
        node(2, 1, "c10d::allgather_", schema, values, lists),
        node(3, 1, "c10d::gather_", schema, values, lists),
        node(4, 1, "c10d::barrier", f"Tensor tensor, {GROUP}", [doubles, "<Object>"], ["Tensor(double)", "Object"]),
    ]
    assert traced({"nodes": nodes}, 2) == {
        "c10d.allgather_": Amount(1, 84),
        "c10d.gather_": Amount(1, 120),
        "c10d.barrier": Amount(1, 0),
    }


def test_an_unknown_op_is_an_error() -> None:
    """A collective without a payload rule is never left out in silence."""
    with pytest.raises(KeyError, match=r"c10d\.novelty_"):
        traced({"nodes": [node(2, 1, "c10d::novelty_", "Tensor tensor", [FLOATS], ["Tensor(float)"])]}, 2)


def test_rows_of_a_report_and_differences() -> None:
    """Rows of an op add up, also those of one module, and a difference in either number is named."""
    rows = [
        {"op": "c10d.allreduce_", "module": "Net", "count": 2, "bytes": 8},
        {"op": "c10d.allreduce_", "module": "Global", "count": 1, "bytes": 4},
        {"op": "c10d.barrier", "module": "Global", "count": 1, "bytes": 0},
    ]
    amounts = reported({"collectives": rows})
    assert amounts == {"c10d.allreduce_": Amount(3, 12), "c10d.barrier": Amount(1, 0)}
    assert total(reported({"collectives": rows}, "Global")) == Amount(2, 4)
    assert differences(amounts, dict(amounts)) == []
    [fewer_bytes, absent] = differences(amounts, {"c10d.allreduce_": Amount(3, 8)})
    assert fewer_bytes.startswith(
        "c10d.allreduce_: commtap Amount(count=3, bytes=12), profiler Amount(count=3, bytes=8)"
    )
    assert absent == "c10d.barrier: commtap Amount(count=1, bytes=0), profiler Amount(count=0, bytes=0)"


def test_an_op_that_a_job_must_issue() -> None:
    """A job that trains otherwise than its name says is no witness of that."""
    amounts = {"c10d.allreduce_": Amount(3, 12)}
    assert absent(["c10d.allreduce_"], amounts) == []
    assert absent(["c10d.allreduce_", "c10d._reduce_scatter_base_"], amounts) == ["no c10d._reduce_scatter_base_"]
