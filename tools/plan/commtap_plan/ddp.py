# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Futures of collectives on a fake group. DistributedDataParallel takes its gradients from them.

The future of a fake collective has no tensors, so DDP's own reduction fails. It runs as a communication hook that does
the same, and hooks of the user get futures with the tensors that they gave.
"""

import functools
from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed import distributed_c10d as c10d
from torch.nn.parallel import DistributedDataParallel

from commtap_plan.replacing import replace, replace_everywhere


class PlannedWork:
    """The Work of a fake collective, with a future that has the collective's tensors."""

    def __init__(self, work: Any, tensors: list[torch.Tensor]) -> None:
        self._work = work
        self._tensors = tensors

    def __getattr__(self, name: str) -> Any:
        return getattr(self._work, name)

    def get_future(self) -> torch.futures.Future[list[torch.Tensor]]:
        future: torch.futures.Future[list[torch.Tensor]] = torch.futures.Future()
        future.set_result(self._tensors)
        return future

    def result(self) -> list[torch.Tensor]:
        return self._tensors


def _with_future(real: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(real)
    def collective(tensor: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
        work = real(tensor, *args, **kwargs)
        return work if work is None else PlannedWork(work, [tensor])

    return collective


def _reduce(group: Any, bucket: Any) -> torch.futures.Future[torch.Tensor]:
    """What DDP does without a hook."""
    tensor = bucket.buffer().div_(dist.get_world_size(group))
    c10d.all_reduce(tensor, group=group, async_op=True)
    future: torch.futures.Future[torch.Tensor] = torch.futures.Future()
    future.set_result(tensor)
    return future


def _reduce_as(dtype: torch.dtype) -> Callable[[Any, Any], torch.futures.Future[torch.Tensor]]:
    """What DDP's built-in hook does that sends another type."""

    def hook(group: Any, bucket: Any) -> torch.futures.Future[torch.Tensor]:
        compressed = bucket.buffer().to(dtype).div_(dist.get_world_size(group))
        c10d.all_reduce(compressed, group=group, async_op=True)
        bucket.buffer().copy_(compressed)
        future: torch.futures.Future[torch.Tensor] = torch.futures.Future()
        future.set_result(bucket.buffer())
        return future

    return hook


def _register_builtin(reducer: Any, kind: Any) -> None:
    hook = _reduce_as(torch.float16) if "FP16" in str(kind) else _reduce
    dist._register_comm_hook(reducer, dist.group.WORLD, hook)


def _with_default_hook(real: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(real)
    def pre_forward(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not self._comm_hooks and not getattr(self, "_commtap_plan_hook", False):
            self._commtap_plan_hook = True
            dist._register_comm_hook(self.reducer, self.process_group, _reduce)
        return real(self, *args, **kwargs)

    return pre_forward


def give_futures() -> None:
    """Makes DDP and communication hooks work on fake groups."""
    for name in ("all_reduce", "broadcast", "reduce"):
        replace_everywhere(c10d, name, _with_future(getattr(c10d, name)))
    pre_forward = _with_default_hook(DistributedDataParallel._pre_forward)
    replace(DistributedDataParallel, "_pre_forward", pre_forward)
    replace_everywhere(dist, "_register_builtin_comm_hook", _register_builtin)
