# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The Python objects that ranks send each other, such as the shapes that one pipeline stage tells the next.

A fake group delivers nothing. So a rank writes the tensors that it sends inside of an object collective to files, and
the rank that receives them, planned later, reads them. The collectives themselves run unchanged and are counted.
"""

import collections
import contextlib
import functools
import inspect
import os
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch._subclasses.fake_tensor import unset_fake_temporarily
from torch.distributed import distributed_c10d as c10d

from commtap_plan.replacing import replace, replace_everywhere
from commtap_plan.settings import RankSettings
from commtap_plan.stops import ObjectMissing
from commtap_plan.torch_names import GATHER_FUNCTIONS, OBJECT_FUNCTIONS, STAGE_VOTES

_PAIR = "pair"


class Mail:
    """The objects of one rank."""

    def __init__(self, settings: RankSettings) -> None:
        self.folder = Path(settings.folder) / "objects"
        self.rank = settings.rank
        self.like = settings.like
        self.peers: set[int] = set()
        #: By the folder of a gathered object: the size of the largest one that was there.
        self.gathered: dict[str, int] = {}
        #: The objects of a group's ranks, while they are gathered.
        self.objects: list[bytes] = []
        self._numbers: collections.Counter[str] = collections.Counter()
        self._depth = 0

    @contextlib.contextmanager
    def open(self) -> Iterator[None]:
        """Tensors that are sent meanwhile are objects."""
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1

    @property
    def is_open(self) -> bool:
        return self._depth > 0

    def call(self, real: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Calls a function of c10d, which may come back here by its name: its tensors are delivered once."""
        depth, self._depth = self._depth, 0
        try:
            return real(*args, **kwargs)
        finally:
            self._depth = depth

    def _number(self, kind: str, source: int, destination: int) -> int:
        key = f"{kind}-{source}-{destination}"
        self._numbers[key] += 1
        return self._numbers[key]

    def _path(self, kind: str, source: int, destination: int, number: int) -> Path:
        return self.folder / f"{kind}-{source}-{destination}.{number}"

    def send(self, kind: str, destination: int, tensor: torch.Tensor) -> None:
        """Writes a tensor for a rank, or for the group whose first rank is `destination`."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self._path(kind, self.rank, destination, self._number(kind, self.rank, destination))
        partial = path.with_name(f"{path.name}.{os.getpid()}")
        torch.save(tensor.detach().cpu().clone(), partial)
        partial.rename(path)

    def exchange(self, ranks: list[int], data: bytes) -> list[bytes]:
        """Writes this rank's object for a group. Returns those of its ranks; this rank's for one not planned yet."""
        key = f"all-{len(ranks)}-{zlib.crc32(repr(ranks).encode()):08x}"
        self._numbers[key] += 1
        folder = self.folder / f"{key}.{self._numbers[key]}"
        folder.mkdir(parents=True, exist_ok=True)
        partial = folder / f"{self.rank}.{os.getpid()}"
        partial.write_bytes(data)
        partial.rename(folder / str(self.rank))
        found = {int(path.name): path.read_bytes() for path in folder.iterdir() if path.name.isdigit()}
        self.gathered[str(folder)] = max(map(len, found.values()))
        return [found.get(rank, data) for rank in ranks]

    def receive(self, kind: str, source: int, destination: int, tensor: torch.Tensor) -> None:
        """Reads the next tensor that `source` has sent."""
        number = self._number(kind, source, destination)
        path = self._path(kind, source, destination, number)
        if kind == _PAIR:  # an object for a whole group makes no stages
            self.peers.add(source)
        if not path.is_file() and self.like >= 0:
            # The ranks that are compared have the same neighbours, as far from them.
            shift = self.like - self.rank
            source += shift
            path = self._path(kind, source, destination + shift, number)
        if not path.is_file():
            raise ObjectMissing(f"rank {self.rank} needs an object that rank {source} sends", str(path), source)
        with torch.no_grad():
            tensor.copy_(torch.load(path, weights_only=True))


def _global(group: Any, source: Any, group_source: Any) -> int:
    if source is not None:
        return source
    return dist.get_global_rank(group or dist.group.WORLD, group_source or 0)


def _sending(mail: Mail, real: Callable[..., Any]) -> Callable[..., Any]:
    parameters = inspect.signature(real)

    @functools.wraps(real)
    def send(*args: Any, **kwargs: Any) -> Any:
        if mail.is_open:
            given = collections.defaultdict(lambda: None, parameters.bind(*args, **kwargs).arguments)
            destination = _global(given["group"], given["dst"], given["group_dst"])
            mail.send(_PAIR, destination, given["tensor"])
        return mail.call(real, *args, **kwargs)

    return send


def _receiving(mail: Mail, real: Callable[..., Any]) -> Callable[..., Any]:
    parameters = inspect.signature(real)

    @functools.wraps(real)
    def receive(*args: Any, **kwargs: Any) -> Any:
        result = mail.call(real, *args, **kwargs)
        if mail.is_open:
            given = collections.defaultdict(lambda: None, parameters.bind(*args, **kwargs).arguments)
            source = _global(given["group"], given["src"], given["group_src"])
            mail.receive(_PAIR, source, mail.rank, given["tensor"])
            return source
        return result

    return receive


def _batch(mail: Mail, real: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(real)
    def batch_isend_irecv(operations: list[Any]) -> Any:
        works = mail.call(real, operations)
        if mail.is_open:
            for operation in operations:
                peer = _global(operation.group, operation.peer, operation.group_peer)
                if operation.op.__name__ == "isend":
                    mail.send(_PAIR, peer, operation.tensor)
                else:
                    mail.receive(_PAIR, peer, mail.rank, operation.tensor)
        return works

    return batch_isend_irecv


def _from_one(mail: Mail, real: Callable[..., Any]) -> Callable[..., Any]:
    """broadcast() and scatter(): one rank of the group has what the others get."""
    parameters = inspect.signature(real)

    @functools.wraps(real)
    def collective(*args: Any, **kwargs: Any) -> Any:
        result = mail.call(real, *args, **kwargs)
        if not mail.is_open:
            return result
        given = collections.defaultdict(lambda: None, parameters.bind(*args, **kwargs).arguments)
        source = _global(given["group"], given["src"], given["group_src"])
        ranks = dist.get_process_group_ranks(given["group"] or dist.group.WORLD)
        kind = f"{real.__name__}-{len(ranks)}"
        parts = given["scatter_list"]
        is_scatter = real.__name__ == "scatter"
        if source != mail.rank:
            mail.receive(kind, source, mail.rank if is_scatter else ranks[0], given["tensor"])
        elif is_scatter:
            for rank, part in zip(ranks, parts, strict=True):
                mail.send(kind, rank, part)
        else:
            mail.send(kind, ranks[0], given["tensor"])
        return result

    return collective


def _opening(mail: Mail, real: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(real)
    def object_collective(*args: Any, **kwargs: Any) -> Any:
        with mail.open(), unset_fake_temporarily():
            return real(*args, **kwargs)

    return object_collective


def _gathering(mail: Mail, real: Callable[..., Any]) -> Callable[..., Any]:
    """all_gather_object() and gather_object(), which send as many bytes as the largest object of all ranks has."""
    parameters = inspect.signature(real)
    call = _opening(mail, real)

    @functools.wraps(real)
    def object_collective(*args: Any, **kwargs: Any) -> Any:
        given = collections.defaultdict(lambda: None, parameters.bind(*args, **kwargs).arguments)
        group = given["group"] or dist.group.WORLD
        if dist.get_rank(group) >= 0:
            with unset_fake_temporarily():
                data, _ = c10d._object_to_tensor(given["obj"], torch.device("cpu"), group)
                mail.objects = mail.exchange(dist.get_process_group_ranks(group), data.numpy().tobytes())
        try:
            return call(*args, **kwargs)
        finally:
            mail.objects = []

    return object_collective


def _gathered(mail: Mail, real: Callable[..., Any]) -> Callable[..., Any]:
    """all_gather() and gather(): first of the sizes of objects, then of their bytes."""
    parameters = inspect.signature(real)

    @functools.wraps(real)
    def collective(*args: Any, **kwargs: Any) -> Any:
        result = mail.call(real, *args, **kwargs)
        if mail.is_open and mail.objects:
            given = collections.defaultdict(lambda: None, parameters.bind(*args, **kwargs).arguments)
            for part, data in zip(given["tensor_list"] or given["gather_list"] or [], mail.objects, strict=False):
                if part.dtype == torch.uint8:
                    part[: len(data)] = torch.frombuffer(bytearray(data), dtype=torch.uint8)
                else:
                    part.fill_(len(data))
        return result

    return collective


def deliver_objects(settings: RankSettings) -> Mail:
    """Gives every object collective of this process the objects that other ranks of the plan have sent."""
    mail = Mail(settings)
    wrappers = {
        "send": _sending,
        "recv": _receiving,
        "batch_isend_irecv": _batch,
        "broadcast": _from_one,
        "scatter": _from_one,
        "all_gather": _gathered,
        "gather": _gathered,
        **dict.fromkeys(OBJECT_FUNCTIONS, _opening),
        **dict.fromkeys(GATHER_FUNCTIONS, _gathering),
    }
    for name, wrap in wrappers.items():
        replace_everywhere(c10d, name, wrap(mail, getattr(c10d, name)))
    from torch.distributed.pipelining import PipelineStage

    for name in STAGE_VOTES:
        if hasattr(PipelineStage, name):
            replace(PipelineStage, name, _opening(mail, getattr(PipelineStage, name)))
    return mail
