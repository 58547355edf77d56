# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Which ops ran in which module, kept small however often they run."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

import torch
from torch.distributed.tensor import DTensor

#: One op call, as PyTorch's CommDebugMode keeps it: name, input_shape, input_sharding, device_mesh, is_bw,
#: is_activation_checkpointing. The lists have one entry for each DTensor argument.
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
#: Records of one context. Ops outside of all modules make no round, so that something must bound them.
MAX_OPERATIONS = 100_000


def operation(func: Any, args: Iterable[Any], phase: str) -> Operation:
    """The record of a call of `func` in a phase of commtap's."""
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

    A round ends when a root module is called that was called in it before: a step. Of each distinct op a module keeps
    as many records as its busiest round had, so that one step is kept whole and a thousand equal steps take no more.
    """

    def __init__(self) -> None:
        #: Module name: {"operations_list": [...]}.
        self.by_module: dict[str, dict[str, list[Operation]]] = {}
        #: Records that did not fit.
        self.dropped = 0
        self._kept = 0
        self._most: defaultdict[str, Counter[tuple]] = defaultdict(Counter)
        self._this_round: defaultdict[str, Counter[tuple]] = defaultdict(Counter)
        self._roots: set[str] = set()

    def root_called(self, name: str) -> None:
        """A module is called inside of no other, in forward."""
        if name in self._roots:
            self._roots.clear()
            self._this_round.clear()
        self._roots.add(name)

    def add(self, module: str, record: Operation) -> None:
        """One op call inside `module`."""
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
    """Whether the tensors are fake or meta: nothing is communicated, and the tracker counts nothing."""
    from torch._subclasses.fake_tensor import FakeTensor

    leaves = torch.utils._pytree.tree_leaves(tuple(args))
    return any(isinstance(leaf, FakeTensor) or (isinstance(leaf, torch.Tensor) and leaf.is_meta) for leaf in leaves)


def shown(operations: Iterable[Operation], noise_level: int) -> list[Operation]:
    """Those that a noise level shows: 0 none; 1 those on DTensors; 2 all others too; 3 the trivial ones as well."""
    return [
        each
        for each in operations
        if noise_level > 2
        or (str(each["name"]) not in TRIVIAL_OPS and (noise_level == 2 or (noise_level == 1 and each["input_shape"])))
    ]


def by_pass(operations: Iterable[Operation]) -> tuple[list[Operation], list[Operation], list[Operation]]:
    """Forward, backward, and recomputation under activation checkpointing."""
    forward, backward, recomputed = [], [], []
    for each in operations:
        if each["is_activation_checkpointing"]:
            recomputed.append(each)
        else:
            (backward if each["is_bw"] else forward).append(each)
    return forward, backward, recomputed
