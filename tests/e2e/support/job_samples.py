# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Makes job reports (commtap.job/2) of any size without running a job, to test pages and exports."""

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from report import bus_factor, ranges_of

MIB = 1 << 20
START = "2026-11-20T09:12:33.120000Z"
END = "2026-11-20T21:40:10.000000Z"
#: The last activity of a process without an end.
LAST_ACTIVITY = "2026-11-20T11:42:33.120000Z"

Amount = dict[str, float]


def spread(of_one: float, ranks: int, most: float | None = None) -> dict[str, Any]:
    """Returns the spread of one number that each rank has, or `most` on the last rank."""
    most = of_one if most is None else most
    total = of_one * (ranks - 1) + most
    return {
        "sum": total,
        "min": of_one,
        "mean": total / ranks,
        "max": most,
        "min_rank": 0,
        "max_rank": 0 if most == of_one else ranks - 1,
    }


def amounts(sums: dict[tuple[str, str], Amount]) -> list[dict[str, Any]]:
    """Returns sums by phase and kind in the document's form."""
    return [{"phase": phase, "kind": kind, **amount} for (phase, kind), amount in sorted(sums.items())]


def no_amounts() -> Any:
    """Returns an empty table of sums by phase and kind; missing entries are 0."""
    return defaultdict(lambda: {"count": 0, "bytes": 0, "bus_bytes": 0.0})


@dataclass
class JobSample:
    """A job whose ranks all do the same, except for the differences that a sample adds."""

    ranks: int = 4
    run_id: str = "sample"
    name: str = ""
    modules: list[dict[str, Any]] = field(default_factory=list)
    groups: list[dict[str, Any]] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)
    steps: list[dict[str, Any]] = field(default_factory=list)
    times: list[dict[str, Any]] = field(default_factory=list)
    nccl: list[dict[str, Any]] = field(default_factory=list)
    #: NCCL versions by ranks; if empty, all ranks use one version.
    nccl_versions: list[dict[str, Any]] = field(default_factory=list)
    members: list[dict[str, Any]] = field(default_factory=list)
    missing: list[list[int]] = field(default_factory=list)
    disagreements: list[dict[str, Any]] = field(default_factory=list)
    not_seen: list[dict[str, Any]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    exits: dict[int, str] = field(default_factory=dict)
    exit_signals: dict[int, int] = field(default_factory=dict)
    exit_statuses: dict[int, int] = field(default_factory=dict)
    argv: list[str] = field(default_factory=lambda: ["python", "train.py", "--model", "llama"])
    #: (rank, kind): the factor by which that rank's bytes of the kind exceed the other ranks'.
    uneven: dict[tuple[int, str], float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.module("Global", None, None, calls=0)

    def module(self, name: str, parent: int | None = 0, class_name: str | None = "Linear", calls: int = 10) -> int:
        """Adds a module and returns its id. Parents must be added before their children, in the tree's order."""
        self.modules.append(
            {
                "id": len(self.modules),
                "parent": parent,
                "name": name,
                "class": class_name,
                "wrappers": [],
                "rank_set": 0,
                "calls": {"forward": spread(calls, self.ranks)} if calls else {},
            }
        )
        return len(self.modules) - 1

    def group(self, name: str, size: int) -> str:
        """Adds a group and returns its name."""
        firsts = range(0, self.ranks - size + 1, size)
        members = [ranges_of(list(range(first, first + size))) for first in firsts]
        self.groups.append({"name": name, "desc": name, "backend": "gloo", "size": size, "members": members})
        return name

    def row(self, module: int, phase: str, kind: str, group: str, count: int, size: int, **other: Any) -> None:
        """Adds a row that each rank has: `count` calls of `size` bytes each."""
        name = self.modules[module]["name"]
        ranks = next(each["size"] for each in self.groups if each["name"] == group)
        most = other.pop("most", None)
        last = None if most is None else most * size
        self.rows.append(
            {
                "module": name,
                "phase": phase,
                "op": f"_c10d_functional.{kind}",
                "kind": kind,
                "group": group,
                "dtype": None if kind == "barrier" else "bfloat16",
                "reduce_op": "sum" if kind in ("all_reduce", "reduce_scatter") else None,
                "async": False,
                "issued_in": name,
                "lowered": [],
                "rank_set": 0,
                "rank_count": self.ranks,
                "count": spread(count, self.ranks, most),
                "bytes": spread(count * size, self.ranks, last),
                "bus_bytes": spread(count * size * bus_factor(kind, ranks), self.ranks),
            }
            | other
        )

    def member(self, module: str | None, size: int, count: int | None = None) -> None:
        """Adds a module that the last row covers, with `size` bytes over all ranks; None is padding. A compiler merged
        `count` of its calls, unless that is None.
        """
        merged = {} if count is None else {"count": count}
        self.members.append({"row": len(self.rows) - 1, "module": module, "bytes": size} | merged)

    def step(
        self,
        first: int,
        times: tuple[float, float] | None,
        amounts: Iterable[tuple[str, str, int, int]],
        steps: int = 1,
        ranks: int | None = None,
    ) -> None:
        """Adds a row of steps.

        Args:
            times: milliseconds that the row took on each rank except the last, and on the last; None while it runs.
            amounts: kind, group, count and bytes that each rank has in the whole row.
        """
        ranks = self.ranks if ranks is None else ranks
        self.steps.append(
            {
                "first_step": first,
                "steps": steps,
                "rank_count": ranks,
                "timed_rank_count": ranks if times else 0,
                "duration_ns": spread(int(times[0] * 1e6), ranks, int(times[1] * 1e6)) if times else None,
                "collectives": [
                    {"kind": kind, "group": group, "rank_count": ranks}
                    | {"count": spread(count, ranks), "bytes": spread(size, ranks)}
                    | {"running_ns": spread(0, ranks), "exposed_ns": spread(0, ranks)}
                    for kind, group, count, size in amounts
                ],
            }
        )

    def timed(
        self, module: str | None, kind: str, group: str, count: int, running_ns: int, exposed_ns: int, late_ns: int
    ) -> None:
        """Adds durations of collectives with a payload of 1 MiB each.

        Each collective runs for `running_ns`, and `late_ns` less on the last rank. `module` None means all modules.
        """

        def durations(each: int) -> dict[str, Any]:
            return {"count": count, "sum": count * each, "min": each, "max": 2 * each, "histogram": {"1024": count}}

        factor = bus_factor(kind, self.ranks)
        seconds = count * running_ns / 1e9
        self.times.append(
            {
                "module": module,
                "kind": kind,
                "group": group,
                "backend": "gloo",
                "group_size": self.ranks,
                "count": count + 1,
                "time": {
                    "running_ns": durations(running_ns),
                    "exposed_ns": durations(exposed_ns),
                    "timed_bytes": count * MIB,
                    "timed_bus_bytes": count * MIB * factor,
                    "algbw_bytes_per_second": count * MIB / seconds,
                    "busbw_bytes_per_second": count * MIB * factor / seconds,
                },
                "straggler": {"rank": self.ranks - 1, "late_by_ns": late_ns},
            }
        )

    def calls(self, function: str, row: dict[str, Any] | str, count: int, size: int, failed: int = 0) -> None:
        """Adds NCCL calls of each rank, of `size` bytes each.

        `row` is the collective that makes the calls, or the name of the running module.
        """
        of_row = row if isinstance(row, dict) else {"op": None, "group": None, "module": row, "phase": "other"}
        self.nccl.append(
            {
                "function": function,
                **{name: of_row[name] for name in ("op", "group", "module", "phase")},
                "dtype": of_row.get("dtype"),
                "rank_set": 0,
                "rank_count": self.ranks,
                "count": spread(count, self.ranks),
                "failed": spread(failed, self.ranks),
                "bytes": spread((count - failed) * size, self.ranks),
            }
        )

    def document(self) -> dict[str, Any]:
        """Returns the job report."""
        document = {
            "schema": "commtap.job/2",
            "job": self._job(),
            "ranks": ranges_of(list(range(self.ranks))),
            "missing_ranks": ",".join(
                f"{first}-{last}" if first < last else str(first) for first, last in self.missing
            ),
            "disagreements_found": len(self.disagreements),
            "disagreements": self.disagreements,
            "not_seen": self.not_seen,
            "problems": self.problems,
            "totals": self._totals(),
            "groups": self._groups(),
            "rank_sets": [ranges_of(list(range(self.ranks)))],
            "modules": self._modules(),
            "collectives": self.rows,
            "members": self.members,
            "steps": self.steps,
            "group_times": [row for row in self.times if row["module"] is None],
            "module_times": [row for row in self.times if row["module"] is not None],
            "processes": [self._process(rank) for rank in range(self.ranks)],
        }
        return document | ({"nccl": self._nccl()} if self.nccl else {})

    def _nccl(self) -> dict[str, Any]:
        return {
            "processes": self.ranks,
            "communicators": 2 * self.ranks,
            "versions": self.nccl_versions or [{"version": "2.29.7", "ranks": ranges_of(list(range(self.ranks)))}],
            "calls": self.nccl,
        }

    def write(self, path: Path) -> Path:
        """Writes the job report and returns its path."""
        path.write_text(json.dumps(self.document()), encoding="utf-8")
        return path

    def _job(self) -> dict[str, Any]:
        missing = sum(last - first + 1 for first, last in self.missing)
        return ({"run_name": self.name} if self.name else {}) | {
            "run_id": self.run_id,
            "attempt": 0,
            "attempts": [0],
            "world_size": self.ranks + missing,
            "started_at": START,
            "ended_at": None if self._endless() else END,
            "torch": "2.13.0",
            "commtap": "0.1.0",
            "argv": self.argv,
            "planned": False,
            "other_runs": 0,
            "source": "out",
        }

    def _endless(self) -> set[int]:
        """Returns the ranks whose end commtap did not see."""
        return {rank for rank, exit in self.exits.items() if exit in ("killed", "running", "after_work")}

    def _sums(self, key: str) -> dict[str, dict[tuple[str, str], Amount]]:
        """Returns the sums over ranks, by phase and kind, for each value of `key`."""
        sums: dict[str, Any] = defaultdict(no_amounts)
        for row in self.rows:
            for name, total in sums[row[key]][row["phase"], row["kind"]].items():
                sums[row[key]][row["phase"], row["kind"]][name] = total + row[name]["sum"]
        return sums

    def _modules(self) -> list[dict[str, Any]]:
        own = self._sums("module")
        inclusive = [no_amounts() for _ in self.modules]
        for module in reversed(self.modules):
            for key, amount in own[module["name"]].items():
                _add(inclusive[module["id"]][key], amount)
            if module["parent"] is not None:
                for key, amount in inclusive[module["id"]].items():
                    _add(inclusive[module["parent"]][key], amount)
        return [
            {**module, "own": amounts(own[module["name"]]), "inclusive": amounts(inclusive[module["id"]])}
            for module in self.modules
        ]

    def _groups(self) -> list[dict[str, Any]]:
        sums = self._sums("group")
        return [{**group, "totals": amounts(sums[group["name"]])} for group in self.groups]

    def _totals(self) -> list[dict[str, Any]]:
        sums: Any = no_amounts()
        for row in self.rows:
            for name in ("count", "bytes", "bus_bytes"):
                sums[row["phase"], row["kind"]][name] += row[name]["sum"] // self.ranks
        return [
            {"phase": phase, "kind": kind, "rank_count": self.ranks}
            | {name: spread(total, self.ranks) for name, total in amount.items()}
            for (phase, kind), amount in sorted(sums.items())
        ]

    def _process(self, rank: int) -> dict[str, Any]:
        sums: Any = defaultdict(lambda: {"count": 0, "bytes": 0, "bus_bytes": 0.0})
        for row in self.rows:
            factor = self.uneven.get((rank, row["kind"]), 1)
            for name in ("count", "bytes", "bus_bytes"):
                sums[row["kind"]][name] += row[name]["min"] if name == "count" else int(row[name]["min"] * factor)
        return {
            "rank": rank,
            "host": f"node{rank // 8:03d}",
            "pid": 4000 + rank,
            "started_at": START,
            "ended_at": None if rank in self._endless() else END,
            "last_activity_at": LAST_ACTIVITY if rank in self._endless() else END,
            "exit": self.exits.get(rank, "normal"),
            "exit_signal": self.exit_signals.get(rank),
            "file": f"rank-{rank:05d}.json",
            "totals": [{"kind": kind, **amount} for kind, amount in sums.items()],
            "exit_status": self.exit_statuses.get(rank),
        }


def _add(total: Amount, amount: Amount) -> None:
    for name, value in amount.items():
        total[name] += value


def transformer(layers: int, ranks: int) -> JobSample:
    """Returns a transformer under FSDP2 x tensor parallelism, with ten modules per layer."""
    job = JobSample(ranks, run_id="llama-fsdp2-tp")
    width = min(8, ranks)
    dp, tp, world = job.group("dp", max(1, ranks // width)), job.group("tp", width), job.group("default_pg", ranks)
    root = job.module("Transformer", 0, "Transformer")
    job.row(0, "other", "broadcast", world, 3, MIB)
    job.row(0, "other", "barrier", world, 2, 0)
    job.row(0, "optimizer", "all_reduce", world, 10, 4)
    embeddings = job.module("Transformer.tok_embeddings", root, "Embedding")
    job.row(embeddings, "forward", "all_reduce", tp, 10, 64 * MIB)
    blocks = job.module("Transformer.layers", root, "ModuleList", calls=0)
    for layer in range(layers):
        _add_block(job, blocks, f"Transformer.layers.{layer}", dp, tp)
    job.module("Transformer.norm", root, "RMSNorm")
    job.row(job.module("Transformer.output", root), "forward", "all_gather", tp, 10, 256 * MIB)
    return job


def _add_block(job: JobSample, blocks: int, name: str, dp: str, tp: str) -> None:
    block = job.module(name, blocks, "TransformerBlock")
    job.row(block, "forward", "all_gather", dp, 10, 436 * MIB)
    job.row(block, "backward", "all_gather", dp, 10, 436 * MIB, issued_in="Transformer.output")
    job.row(block, "backward", "reduce_scatter", dp, 10, 872 * MIB)
    for part, weights in (("attention", ("wq", "wk", "wv", "wo")), ("feed_forward", ("w1", "w3", "w2"))):
        module = job.module(f"{name}.{part}", block, part.title().replace("_", ""))
        job.row(module, "backward", "all_reduce", tp, 10, 256 * MIB)
        ids = [job.module(f"{name}.{part}.{weight}", module) for weight in weights]
        job.row(ids[-1], "forward", "all_reduce", tp, 10, 320 * MIB if part == "attention" else 256 * MIB)


def one_call_less(call_bytes: int) -> dict[str, Any]:
    """Returns a disagreement: rank 3 made 9 all-reduces of `call_bytes` bytes in backward, its peers 10."""
    return {
        "what": "count",
        "group": "tp",
        "members": "0-7",
        "module": "Transformer.layers.1.attention",
        "phase": "backward",
        "op": "_c10d_functional.all_reduce",
        "kind": "all_reduce",
        "dtype": "bfloat16",
        "reduce_op": "sum",
        "values": [
            {"ranks": "0-2,4-7", "count": 10, "bytes": 10 * call_bytes},
            {"ranks": "3", "count": 9, "bytes": 9 * call_bytes},
        ],
    }
