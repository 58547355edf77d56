# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Records which ops ran in which module. Repeated steps take no more memory."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

import torch
from torch.distributed.tensor import DTensor

#: The record of one op call, as in PyTorch's CommDebugMode: name, input_shape, input_sharding, device_mesh, is_bw,
#: is_activation_checkpointing. Each list has one entry per DTensor argument.
Operation = dict[str, Any]

TRIVIAL_OPS = frozenset(
    {
        "aten.detach.default",
        "aten.t.default",
        "aten.view.default",
        "aten._to_copy.default",
        "aten.as_strided.default",
        "aten.transpose.int",
    }
)
#: The maximum number of records per context. Ops outside all modules form no round, so only this bounds them.
MAX_OPERATIONS = 100_000


def operation(func: Any, args: Iterable[Any], phase: str) -> Operation:
    """Returns the record of a call of `func` in one of commtap's phases."""
    tensors = [arg for arg in args if isinstance(arg, DTensor)]
    return {
        "name": func,
        "input_shape": [tensor.shape for tensor in tensors],
        "input_sharding": [tensor.placements for tensor in tensors],
        "device_mesh": str(tensors[-1].device_mesh) if tensors else "",
        "is_bw": phase in ("backward", "recompute"),
        "is_activation_checkpointing": phase == "recompute",
    }


def _key(record: Operation) -> tuple:
    return tuple(tuple(value) if isinstance(value, list) else value for value in record.values())


class OperationLog:
    """Ops by module, in order.

    A round is one step: it ends when a root module is called that was already called in it. For each distinct op, a
    module keeps the records of the round with the most of them. So one step is kept in full, and equal steps add none.
    """

    def __init__(self) -> None:
        #: Module name: {"operations_list": [...]}.
        self.by_module: dict[str, dict[str, list[Operation]]] = {}
        #: The number of records dropped at the maximum.
        self.dropped = 0
        self._kept = 0
        self._most: defaultdict[str, Counter[tuple]] = defaultdict(Counter)
        self._this_round: defaultdict[str, Counter[tuple]] = defaultdict(Counter)
        self._roots: set[str] = set()

    def root_called(self, name: str) -> None:
        """Notes the forward call of a root module, one that no other module calls."""
        if name in self._roots:
            self._roots.clear()
            self._this_round.clear()
        self._roots.add(name)

    def add(self, module: str, record: Operation) -> None:
        """Adds the record of one op call inside `module`."""
        key = _key(record)
        self._this_round[module][key] += 1
        if self._this_round[module][key] <= self._most[module][key]:
            return
        if self._kept == MAX_OPERATIONS:
            self.dropped += 1
            return
        self._most[module][key] += 1
        self._kept += 1
        self.by_module.setdefault(module, {"operations_list": []})["operations_list"].append(record)


def is_dry(args: Iterable[Any]) -> bool:
    """Returns whether a tensor is fake or meta. Such calls communicate nothing, and the tracker does not count them."""
    from torch._subclasses.fake_tensor import FakeTensor

    leaves = torch.utils._pytree.tree_leaves(tuple(args))
    return any(isinstance(leaf, FakeTensor) or (isinstance(leaf, torch.Tensor) and leaf.is_meta) for leaf in leaves)


def shown(operations: Iterable[Operation], noise_level: int) -> list[Operation]:
    """Returns the ops that a noise level shows: 0 none; 1 those on DTensors; 2 all but the trivial; 3 all."""
    return [
        each
        for each in operations
        if noise_level > 2
        or (str(each["name"]) not in TRIVIAL_OPS and (noise_level == 2 or (noise_level == 1 and each["input_shape"])))
    ]


def by_pass(operations: Iterable[Operation]) -> tuple[list[Operation], list[Operation], list[Operation]]:
    """Splits ops into those of forward, of backward, and of recomputation under activation checkpointing."""
    forward, backward, recomputed = [], [], []
    for each in operations:
        if each["is_activation_checkpointing"]:
            recomputed.append(each)
        else:
            (backward if each["is_bw"] else forward).append(each)
    return forward, backward, recomputed
