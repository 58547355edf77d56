# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Which ranks of a job are alike, from its device mesh, so that one of them is planned for all.

Three ranks are planned first: the first one of the mesh, the one in the middle of every dimension, and the last one. If
they communicate alike, no dimension makes a difference. Otherwise the first, middle and last rank of each dimension are
compared. In a dimension where they differ, the first and last rank stand for themselves, and the middle one for all
between. Every pipeline stage is planned.
"""

import dataclasses
import functools
import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any

Coordinate = tuple[int, ...]


@dataclasses.dataclass(frozen=True)
class Mesh:
    """The ranks of a job as an array."""

    names: tuple[str, ...]
    shape: tuple[int, ...]
    ranks: tuple[int, ...]  #: in the order of the array

    def rank(self, coordinate: Coordinate) -> int:
        index = 0
        for size, at in zip(self.shape, coordinate, strict=True):
            index = index * size + at
        return self.ranks[index]

    @functools.cached_property
    def coordinates(self) -> dict[int, Coordinate]:
        return dict(zip(self.ranks, itertools.product(*map(range, self.shape)), strict=True))


def _shape(ranks: Any) -> tuple[int, ...]:
    return (len(ranks), *_shape(ranks[0])) if isinstance(ranks, list) and ranks else ()


def _flat(ranks: Any) -> Iterator[int]:
    if isinstance(ranks, list):
        for each in ranks:
            yield from _flat(each)
    else:
        yield ranks


def mesh_of(ranks: Any, names: Iterable[str] = ()) -> Mesh:
    """Returns the mesh of nested lists of ranks."""
    shape = _shape(ranks)
    named = tuple(names) or tuple(f"dimension {i}" for i in range(len(shape)))
    return Mesh(named, shape, tuple(_flat(ranks)))


def regular(shape: tuple[int, ...], names: tuple[str, ...]) -> Mesh:
    """Returns the mesh whose ranks are in order."""
    return Mesh(names, shape, tuple(range(math.prod(shape))))


def mesh_of_groups(groups: list[tuple[str, list[int]]], world_size: int) -> Mesh:
    """Returns the mesh whose lines the groups of rank 0 are, as in jobs that make their groups by hand.

    Ranks in equal steps are a line. Lines from 0 that follow each other from step 1 on are dimensions; what they do not
    explain is one dimension more.
    """
    lines: dict[int, tuple[int, str]] = {}
    for name, ranks in groups:
        step = ranks[1] - ranks[0] if len(ranks) > 1 else 0
        is_line = step > 0 and ranks == list(range(0, step * len(ranks), step))
        if is_line and len(ranks) < world_size:
            lines[step] = min(lines.get(step, (len(ranks), name)), (len(ranks), name))
    sizes: list[int] = []
    names: list[str] = []
    step = 1
    while step < world_size:
        later = [other for other in lines if other > step and other % step == 0]
        if step in lines:
            size, name = lines[step]
        else:
            size, name = (min(later) if later else world_size) // step, "others"
        if world_size % (step * size) != 0:
            return regular((world_size,), ("world",))
        sizes.insert(0, size)
        names.insert(0, name)
        step *= size
    return regular(tuple(sizes), tuple(names)) if sizes else regular((world_size,), ("world",))


def chosen_mesh(meshes: list[dict[str, Any]], groups: list[tuple[str, list[int]]], world_size: int) -> Mesh:
    """Returns the mesh with the most dimensions of those that hold every rank, else one made of the groups."""
    whole = [mesh_of(mesh["ranks"], mesh["names"]) for mesh in meshes]
    whole = [mesh for mesh in whole if sorted(mesh.ranks) == list(range(world_size))]
    whole.append(mesh_of_groups(groups, world_size))
    return max(whole, key=lambda mesh: sum(size > 1 for size in mesh.shape))


def _probes(size: int) -> list[int]:
    """The places of a dimension to compare with the first."""
    return sorted({size // 2, size - 1} - {0})


@dataclasses.dataclass
class Roles:
    """The ranks to plan, and which rank stands for which.

    Attributes:
        mesh: the ranks of the job.
        stages: the dimensions of which every place is planned.
    """

    mesh: Mesh
    stages: frozenset[int]
    #: By dimension: whether its places differ.
    differs: set[int] = dataclasses.field(default_factory=set)

    def _compared(self) -> list[int]:
        return [i for i, size in enumerate(self.mesh.shape) if size > 1 and i not in self.stages]

    def bases(self) -> list[Coordinate]:
        """Returns one place for each pipeline stage, in the order of the stages."""
        every = (range(size) if i in self.stages else (0,) for i, size in enumerate(self.mesh.shape))
        return list(itertools.product(*every))

    def _moved(self, base: Coordinate, dimension: int, place: int) -> Coordinate:
        return (*base[:dimension], place, *base[dimension + 1 :])

    def corners(self) -> Iterator[tuple[Coordinate, Coordinate]]:
        """Yields a place to plan, in the middle or last in every dimension, and the place to compare it with."""
        for base in self.bases():
            places = []
            for halves in (1, 2):
                place = base
                for dimension in self._compared():
                    size = self.mesh.shape[dimension]
                    place = self._moved(place, dimension, min(size * halves // 2, size - 1))
                places.append(place)
            for place in dict.fromkeys(places):
                if place != base:
                    yield place, base

    def neighbours(self) -> Iterator[tuple[Coordinate, Coordinate, int]]:
        """Yields a place to plan, the place to compare it with, and the dimension in which they differ."""
        for base in self.bases():
            for dimension in self._compared():
                for place in _probes(self.mesh.shape[dimension]):
                    yield self._moved(base, dimension, place), base, dimension

    def compare(self, alike: Callable[[int, int], bool]) -> None:
        """Finds the dimensions whose places differ. `alike` says whether two planned ranks communicate alike."""
        for place, base, dimension in self.neighbours():
            if not alike(self.mesh.rank(place), self.mesh.rank(base)):
                self.differs.add(dimension)

    def _role(self, coordinate: Coordinate) -> Coordinate:
        return tuple(self._role_in(i, at) for i, at in enumerate(coordinate))

    def _role_in(self, dimension: int, at: int) -> int:
        size = self.mesh.shape[dimension]
        if dimension in self.stages:
            return at
        if dimension not in self.differs or at == 0:
            return 0
        return at if at == size - 1 else size // 2

    def standing(self) -> dict[int, list[int]]:
        """Returns, by planned rank, the ranks that it stands for."""
        result: dict[int, list[int]] = {}
        for rank, coordinate in self.mesh.coordinates.items():
            result.setdefault(self.mesh.rank(self._role(coordinate)), []).append(rank)
        return {rank: sorted(result[rank]) for rank in sorted(result)}

    def base_of(self, rank: int) -> int:
        """Returns the rank of the same stage that is first in every other dimension."""
        coordinate = self.mesh.coordinates[rank]
        return self.mesh.rank(tuple(at if i in self.stages else 0 for i, at in enumerate(coordinate)))


#: The kinds of a rank's groups: groups of one kind have one name, digits apart, as "dp_3", and the same steps from one
#: member to the next.
Pattern = tuple[int, ...]


def patterns_by_rank(groups: list[tuple[str, list[int]]]) -> dict[int, Pattern]:
    """Returns, by rank, the kinds of its process groups, as numbers. A rank in none has no entry."""
    kinds: dict[tuple[str, tuple[int, ...]], int] = {}
    found: dict[int, list[int]] = {}
    for desc, ranks in groups:
        name = "".join(letter for letter in desc if not letter.isdigit())
        steps = tuple(after - before for before, after in itertools.pairwise(ranks))
        kind = kinds.setdefault((name, steps), len(kinds))
        for rank in ranks:
            found.setdefault(rank, []).append(kind)
    return {rank: tuple(sorted(of_rank)) for rank, of_rank in found.items()}


def parts(ranks: list[int], patterns: dict[int, Pattern]) -> list[list[int]]:
    """Returns the ranks with groups that are alike, together; each part in order."""
    found: dict[Pattern, list[int]] = {}
    for rank in sorted(ranks):
        found.setdefault(patterns.get(rank, ()), []).append(rank)
    return list(found.values())


def ranges(ranks: Iterable[int]) -> str:
    """Returns ranks as text: "0-63,128"."""
    parts: list[list[int]] = []
    for rank in sorted(ranks):
        if parts and rank == parts[-1][1] + 1:
            parts[-1][1] = rank
        else:
            parts.append([rank, rank])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in parts)
