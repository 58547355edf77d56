# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""What the planner tells a rank's process, and what that process says at its end. Both are JSON."""

import dataclasses
import json
from pathlib import Path
from typing import Any

#: How the process of a rank ended: after the steps that were asked for, at the end of the script, with an error of the
#: script, or where the values of tensors, which a plan does not have, decide.
STEPS, SCRIPT, ERROR, DATA = "steps", "script", "error", "data"


@dataclasses.dataclass(frozen=True)
class RankSettings:
    """The plan of one rank."""

    rank: int
    world_size: int
    #: The plan's own files: logs, outcomes and the objects that ranks send each other.
    folder: str
    #: Training steps after which the process ends; 0: the script decides.
    steps: int
    #: Outermost forwards after which it ends; 0: the script decides.
    forwards: int
    fake: bool
    #: "script", "module" or "code": what the first argument of the command is.
    kind: str
    target: str
    #: A rank whose objects this rank takes if its own were not sent: the one that it is compared with; -1: none.
    like: int = -1
    #: Take splits of an all_to_all that data decides for equal.
    assume_balanced: bool = False

    @staticmethod
    def from_json(text: str) -> "RankSettings":
        return RankSettings(**json.loads(text))

    def to_json(self) -> str:
        return json.dumps(dataclasses.asdict(self))


@dataclasses.dataclass
class Outcome:
    """How the process of a rank ended, and what only it knows."""

    ended: str
    #: "file:line" of the script, for ERROR and DATA.
    where: str = ""
    what: str = ""
    #: Device meshes in the order in which they were made: {"names", "ranks" (nested lists)}.
    meshes: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    #: The process groups that all ranks make, in their order: description and ranks. Without the default group.
    groups: list[tuple[str, list[int]]] = dataclasses.field(default_factory=list)
    #: Values that only the real job has and that the script used nevertheless: "file:line: what".
    notes: list[str] = dataclasses.field(default_factory=list)
    #: The ranks that this rank got objects from, or waits for.
    object_peers: list[int] = dataclasses.field(default_factory=list)
    #: By the folder of each object that a group gathered: the size of the largest one that was there.
    gathered: dict[str, int] = dataclasses.field(default_factory=dict)
    #: The file of the object that this rank waits for, once a rank that is planned later sends it; "" for none.
    waits_for: str = ""
    #: The rank that sends it; -1 for none.
    waits_for_rank: int = -1
    #: The parameters that this rank holds.
    parameter_bytes: int = 0
    seconds: float = 0.0
    peak_bytes: int = 0

    def write(self, settings: RankSettings) -> None:
        outcome_path(Path(settings.folder), settings.rank).write_text(json.dumps(dataclasses.asdict(self)))

    @staticmethod
    def read(folder: Path, rank: int) -> "Outcome | None":
        """Returns None if the process ended without one."""
        path = outcome_path(folder, rank)
        return Outcome(**json.loads(path.read_text())) if path.is_file() else None


def outcome_path(folder: Path, rank: int) -> Path:
    return folder / f"rank-{rank}.outcome"


def log_path(folder: Path, rank: int) -> Path:
    return folder / f"rank-{rank}.log"


def before_last_path(folder: Path, rank: int) -> Path:
    """Returns the file of a rank's report before its last step. Its name is not that of a report to merge."""
    return folder / f"rank-{rank}.before"
