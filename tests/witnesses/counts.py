# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Reads the collectives of a process from commtap's report and from a profiler's trace, and compares them."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

#: The arguments that hold the payload, by op. Ops that the jobs do not call are absent: an unknown op is an error.
PAYLOAD = {
    "c10d._allgather_base_": "output_tensor",
    "c10d._reduce_scatter_base_": "input_tensor",
    "c10d.allgather_": "output_tensors",
    "c10d.allgather_into_tensor_coalesced_": "outputs",
    "c10d.allreduce_": "tensors",
    "c10d.allreduce_coalesced_": "tensors",
    "c10d.alltoall_": "input_tensors",
    "c10d.alltoall_base_": "input",
    "c10d.barrier": "",
    "c10d.broadcast_": "tensors",
    "c10d.gather_": "input_tensors",
    "c10d.monitored_barrier_": "",
    "c10d.recv_": "tensors",
    "c10d.recv_any_source_": "tensors",
    "c10d.reduce_": "tensors",
    "c10d.reduce_scatter_": "input_tensors",
    "c10d.reduce_scatter_tensor_coalesced_": "inputs",
    "c10d.scatter_": "output_tensors",
    "c10d.send": "tensors",
    "_c10d_functional.all_gather_into_tensor": "input",
    "_c10d_functional.all_reduce": "input",
    "_c10d_functional.all_reduce_": "input",
    "_c10d_functional.all_to_all_single": "input",
    "_c10d_functional.broadcast": "input",
    "_c10d_functional.reduce_scatter_tensor": "input",
}
#: Payload is one rank's part times the size of the group.
TIMES_GROUP = {"c10d.gather_", "c10d.scatter_", "_c10d_functional.all_gather_into_tensor"}
#: Events of these namespaces that communicate nothing.
NO_COLLECTIVES = {"_c10d_functional.wait_tensor", "_c10d_functional._wrap_tensor_autograd"}
NAMESPACES = ("c10d", "_c10d_functional")


@dataclass(frozen=True)
class Amount:
    """A number of collectives and their payload in bytes."""

    count: int = 0
    bytes: int = 0

    def __add__(self, other: "Amount") -> "Amount":
        return Amount(self.count + other.count, self.bytes + other.bytes)


#: By op.
Amounts = dict[str, Amount]


def total(amounts: Amounts) -> Amount:
    """Returns the sum over all ops."""
    return sum(amounts.values(), Amount())


def add(amounts: Amounts, op: str, amount: Amount) -> None:
    """Adds to an op's amount."""
    amounts[op] = amounts.get(op, Amount()) + amount


def reported(report: dict[str, Any], module: str | None = None) -> Amounts:
    """Returns the collectives of a report, or only those attributed to a module."""
    amounts: Amounts = {}
    for row in report["collectives"]:
        if module in (None, row["module"]):
            add(amounts, row["op"], Amount(row["count"], row["bytes"]))
    return amounts


def _bytes(value: Any, kind: str) -> int:
    """Returns the size of an argument: a tensor is [id, storage, offset, elements, size of an element, device]."""
    if kind.startswith("Tensor("):
        return value[3] * value[4]
    inner = kind.removeprefix("GenericList[").removesuffix("]")
    return sum(_bytes(item, part) for item, part in zip(value, _split(inner), strict=True)) if inner != kind else 0


def _split(kinds: str) -> list[str]:
    """Splits a list of types at the commas outside of brackets."""
    parts, depth = [""] if kinds else [], 0
    for character in kinds:
        depth += (character == "[") - (character == "]")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def _attribute(node: dict[str, Any], name: str) -> Any:
    [value] = [attribute["value"] for attribute in node["attrs"] if attribute["name"] == name]
    return value


def _argument_names(schema: str) -> list[str]:
    arguments = schema[schema.index("(") + 1 : schema.index(") ->")]
    return [argument.split("=")[0].split()[-1] for argument in arguments.split(", ") if argument != "*"]


def _payload(op: str, node: dict[str, Any], world_size: int) -> int:
    if not PAYLOAD[op]:
        return 0
    names = _argument_names(_attribute(node, "op_schema"))
    values = node["inputs"]["values"]
    position = names.index(PAYLOAD[op])
    size = _bytes(values[position], node["inputs"]["types"][position])
    if op not in TIMES_GROUP:
        return size
    # A trace does not show the ranks of a process group's object, and the jobs gather on groups of all ranks only.
    return size * (values[names.index("group_size")] if "group_size" in names else world_size)


def traced(trace: dict[str, Any], world_size: int) -> Amounts:
    """Returns the collectives of a trace: a functional op's c10d op, which it calls, is not another collective."""
    amounts: Amounts = {}
    for op, node in _outermost_collectives(trace["nodes"]):
        add(amounts, op, Amount(1, _payload(op, node, world_size)))
    return amounts


def _outermost_collectives(nodes: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields each collective that no other collective called.

    Ids are in the order in which events begin, nodes in the order in which they end. So an event contains the earlier
    nodes of its thread that have a higher id. The parent, `ctrl_deps`, can be an event that has already ended, so it is
    not used: a `gloo:*` event ends on another thread, and the observer then pops the wrong event off the first's stack.
    """
    first_ids: dict[int, int] = {}
    for node in reversed(nodes):
        op = node["name"].replace("::", ".")
        if op.partition(".")[0] not in NAMESPACES or op in NO_COLLECTIVES:
            continue
        thread = _attribute(node, "tid")
        if node["id"] < first_ids.get(thread, node["id"] + 1):
            first_ids[thread] = node["id"]
            yield op, node


def differences(commtap: Amounts, profiler: Amounts) -> list[str]:
    """Returns one line for each op whose count or bytes differ."""
    return [
        f"{op}: commtap {commtap.get(op, Amount())}, profiler {profiler.get(op, Amount())}"
        for op in sorted({*commtap, *profiler})
        if commtap.get(op) != profiler.get(op)
    ]


def absent(ops: Iterable[str], amounts: Amounts) -> list[str]:
    """Returns one line for each op that was not issued."""
    return [f"no {op}" for op in ops if op not in amounts]


def read(path: Path) -> dict[str, Any]:
    """Reads a JSON file."""
    return json.loads(path.read_text(encoding="utf-8"))
