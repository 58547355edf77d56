# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs ranks without processes, and iterates over all ways to shard an op's arguments.

Follows PyTorch's own helpers for DTensor tests: a mesh of four, and a converter that turns an op's arguments into
DTensors in every combination of placements.
"""

import contextlib
import itertools
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.tensor import Placement, Replicate, Shard, distribute_tensor
from torch.testing._internal.distributed.fake_pg import FakeStore
from torch.utils._pytree import tree_flatten, tree_unflatten

REPOSITORY = Path(__file__).resolve().parents[2]
WORLD_SIZE = 4


@contextlib.contextmanager
def fake_world(rank: int = 0, size: int = WORLD_SIZE) -> Iterator[DeviceMesh]:
    """Joins a world of `size` ranks as `rank`, on the fake backend, whose collectives do nothing. Yields its mesh."""
    dist.init_process_group("fake", rank=rank, world_size=size, store=FakeStore())
    try:
        yield init_device_mesh("cpu", (size,), mesh_dim_names=("tp",))
    finally:
        dist.destroy_process_group()


def on_threads(body: Callable[[DeviceMesh], Any], size: int = WORLD_SIZE) -> list[Any]:
    """Runs `body` on one thread per rank, with real collectives between the threads. Returns the results by rank."""
    from torch.testing._internal.distributed.multi_threaded_pg import (
        ProcessLocalGroup,
        _install_threaded_pg,
        _uninstall_threaded_pg,
    )

    world = _install_threaded_pg()
    store = dist.HashStore()
    results: list[Any] = [None] * size
    errors: list[BaseException] = []

    def run(rank: int) -> None:
        try:
            dist.init_process_group("threaded", rank=rank, world_size=size, store=store)
            results[rank] = body(init_device_mesh("cpu", (size,)))
        except BaseException as error:
            errors.append(error)
            ProcessLocalGroup.exception_handle(error)
        finally:
            with contextlib.suppress(Exception):
                dist.destroy_process_group()

    torch._C._distributed_c10d._set_thread_isolation_mode(True)
    try:
        threads = [threading.Thread(target=run, args=(rank,)) for rank in range(size)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        torch._C._distributed_c10d._set_thread_isolation_mode(False)
        _uninstall_threaded_pg()
        ProcessLocalGroup.reset()
    del world
    if errors:
        raise errors[0]
    return results


def placements_for(tensor: torch.Tensor, mesh_size: int) -> list[Placement]:
    """Returns Replicate and each Shard that divides evenly. Booleans only replicate: no collective takes them."""
    if tensor.dtype == torch.bool:
        return [Replicate()]
    return [Replicate()] + [Shard(i) for i, n in enumerate(tensor.shape) if n > 1 and n % mesh_size == 0]


class ShardedArguments:
    """Iterates over all combinations as (placements, args, kwargs), with tensors as DTensors on `mesh`."""

    def __init__(self, mesh: DeviceMesh, args: tuple, kwargs: dict[str, Any]) -> None:
        self.mesh = mesh
        self.leaves, self.spec = tree_flatten((args, kwargs))
        tensors = [leaf for leaf in self.leaves if isinstance(leaf, torch.Tensor)]
        self.choices = list(itertools.product(*(placements_for(tensor, mesh.size()) for tensor in tensors)))

    def __len__(self) -> int:
        return len(self.choices)

    def __iter__(self) -> Iterator[tuple[tuple[Placement, ...], tuple, dict[str, Any]]]:
        for placements in self.choices:
            remaining = iter(placements)
            leaves = [
                distribute_tensor(leaf, self.mesh, [next(remaining)]) if isinstance(leaf, torch.Tensor) else leaf
                for leaf in self.leaves
            ]
            args, kwargs = tree_unflatten(leaves, self.spec)
            yield placements, args, kwargs
