# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Plans a job: runs the processes of the chosen ranks, one after the other, and says which rank stands for which.

Needs nothing but Python: torch is imported in the processes of the ranks only.
"""

import concurrent.futures
import dataclasses
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NoReturn

from commtap_plan import launchers, roles
from commtap_plan.settings import (
    DATA,
    ERROR,
    SCRIPT,
    STEPS,
    Outcome,
    RankSettings,
    before_last_path,
    log_path,
    outcome_path,
)

#: Bytes of a parameter's gradient and of the two moments of Adam, by byte of the parameter, with the parameter.
TRAINING_FACTOR = 4


#: How many ranks are planned for nothing but the objects that they send.
MOST_SENDERS = 64

#: The exit status of a plan that a signal stopped, which commtap plan knows.
STOPPED = 130

#: The file by which `commtap plan` knows a folder that it may replace.
MARK = "made-by-commtap.txt"
MARK_TEXT = "commtap plan made this folder and ../ranks, and deletes them before it plans again.\n"


@dataclasses.dataclass(frozen=True)
class PlanSettings:
    """What `commtap plan` was asked for."""

    world_size: int
    #: "auto", "all" or ranks: "0,1,1023".
    ranks: str
    steps: int
    forwards: int
    #: "real", "fake" or "auto".
    depth: str
    #: Take splits of an all_to_all that data decides for equal.
    assume_balanced: bool
    #: Say nothing: the plan is one of a sweep.
    quiet: bool
    jobs: int
    launcher: str
    per_node: int
    #: The folder of the plan.
    out: str
    #: The folder in which the script runs; "" for the current one.
    workdir: str
    #: The words that start Python, with its own options.
    python: list[str]
    kind: str
    target: str
    arguments: list[str]
    #: Variables that every planned process gets.
    variables: dict[str, str]


def say(line: str) -> None:
    """Writes a line for the user."""
    print(f"commtap: {line}", file=sys.stderr, flush=True)


def rank_list(text: str, world_size: int) -> list[int]:
    """Returns the ranks of "0,1,8-15"."""
    ranks: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        ranks.extend(range(int(first), int(last or first) + 1))
    wrong = [rank for rank in ranks if rank >= world_size]
    if wrong:
        raise ValueError(f"rank {wrong[0]} is not below --world-size {world_size}")
    return sorted(set(ranks))


#: The columns by which rows of two ranks are the same row.
KEY = (
    "module",
    "issued_in",
    "phase",
    "op",
    "kind",
    "group",
    "dtype",
    "reduce_op",
    "async",
    "label",
    "compiled",
    "setup",
)


def rows_of(report: dict[str, Any]) -> dict[tuple[Any, ...], tuple[int, int]]:
    """Returns count and bytes by row; groups by their description."""
    names = {group["name"]: group["desc"] or group["name"] for group in report["groups"]}
    rows: dict[tuple[Any, ...], tuple[int, int]] = {}
    for row in report["collectives"]:
        key = tuple(names.get(row["group"], row["group"]) if name == "group" else row.get(name) for name in KEY)
        count, size = rows.get(key, (0, 0))
        rows[key] = (count + row["count"], size + row["bytes"])
    return rows


class Planner:
    """Runs ranks and keeps how they ended."""

    def __init__(self, settings: PlanSettings) -> None:
        self.settings = settings
        self.own = Path(settings.out) / "plan"
        self.outcomes: dict[int, Outcome] = {}
        self.fake = settings.depth == "fake"
        self.is_stopped = False
        self._like: dict[int, int] = {}
        self._sender_count = 0
        self._running: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()

    def _environment(self, rank: int) -> dict[str, str]:
        settings = self.settings
        foreign = launchers.all_names()
        variables = {name: value for name, value in os.environ.items() if name not in foreign}
        variables |= launchers.variables_of(settings.launcher, rank, settings.world_size, settings.per_node)
        variables |= settings.variables
        variables["COMMTAP_PLAN"] = "fake" if self.fake else "real"
        variables["COMMTAP_OUT"] = str(self._reports(rank)).replace("%", "%%")
        return variables

    def _reports(self, rank: int) -> Path:
        return Path(self.settings.out) / "ranks" / str(rank)

    def _rank_settings(self, rank: int, like: int) -> RankSettings:
        settings = self.settings
        return RankSettings(
            rank,
            settings.world_size,
            str(self.own),
            settings.steps,
            settings.forwards,
            self.fake,
            settings.kind,
            settings.target,
            like,
            settings.assume_balanced,
        )

    def _run(self, rank: int, like: int) -> None:
        """Runs the process of a rank; what an earlier try of it left is deleted first."""
        self._like[rank] = like
        shutil.rmtree(self._reports(rank), ignore_errors=True)
        outcome_path(self.own, rank).unlink(missing_ok=True)
        before_last_path(self.own, rank).unlink(missing_ok=True)
        settings = self.settings
        program = Path(__file__).resolve().parent.parent / "plan.py"
        command = [*settings.python, str(program), "rank", self._rank_settings(rank, like).to_json()]
        log = log_path(self.own, rank)
        done = f", {len(self.outcomes)} done" if self.outcomes else ""
        self._show_progress(f"planning rank {rank} of {settings.world_size}{done}")
        with log.open("wb") as output:
            process = subprocess.Popen(
                [*command, *settings.arguments],
                env=self._environment(rank),
                cwd=settings.workdir or None,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
            self._running.add(process)
            status = process.wait()
            self._running.discard(process)
        outcome = Outcome.read(self.own, rank) or Outcome(ERROR, "", f"it ended with status {status}")
        with self._lock:
            self.outcomes[rank] = outcome

    def _show_progress(self, line: str) -> None:
        """Shows on a terminal a line that the next one replaces."""
        if not self.settings.quiet and sys.stderr.isatty():
            print(f"\r\033[K{line}", end="", file=sys.stderr, flush=True)

    def _can_go_on(self, rank: int) -> bool:
        outcome = self.outcomes.get(rank)
        return outcome is None or (outcome.waits_for != "" and Path(outcome.waits_for).exists())

    def run(self, ranks: list[int], like: dict[int, int] | None = None) -> None:
        """Plans ranks. One that waits for an object of another is run again once that has sent it.

        Senders that are not among the ranks are planned for their objects, up to MOST_SENDERS.
        """
        pending = [rank for rank in ranks if rank not in self.outcomes or self.outcomes[rank].waits_for]
        with concurrent.futures.ThreadPoolExecutor(self.settings.jobs) as pool:
            while True:
                ready = [rank for rank in pending if self._can_go_on(rank)]
                if not ready:
                    ready = self._senders(pending)
                    pending += ready
                if not ready:
                    return
                # One by one in the order of the ranks: each may send what the next waits for.
                for start in range(0, len(ready), self.settings.jobs):
                    some = ready[start : start + self.settings.jobs]
                    list(pool.map(lambda rank: self._run(rank, (like or {}).get(rank, -1)), some))
                pending = [rank for rank in pending if self.outcomes[rank].waits_for]

    def _senders(self, waiting: list[int]) -> list[int]:
        """Returns the ranks that were not planned yet and send what `waiting` wait for."""
        senders = sorted({self.outcomes[rank].waits_for_rank for rank in waiting} - set(self.outcomes))
        self._sender_count += len(senders)
        return senders if self._sender_count <= MOST_SENDERS else []

    def report(self, rank: int) -> dict[str, Any] | None:
        """Returns the report of a planned rank; None if it left none."""
        reports = [json.loads(path.read_text()) for path in sorted(self._reports(rank).rglob("*.json"))]
        reports = [report for report in reports if report["job"]["rank"] == rank]
        return reports[0] if reports else None

    def _run_again(self, ranks: Iterable[int]) -> None:
        """Plans those ranks again that gathered objects before a rank with a larger one had sent its own."""

        def has_grown(folder: str, largest: int) -> bool:
            return any(path.name.isdigit() and path.stat().st_size > largest for path in Path(folder).iterdir())

        late = [rank for rank in ranks if any(has_grown(*each) for each in self.outcomes[rank].gathered.items())]
        for rank in late:
            del self.outcomes[rank]
        self.run(late, self._like)

    def alike(self, one: int, other: int) -> bool:
        """Returns whether two planned ranks communicate alike."""
        self._run_again([one, other])
        reports = [self.report(one), self.report(other)]
        if None in reports or self.outcomes[one].ended != self.outcomes[other].ended:
            return False
        return rows_of(reports[0]) == rows_of(reports[1])  # type: ignore[arg-type]

    def _choose_depth(self) -> None:
        """Plans rank 0 with fake tensors, and with real ones if those fit."""
        if self.settings.depth != "auto":
            return
        self.fake = True
        self.run([0])
        outcome = self.outcomes[0]
        needed = outcome.parameter_bytes * TRAINING_FACTOR * self.settings.jobs
        if needed <= free_memory() // 2:
            self.fake = False
            del self.outcomes[0]
            shutil.rmtree(self.own / "objects", ignore_errors=True)

    def _stage_dimensions(self, mesh: roles.Mesh) -> frozenset[int]:
        """Returns the dimensions of the mesh along which rank 0 sends and receives."""
        report = self.report(0)
        peers = set(self.outcomes[0].object_peers)
        base = mesh.coordinates[0]
        found = {
            i
            for peer in peers
            if peer in mesh.coordinates
            for i, (at, other) in enumerate(zip(base, mesh.coordinates[peer], strict=True))
            if at != other
        }
        groups = {group["name"]: group for group in report["groups"]} if report else {}
        for row in report["collectives"] if report else []:
            ranks = expand(groups.get(row["group"], {}).get("ranks"))
            if row["kind"] in ("send", "recv") and ranks:
                spread = [set(places) for places in zip(*(mesh.coordinates[rank] for rank in ranks), strict=True)]
                along = [i for i, places in enumerate(spread) if len(places) > 1]
                found.update(along if len(along) == 1 else [])
        if not found and peers:
            return frozenset(i for i, size in enumerate(mesh.shape) if size > 1)
        return frozenset(found)

    def _mesh(self) -> roles.Mesh:
        report = self.report(0)
        groups = [(group["desc"], expand(group["ranks"])) for group in report["groups"]] if report else []
        return roles.chosen_mesh(self.outcomes[0].meshes, groups, self.settings.world_size)

    def _all_alike(self, plan: roles.Roles) -> bool:
        """Plans the corners of the mesh. Returns whether each is like the first rank of its stage."""
        compared = {plan.mesh.rank(place): plan.mesh.rank(base) for place, base in plan.corners()}
        self.run(sorted(compared), compared)
        return all(self.alike(rank, base) for rank, base in compared.items())

    def plan_by_roles(self) -> tuple[roles.Mesh, dict[int, list[int]]]:
        """Plans the ranks that differ. Returns the mesh, and by planned rank those that it represents."""
        self.run([0])
        mesh = self._mesh()
        stages = self._stage_dimensions(mesh)
        plan = roles.Roles(mesh, stages)
        chain = [mesh.rank(base) for base in plan.bases()]
        self.run(chain)
        if self.outcomes[0].ended in (ERROR, DATA):
            return mesh, {rank: [rank] for rank in self.outcomes}
        if not self._all_alike(plan):
            compared = {mesh.rank(place): mesh.rank(base) for place, base, _ in plan.neighbours()}
            self.run(sorted(compared), compared)
            plan.compare(self.alike)
        standing = plan.standing()
        self.run(list(standing), {rank: plan.base_of(rank) for rank in standing})
        return mesh, standing

    def _split(self, standing: dict[int, list[int]]) -> dict[int, list[int]]:
        """Plans ranks apart whose process groups are not like those of the rank that represents them."""
        patterns = roles.patterns_by_rank(self.outcomes[0].groups)
        split: dict[int, list[int]] = {}
        for rank, ranks in standing.items():
            for part in roles.parts(ranks, patterns):
                if rank in part:
                    split[rank] = part
                    continue
                line = roles.Roles(roles.Mesh(("part",), (len(part),), tuple(part)), frozenset())
                self.run([part[0], *(line.mesh.rank(place) for place, _, _ in line.neighbours())])
                line.compare(self.alike)
                split |= line.standing()
        return dict(sorted(split.items()))

    def plan(self) -> int:
        """Plans the job. Returns the exit status."""
        shutil.rmtree(Path(self.settings.out) / "ranks", ignore_errors=True)
        shutil.rmtree(self.own, ignore_errors=True)
        self.own.mkdir(parents=True)
        (self.own / MARK).write_text(MARK_TEXT)
        if self.settings.workdir:
            Path(self.settings.workdir).mkdir(parents=True, exist_ok=True)
        mesh = roles.regular((self.settings.world_size,), ("world",))
        try:
            mesh, standing = self._plan_ranks(mesh)
        except KeyboardInterrupt:
            standing = self._planned_so_far()
            self.is_stopped = True
        self._show_progress("")
        if standing:
            self._write(mesh, standing)
        return self._tell(standing)

    def _planned_so_far(self) -> dict[int, list[int]]:
        """Returns the ranks that were planned to their end, each for itself."""
        ended = [rank for rank, outcome in self.outcomes.items() if outcome.ended in (STEPS, SCRIPT)]
        return {rank: [rank] for rank in sorted(ended)}

    def stop(self, *_: object) -> NoReturn:
        """Ends the processes of the ranks, and the plan with what it has. For signals, which reach the main thread."""
        for process in list(self._running):
            process.terminate()
        raise KeyboardInterrupt

    def _plan_ranks(self, mesh: roles.Mesh) -> tuple[roles.Mesh, dict[int, list[int]]]:
        self._choose_depth()
        if self.settings.ranks == "auto":
            mesh, standing = self.plan_by_roles()
            standing = self._split(standing)
        else:
            every = self.settings.ranks == "all"
            ranks = range(self.settings.world_size) if every else rank_list(self.settings.ranks, mesh.shape[0])
            self.run(list(ranks))
            standing = {rank: [rank] for rank in ranks}
        self._run_again(list(standing))
        return mesh, standing

    def _write(self, mesh: roles.Mesh, standing: dict[int, list[int]]) -> None:
        """Writes what the merge of the plan needs: which report represents which ranks, and the mesh."""
        for rank in self.outcomes:
            if rank not in standing:  # planned to compare it; the rank that represents it counts
                shutil.rmtree(self._reports(rank), ignore_errors=True)
        document = {
            "depth": "fake" if self.fake else "real",
            "mesh": dataclasses.asdict(mesh),
            "standing": {str(rank): ranks for rank, ranks in standing.items()},
            "groups": self.outcomes[min(standing)].groups,
            "outcomes": {str(rank): dataclasses.asdict(self.outcomes[rank]) for rank in sorted(standing)},
        }
        for outcome in document["outcomes"].values():
            del outcome["meshes"], outcome["groups"], outcome["gathered"]
        (self.own / "standing.outcome").write_text(json.dumps(document))

    def _say(self, line: str) -> None:
        if not self.settings.quiet:
            say(line)

    def _tell(self, standing: dict[int, list[int]]) -> int:
        depth = "fake tensors: no values" if self.fake else "real tensors"
        if not standing:
            self._say("stopped before a rank was planned")
            return STOPPED
        self._say(f"planned with {depth}")
        if self.is_stopped:
            self._say(f"stopped: the plan has {len(standing)} of {self.settings.world_size} ranks, each for itself")
        status = STOPPED if self.is_stopped else 0
        notes: dict[str, None] = {}
        for rank, ranks in standing.items():
            outcome = self.outcomes[rank]
            if len(ranks) > 1:
                self._say(f"rank {rank} stands for {len(ranks)} ranks: {roles.ranges(ranks)}")
            notes.update(dict.fromkeys(outcome.notes))
            if outcome.ended not in (STEPS, SCRIPT):
                status = status or 1
                where = f" at {outcome.where}" if outcome.where else ""
                self._say(
                    f"rank {rank} was planned up to an error{where}: {outcome.what}: see {log_path(self.own, rank)}"
                )
        for note in notes:
            self._say(note)
        return status


def expand(ranks: str | None) -> list[int]:
    """Returns the ranks of "0-3,8"; none for null."""
    return rank_list(ranks, sys.maxsize) if ranks else []


def free_memory() -> int:
    """Returns the memory in bytes that this machine has left for processes."""
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return 0


def main(settings_text: str, _: list[str]) -> int:
    planner = Planner(PlanSettings(**json.loads(settings_text)))
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, planner.stop)
    return planner.plan()
