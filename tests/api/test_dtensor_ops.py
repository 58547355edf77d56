# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""DTensor ops in every combination of placements communicate as PyTorch's CommDebugMode counts, op by op."""

from typing import Any

import pytest
import torch
from commtap import CommDebugMode
from dtensor_harness import WORLD_SIZE, ShardedArguments, fake_world, on_threads
from dtensor_ops import Op, all_ops
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import DTensor
from torch.distributed.tensor.debug import CommDebugMode as Peer

OPS = {op.name: op for op in all_ops()}
#: The minimum number of communicating (name, placements): with fewer, the comparison shows nothing.
LEAST_COMMUNICATING = 100


def counted(mode: Any) -> dict[str, int]:
    """Returns counts by the op's name."""
    return {str(op): count for op, count in mode.get_comm_counts().items() if count}


def compare(mesh: DeviceMesh, op: Op) -> dict[tuple, dict[str, int]]:
    """Returns, by placements, the equal counts of both modes for the op and for gathering its result.

    An op may fail, because DTensor has no rule for it or the fake collectives left its indices wrong. Then both modes
    must count the same up to the failure.
    """
    seen = {}
    for placements, args, kwargs in ShardedArguments(mesh, op.args, op.kwargs):
        with CommDebugMode() as ours, Peer() as peer:
            try:
                output = op.call(*args, **kwargs)
                output = output[0] if isinstance(output, tuple) else output
                output.full_tensor()
            except (NotImplementedError, RuntimeError, IndexError):
                pass
        assert counted(ours) == counted(peer), (op.name, placements)
        assert ours.get_total_counts() == peer.get_total_counts()
        seen[placements] = counted(ours)
    return seen


@pytest.mark.parametrize("rank", [0, WORLD_SIZE - 1])
def test_every_op_and_sharding(rank: int) -> None:
    """All ops have equal counts on the first and on the last rank."""
    with fake_world(rank) as mesh:
        seen = {(name, *key): found for name, op in OPS.items() for key, found in compare(mesh, op).items()}
    assert len(seen) > 2 * LEAST_COMMUNICATING
    assert sum(1 for found in seen.values() if found) > LEAST_COMMUNICATING
    kinds = {name for found in seen.values() for name in found}
    assert {"c10d_functional.all_gather_into_tensor", "c10d_functional.all_reduce"} <= kinds


@pytest.mark.parametrize("name", ["mm", "linear", "sum", "mean_dim", "mul", "softmax", "layer_norm", "transpose"])
def test_gradients(mesh: DeviceMesh, name: str) -> None:
    """Counts are equal in forward and backward of the sum of the gathered output."""
    op = OPS[name]
    floating = [arg.requires_grad_() if torch.is_tensor(arg) and arg.is_floating_point() else arg for arg in op.args]
    for placements, args, kwargs in ShardedArguments(mesh, tuple(floating), op.kwargs):
        with CommDebugMode() as ours, Peer() as peer:
            op.call(*args, **kwargs).full_tensor().sum().backward()
        assert counted(ours) == counted(peer), (name, placements)
        for which in ("forward", "backward"):
            assert ours.comm_module_counts["Global"][which] == peer.comm_module_counts["Global"][which]


@pytest.mark.parametrize("name", ["mm", "linear", "sum_dim", "add", "softmax", "embedding", "transpose", "cat"])
def test_results_and_counts_on_four_threads(name: str) -> None:
    """Each rank is a thread of this process with its own contexts, which count only its calls; results are right."""
    op = OPS[name]
    expected = op.call(*op.args, **op.kwargs)

    def body(mesh: DeviceMesh) -> dict[tuple, dict[str, int]]:
        seen = {}
        for placements, args, kwargs in ShardedArguments(mesh, op.args, op.kwargs):
            with CommDebugMode() as ours, Peer() as peer:
                output = op.call(*args, **kwargs)
                whole = output.full_tensor() if isinstance(output, DTensor) else output
            assert counted(ours) == counted(peer), (name, placements)
            torch.testing.assert_close(whole, expected)
            seen[placements] = counted(ours)
        return seen

    first, *others = on_threads(body)
    assert first
    assert all(other == first for other in others)
