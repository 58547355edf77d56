# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the tables and the JSON tree of `CommDebugMode` in PyTorch's format, which scripts and its page read."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from commtap.module_facts import CommModuleTracker
from commtap.operations import Operation, by_pass, shown

_YELLOW = "\033[1;33m"
_RED = "\033[1;31m"
_RESET = "\033[0m"

#: Module: {"forward": {op: count}, "backward": {op: count}}, inclusive.
ModuleCounts = Mapping[str, Mapping[str, Mapping[Any, int]]]


def without_color(text: str) -> str:
    """Returns the text without ANSI escape sequences."""
    return re.sub(r"\x1B\[[0-?]*[ -/]*[@-~]", "", text)


def module_table(modules: CommModuleTracker, counts: ModuleCounts) -> str:
    """Returns PyTorch 2.4's table: each module's collectives, forward and backward added up."""
    lines = []
    for name, depth in modules.module_depth_dict.items():
        lines.append(f"{'  ' * depth}{name}\n")
        for op, count in _both_passes(counts.get(name, {})).items():
            lines.append(f"{_YELLOW}{'  ' * (depth + 1)}*{op}: {count}{_RESET}\n")
    return "".join(lines)


def _both_passes(counts: Mapping[str, Mapping[Any, int]]) -> dict[Any, int]:
    total: dict[Any, int] = {}
    for ops in counts.values():
        for op, count in ops.items():
            total[op] = total.get(op, 0) + count
    return total


def _operations(modules: CommModuleTracker, name: str) -> tuple[list[Operation], ...]:
    return by_pass(modules.log.by_module.get(name, {"operations_list": []})["operations_list"])


def tracing_table(modules: CommModuleTracker, counts: ModuleCounts, noise_level: int) -> str:
    """Returns the table of collectives by module and pass. Above noise level 0, adds types, placements and ops."""
    lines = []
    for name, facts in modules.module_helper_dict.items():
        indent = "  " * (2 * facts["depth"])
        lines.append(f"{indent}{name}\n")
        if noise_level > 0:
            lines += _module_lines(facts, indent)
        lines += _pass_lines(modules, counts, name, noise_level)
    return "".join(lines)


def _module_lines(facts: Mapping[str, Any], indent: str) -> Iterable[str]:
    if "module_type" in facts:
        yield f"{indent}*module type: {facts['module_type']}\n"
    if "parameters" in facts:
        yield f"{indent}*Parameter List\n"
        for parameter, placement in facts["parameters"].items():
            yield f"{indent} *{parameter}: {placement}\n"


def _pass_lines(modules: CommModuleTracker, counts: ModuleCounts, name: str, noise_level: int) -> Iterable[str]:
    depth = modules.module_helper_dict[name]["depth"]
    of_module = counts.get(name, {})
    collectives = (of_module.get("forward", {}), of_module.get("backward", {}), {})
    titles = ("FORWARD PASS", "BACKWARD PASS", "ACTIVATION CHECKPOINTING")
    for title, ops, operations in zip(titles, collectives, _operations(modules, name), strict=True):
        # A pass has its title even if the noise level shows none of its ops.
        if not ops and not (operations and noise_level > 0):
            continue
        yield f"{'  ' * (2 * depth + 1)}{title}\n"
        for op, count in ops.items():
            yield f"{_YELLOW}{'  ' * (2 * depth + 2)}*{op}: {count}{_RESET}\n"
        for operation in shown(operations, noise_level):
            yield from _operation_lines(operation, depth)


def _operation_lines(operation: Operation, depth: int) -> Iterable[str]:
    yield f"{_YELLOW}{'  ' * (2 * depth + 2)}**{operation['name']}{_RESET}\n"
    if operation["input_shape"]:
        indent = "  " * (2 * depth + 3)
        yield f"{_RED}{indent}shape: {operation['input_shape']}{_RESET}\n"
        yield f"{_RED}{indent}sharding: {operation['input_sharding']}{_RESET}\n"
        yield f"{_RED}{indent}device mesh: {operation['device_mesh']}{_RESET}\n"


def json_tree(modules: CommModuleTracker, counts: ModuleCounts, noise_level: int) -> dict[str, Any]:
    """Returns the tree, with Global as its root."""
    return _json_node(modules, counts, noise_level, "Global", ())


def _json_node(
    modules: CommModuleTracker, counts: ModuleCounts, noise_level: int, name: str, above: tuple[str, ...]
) -> dict[str, Any]:
    facts = modules.module_helper_dict[name] if noise_level > 0 else {}
    of_module = counts.get(name, {})
    forward, backward, recomputed = (
        [_json_operation(each) for each in shown(operations, noise_level)] for operations in _operations(modules, name)
    )
    path = (*above, name)
    children = [child for child in modules.parent_dict.get(name, []) if child not in path]  # a module may call itself
    return {
        "fqn": name,
        "module_type": facts.get("module_type", ""),
        "parameters": list(facts.get("parameters", {}).items()),
        "children": [_json_node(modules, counts, noise_level, child, path) for child in children],
        "collectives_forward": [(str(op), count) for op, count in of_module.get("forward", {}).items()],
        "collectives_backward": [(str(op), count) for op, count in of_module.get("backward", {}).items()],
        "operations_forward": forward,
        "operations_backward": backward,
        "operations_checkpointing": recomputed,
    }


def _json_operation(operation: Operation) -> dict[str, Any]:
    return {
        **operation,
        "name": str(operation["name"]),
        "input_shape": [str(shape) for shape in operation["input_shape"]],
        "input_sharding": [str(placements) for placements in operation["input_sharding"]],
    }
