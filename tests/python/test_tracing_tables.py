# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""commtap.tracing_tables: the text and the tree, from facts that no model made."""

from types import SimpleNamespace
from typing import Any

import pytest
from commtap.operations import OperationLog
from commtap.tracing_tables import json_tree, module_table, tracing_table, without_color


def record(name: str, phase: str = "forward", shape: tuple = ()) -> dict[str, Any]:
    return {
        "name": name,
        "input_shape": [shape] if shape else [],
        "input_sharding": ["(Shard(0),)"] if shape else [],
        "device_mesh": "mesh" if shape else "",
        "is_bw": phase != "forward",
        "is_activation_checkpointing": phase == "recompute",
    }


@pytest.fixture
def modules() -> SimpleNamespace:
    """Global, Net in it, and Net.up in that; Net.up calls itself."""
    log = OperationLog()
    log.add("Net.up", record("aten.mm", shape=(2, 3)))
    log.add("Net.up", record("aten.neg"))
    log.add("Net.up", record("aten.add", "backward"))
    log.add("Net.up", record("aten.relu", "recompute"))
    return SimpleNamespace(
        log=log,
        module_depth_dict={"Global": 0, "Net": 1, "Net.up": 2},
        module_helper_dict={
            "Global": {"depth": 0},
            "Net": {"depth": 1, "module_type": "class 'Net'"},
            "Net.up": {"depth": 2, "module_type": "class 'Linear'", "parameters": {"weight": "(Shard(0),)"}},
        },
        parent_dict={"Global": ["Net"], "Net": ["Net.up"], "Net.up": ["Net.up"]},
    )


COUNTS = {
    "Global": {"forward": {"all_reduce": 2}, "backward": {"all_reduce": 1, "all_gather": 4}},
    "Net.up": {"forward": {"all_reduce": 2}},
}


def test_colors_are_removed() -> None:
    assert without_color("\033[1;33mall_reduce: 2\033[0m\n") == "all_reduce: 2\n"


def test_module_table(modules: SimpleNamespace) -> None:
    """Forward and backward are added up."""
    text = module_table(modules, COUNTS)
    assert "\033[1;33m" in text
    assert without_color(text) == (
        "Global\n  *all_reduce: 3\n  *all_gather: 4\n  Net\n    Net.up\n      *all_reduce: 2\n"
    )


def test_tracing_table_of_collectives(modules: SimpleNamespace) -> None:
    assert without_color(tracing_table(modules, COUNTS, 0)).splitlines() == [
        "Global",
        "  FORWARD PASS",
        "    *all_reduce: 2",
        "  BACKWARD PASS",
        "    *all_reduce: 1",
        "    *all_gather: 4",
        "    Net",
        "        Net.up",
        "          FORWARD PASS",
        "            *all_reduce: 2",
    ]


def test_tracing_table_of_dtensor_ops(modules: SimpleNamespace) -> None:
    """A pass keeps its title even if none of its ops is shown."""
    [_, of_module] = without_color(tracing_table(modules, COUNTS, 1)).split("        Net.up\n")
    assert of_module.splitlines() == [
        "        *module type: class 'Linear'",
        "        *Parameter List",
        "         *weight: (Shard(0),)",
        "          FORWARD PASS",
        "            *all_reduce: 2",
        "            **aten.mm",
        "              shape: [(2, 3)]",
        "              sharding: ['(Shard(0),)']",
        "              device mesh: mesh",
        "          BACKWARD PASS",
        "          ACTIVATION CHECKPOINTING",
    ]


def test_tracing_table_of_all_ops(modules: SimpleNamespace) -> None:
    text = without_color(tracing_table(modules, COUNTS, 2))
    for op in ("aten.mm", "aten.neg", "aten.add", "aten.relu"):
        assert text.count(f"**{op}\n") == 1
    assert text.index("BACKWARD PASS\n            **aten.add") < text.index("CHECKPOINTING\n            **aten.relu")


def test_json_tree(modules: SimpleNamespace) -> None:
    """A module that calls itself is not below itself."""
    tree = json_tree(modules, COUNTS, 2)
    assert (tree["fqn"], tree["module_type"], tree["parameters"]) == ("Global", "", [])
    assert tree["collectives_backward"] == [("all_reduce", 1), ("all_gather", 4)]
    [net] = tree["children"]
    [up] = net["children"]
    assert (net["fqn"], up["fqn"], up["children"]) == ("Net", "Net.up", [])
    assert up["parameters"] == [("weight", "(Shard(0),)")]
    assert up["collectives_forward"] == [("all_reduce", 2)]
    assert [each["name"] for each in up["operations_forward"]] == ["aten.mm", "aten.neg"]
    assert up["operations_forward"][0]["input_shape"] == ["(2, 3)"]
    assert [each["name"] for each in up["operations_backward"]] == ["aten.add"]
    assert [each["name"] for each in up["operations_checkpointing"]] == ["aten.relu"]


def test_json_tree_without_ops(modules: SimpleNamespace) -> None:
    [net] = json_tree(modules, COUNTS, 0)["children"]
    assert (net["module_type"], net["children"][0]["operations_forward"]) == ("", [])
