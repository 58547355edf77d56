# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Process groups without a network: every backend is torch's `fake`, every store lies in memory."""

import dataclasses
import functools
import importlib
import inspect
import os
import socket
import sys
from collections.abc import Callable
from typing import Any

import torch.distributed as dist
from torch.distributed import distributed_c10d as c10d

from commtap_plan.replacing import from_torch, replace, replace_everywhere
from commtap_plan.settings import RankSettings

FAKE = "fake"

#: The description of a process group and its ranks.
MadeGroup = tuple[str, list[int]]


def _fake_group(options: Any, _: Any) -> Any:
    from torch._C._distributed_c10d import FakeProcessGroup

    own = FakeProcessGroup.Options()
    own.global_ranks_in_group = options.global_ranks_in_group
    own.group_name = options.group_id
    return FakeProcessGroup._create_internal(options.group_rank, options.group_size, own)


def _register_fake_backend() -> None:
    """The backend of torch's own tests, with the ranks of the group, which the report has."""
    importlib.import_module("torch.testing._internal.distributed.fake_pg")

    dist.Backend._plugins[FAKE.upper()] = dist.Backend._plugins[FAKE.upper()]._replace(creator_fn=_fake_group)


class AskedBackends:
    """The backends that the script asked for, by the names of their groups."""

    def __init__(self) -> None:
        self.default = "undefined"  # what torch says of a group made without a backend
        self._by_name: dict[str, str] = {}

    def note(self, group: Any, backend: Any) -> None:
        if isinstance(group, dist.ProcessGroup):
            self._by_name[group.group_name] = self.default if backend in (None, FAKE) else str(backend).lower()

    def asks_for_nccl(self) -> bool:
        return "nccl" in self.default

    def get_backend(self) -> Callable[..., Any]:
        """A script that chooses by the backend does so in the plan as in the job.

        Torch itself must see the fake one: it would go on with NCCL's or Gloo's own calls.
        """
        real = c10d.get_backend

        @functools.wraps(real)
        def get_backend(group: Any = None) -> Any:
            backend = real(group)
            if from_torch(sys._getframe(1)):
                return backend
            return dist.Backend(self._by_name.get((group or dist.group.WORLD).group_name, backend))

        return get_backend


def _init_process_group(settings: RankSettings, asked: AskedBackends) -> Callable[..., None]:
    real = c10d.init_process_group
    parameters = inspect.signature(real)

    @functools.wraps(real)
    def init_process_group(*args: Any, **kwargs: Any) -> None:
        given = parameters.bind(*args, **kwargs).arguments
        asked.default = str(given.get("backend") or asked.default).lower()
        kept = {name: given[name] for name in ("timeout", "group_name") if name in given}
        store = dist.HashStore()
        real(backend=FAKE, store=store, world_size=settings.world_size, rank=settings.rank, **kept)

    return init_process_group


def _new_process_group_helper(made: list[MadeGroup], asked: AskedBackends) -> Callable[..., Any]:
    real = c10d._new_process_group_helper
    parameters = inspect.signature(real)

    @functools.wraps(real)
    def helper(*args: Any, **kwargs: Any) -> Any:
        bound = parameters.bind(*args, **kwargs)
        # Every rank makes the groups that have a number for their name; only its members make any other.
        if str(bound.arguments["group_name"]).isdigit():
            made.append((bound.arguments.get("group_desc") or "", list(bound.arguments["global_ranks_in_group"])))
        backend = bound.arguments["backend"]
        bound.arguments["backend"] = dist.Backend(FAKE)
        for name in ("backend_options", "device_id"):
            if name in bound.arguments:
                bound.arguments[name] = None
        group, store = real(*bound.args, **bound.kwargs)
        asked.note(group, backend)
        return group, store

    return helper


def _store(*_: Any, **__: Any) -> dist.Store:
    return dist.HashStore()


def _split_group(real: Callable[..., Any]) -> Callable[..., Any]:
    """split_group() needs a backend that splits: the same groups come from new_group()."""

    @functools.wraps(real)
    def split_group(
        parent_pg: Any = None,
        split_ranks: Any = None,
        timeout: Any = None,
        pg_options: Any = None,
        group_desc: Any = None,
        **_: Any,
    ) -> Any:
        del pg_options
        parent = dist.get_process_group_ranks(parent_pg or dist.group.WORLD)
        mine = None
        for ranks in split_ranks or []:
            group = dist.new_group([parent[rank] for rank in ranks], timeout=timeout, group_desc=group_desc)
            mine = group if dist.get_rank() in (parent[rank] for rank in ranks) else mine
        return mine

    return split_group


def _forbid_network() -> None:
    """A plan is made without a cluster: whatever connects is something that the plan does not know."""

    def audit(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "socket.connect" and arguments[0].family in (socket.AF_INET, socket.AF_INET6):
            raise ConnectionRefusedError(
                f"commtap plan makes no network connections: the script connects to {arguments[1]}; "
                "give it what it needs as files, or leave the connection out if COMMTAP_PLAN is set"
            )

    sys.addaudithook(audit)


@dataclasses.dataclass
class Groups:
    """The process groups of this process.

    Attributes:
        made: each group that all ranks make, with or without this rank; the default group without ranks.
        asked: the backends that the script asked for.
    """

    made: list[MadeGroup] = dataclasses.field(default_factory=list)
    asked: AskedBackends = dataclasses.field(default_factory=AskedBackends)


def without_network(settings: RankSettings) -> Groups:
    """Makes every process group of this process a fake one of the planned size."""
    groups = Groups()
    made, asked = groups.made, groups.asked
    _forbid_network()
    os.environ.pop("TORCH_DISTRIBUTED_USE_TORCHCOMMS", None)
    os.environ.pop("TORCH_DIST_INIT_BARRIER", None)
    _register_fake_backend()
    replace_everywhere(c10d, "init_process_group", _init_process_group(settings, asked))
    replace_everywhere(c10d, "_new_process_group_helper", _new_process_group_helper(made, asked))
    replace_everywhere(c10d, "split_group", _split_group(c10d.split_group))
    replace_everywhere(c10d, "get_backend", asked.get_backend())
    for store in ("TCPStore", "FileStore"):
        replace_everywhere(dist, store, _store)
    replace(dist, "monitored_barrier", lambda group=None, *_, **__: dist.barrier(group))
    return groups
