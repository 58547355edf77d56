# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the reports of a large job without running it: FSDP2 x tensor x pipeline parallel, sequence parallel.

As a program: python tests/e2e/support/generate_reports.py OUT --ranks 16384
"""

import argparse
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from report import ranges_of

Document = dict[str, Any]

HIDDEN = 4096
TOKENS = 8192
WIDTH = 2  # bytes of a bfloat16

#: Parameters of a layer: name, shape, whether tensor parallelism shards it.
LINEARS = {
    "attention.wq": (HIDDEN, HIDDEN),
    "attention.wk": (HIDDEN // 4, HIDDEN),
    "attention.wv": (HIDDEN // 4, HIDDEN),
    "attention.wo": (HIDDEN, HIDDEN),
    "feed_forward.w1": (4 * HIDDEN, HIDDEN),
    "feed_forward.w2": (HIDDEN, 4 * HIDDEN),
    "feed_forward.w3": (4 * HIDDEN, HIDDEN),
}
NORMS = ("attention_norm", "ffn_norm")


@dataclass(frozen=True)
class Layout:
    """The job's layout. In rank numbers tensor parallelism is the innermost dimension, the pipeline the outermost."""

    ranks: int = 16
    tp: int = 2
    pp: int = 2
    layers: int = 12  # per stage
    steps: int = 10
    run_id: str = "generated"
    started_at: str = "2026-11-20T08:00:00"

    @property
    def dp(self) -> int:
        """Returns the size of the data-parallel groups."""
        return self.ranks // (self.tp * self.pp)

    def place(self, rank: int) -> tuple[int, int, int]:
        """Returns a rank's coordinates in pipeline, data and tensor parallelism."""
        return rank // (self.tp * self.dp), rank // self.tp % self.dp, rank % self.tp

    def group(self, rank: int, dimension: str) -> list[int]:
        """Returns the ranks of the group that contains `rank` along one mesh dimension."""
        pp, dp, tp = self.place(rank)
        stage = self.tp * self.dp
        if dimension == "pp":
            return [i * stage + dp * self.tp + tp for i in range(self.pp)]
        if dimension == "dp":
            return [pp * stage + i * self.tp + tp for i in range(self.dp)]
        return [pp * stage + dp * self.tp + i for i in range(self.tp)]


def groups(layout: Layout, rank: int) -> list[Document]:
    """Returns a rank's groups. As in PyTorch, a group's name is a number that only its members share."""
    listed = [("0", "default_pg", list(range(layout.ranks)))]
    for i, dimension in enumerate(("pp", "dp", "tp")):
        ranks = layout.group(rank, dimension)
        listed.append((f"{i + 1}.{ranks[0]}", f"mesh_{dimension}", ranks))
    unused = {"collectives": 0, "point_to_point": 0, "stretches": []}
    return [
        {"name": name, "desc": desc, "backend": "nccl", "size": len(ranks), "ranks": ranges_of(ranks)} | unused
        for name, desc, ranks in listed
    ]


def parameter(name: str, shape: tuple[int, ...], layout: Layout) -> Document:
    return {
        "name": name,
        "shape": list(shape),
        "local_shape": [max(1, shape[0] // (layout.dp * layout.tp)), *shape[1:]],
        "dtype": "bfloat16",
        "requires_grad": True,
        "mesh": {"device_type": "cuda", "dim_names": ["dp", "tp"], "shape": [layout.dp, layout.tp]},
        "placements": ["Shard(dim=0)", "Shard(dim=0)" if len(shape) > 1 else "Replicate()"],
    }


class Modules:
    """The module tree of one stage."""

    def __init__(self, layout: Layout, stage: int) -> None:
        self.rows: list[Document] = []
        self.ids: dict[str, int] = {}
        self.layout = layout
        self._add("Global", None, None, {})
        self._add("Transformer", "Global", "Transformer")
        for i in range(stage * layout.layers, (stage + 1) * layout.layers):
            layer = f"Transformer.layers.{i}"
            self._add(layer, "Transformer", "TransformerBlock")
            self._add(f"{layer}.attention", layer, "Attention")
            self._add(f"{layer}.feed_forward", layer, "FeedForward")
            for name, shape in LINEARS.items():
                parent = f"{layer}.{name.rsplit('.', 1)[0]}"
                self._add(f"{layer}.{name}", parent, "Linear", shape=shape)
            for name in NORMS:
                self._add(f"{layer}.{name}", layer, "RMSNorm", shape=(HIDDEN,))

    def _add(
        self,
        name: str,
        parent: str | None,
        kind: str | None,
        calls: Document | None = None,
        shape: tuple[int, ...] | None = None,
    ) -> None:
        self.ids[name] = len(self.rows)
        steps = self.layout.steps
        self.rows.append(
            {
                "id": self.ids[name],
                "parent": None if parent is None else self.ids[parent],
                "name": name,
                "raw_name": name,
                "class": kind,
                "calls": {"forward": steps, "recompute": steps} if calls is None else calls,
                "parameters": [parameter("weight", shape, self.layout)] if shape else [],
                "wrappers": [],
            }
        )


def row(module: str, phase: str, kind: str, group: Document, size: int, count: int, **other: Any) -> Document:
    """Returns one row; `size` is the bytes per call."""
    n = group["size"]
    factor = {"all_gather": (n - 1) / n, "reduce_scatter": (n - 1) / n, "all_reduce": 2 * (n - 1) / n}
    ops = {
        "all_gather": "_c10d_functional.all_gather_into_tensor",
        "reduce_scatter": "_c10d_functional.reduce_scatter_tensor",
        "all_reduce": "c10d.allreduce_",
        "broadcast": "c10d.broadcast_",
        "send": "c10d.send",
        "recv": "c10d.recv_",
    }
    return {
        "module": module,
        "phase": phase,
        "op": ops[kind],
        "kind": kind,
        "group": group["name"],
        "dtype": "bfloat16",
        "reduce_op": "sum" if kind in ("reduce_scatter", "all_reduce") else None,
        "async": None if kind in ("send", "recv") else kind == "all_gather",
        "issued_in": module,
        "lowered": ["c10d._allgather_base_"] if kind == "all_gather" else [],
        "count": count,
        "bytes": size * count,
        "bus_bytes": size * count * factor.get(kind, 0 if n == 1 else 1),
        "sizes": {},
        "label": None,
    } | other


def layer_rows(layer: str, before: str, tp: Document, dp: Document, steps: int) -> Iterator[Document]:
    activation = TOKENS * HIDDEN * WIDTH
    weights = sum(rows * columns for rows, columns in LINEARS.values()) * WIDTH // tp["size"]
    for name in ("attention", "feed_forward"):
        for phase in ("forward", "recompute"):
            yield row(f"{layer}.{name}", phase, "all_gather", tp, activation, steps)
            yield row(f"{layer}.{name}", phase, "reduce_scatter", tp, activation, steps)
        yield row(f"{layer}.{name}", "backward", "all_gather", tp, activation, steps)
        yield row(f"{layer}.{name}", "backward", "reduce_scatter", tp, activation, steps)
    for name in NORMS:
        yield row(f"{layer}.{name}", "backward", "all_reduce", tp, HIDDEN * WIDTH, steps)
    yield row(layer, "forward", "all_gather", dp, weights, steps)
    yield row(layer, "backward", "all_gather", dp, weights, steps, issued_in=before)
    yield row(layer, "backward", "reduce_scatter", dp, weights, steps)


def collectives(layout: Layout, rank: int) -> list[Document]:
    world, pp, dp, tp = groups(layout, rank)
    stage = layout.place(rank)[0]
    rows = [
        row("Global", "other", "broadcast", world, 1024, 3),
        row("Global", "optimizer", "all_reduce", world, 4, layout.steps, dtype="float32"),
    ]
    activation = TOKENS * HIDDEN * WIDTH // layout.tp
    if stage + 1 < layout.pp:
        rows.append(row("Global", "other", "send", pp, activation, layout.steps))
        rows.append(row("Global", "other", "recv", pp, activation, layout.steps))
    if stage > 0:
        rows.append(row("Global", "other", "recv", pp, activation, layout.steps))
        rows.append(row("Global", "other", "send", pp, activation, layout.steps))
    before = "Transformer"
    for i in range(stage * layout.layers, (stage + 1) * layout.layers):
        layer = f"Transformer.layers.{i}"
        rows.extend(layer_rows(layer, before, tp, dp, layout.steps))
        before = layer
    return merged(rows)


def merged(rows: list[Document]) -> list[Document]:
    """Merges rows to one per key, as the schema requires. A middle stage sends and receives in both directions."""
    by_key: dict[str, Document] = {}
    for each in rows:
        key = json.dumps({name: value for name, value in each.items() if name not in ("count", "bytes", "bus_bytes")})
        if key in by_key:
            for name in ("count", "bytes", "bus_bytes"):
                by_key[key][name] += each[name]
        else:
            by_key[key] = each
    return list(by_key.values())


def job(layout: Layout, rank: int) -> Document:
    return {
        "run_id": layout.run_id,
        "rank": rank,
        "world_size": layout.ranks,
        "local_rank": rank % 8,
        "attempt": 0,
        "host": f"node{rank // 8:04d}",
        "pid": 1000 + rank % 8,
        "argv": ["python", "train.py", "--config", "large.toml"],
        "started_at": f"{layout.started_at}.{rank:06d}Z",
        "ended_at": f"{layout.started_at[:-2]}59.{rank:06d}Z",
        "exit": "normal",
        "exit_signal": None,
        "torch": "2.13.0",
        "python": "3.11.2",
        "commtap": "0.1.0",
        "timing": "off",
        "steps_from": None,
        "planned": False,
        "exit_status": None,
    }


def report(layout: Layout, rank: int) -> Document:
    """Returns the commtap/2 report of one rank."""
    return {
        "schema": "commtap/2",
        "job": job(layout, rank),
        "groups": groups(layout, rank),
        "modules": Modules(layout, layout.place(rank)[0]).rows,
        "collectives": collectives(layout, rank),
        "steps": [],
        "last": [],
        "not_seen": [],
    }


def steps(layout: Layout, rank: int, rows: list[Document]) -> list[Document]:
    """Returns the rows' collectives by step.

    The first step holds the collectives that do not divide evenly among the steps. An extra step runs at the end. No
    two steps, and no two ranks, have the same durations.
    """
    listed = []
    at = datetime.fromisoformat(layout.started_at)
    for step in range(layout.steps + 1):
        runs = step == layout.steps
        start, at = at, at + timedelta(milliseconds=100 + 10 * step + rank)
        amounts: dict[tuple[str, str], Document] = {}
        for each in rows:
            calls, rest = divmod(each["count"], layout.steps)
            count = 0 if runs else calls + (rest if step == 0 else 0)
            if count > 0:
                key = (each["kind"], each["group"])
                sums = amounts.setdefault(key, {"kind": key[0], "group": key[1], "count": 0, "bytes": 0})
                sums["count"] += count
                sums["bytes"] += count * each["bytes"] // each["count"]
        listed.append(
            {
                "first_step": step,
                "steps": 1,
                "started_at": start.isoformat(timespec="microseconds") + "Z",
                "ended_at": None if runs else at.isoformat(timespec="microseconds") + "Z",
                "forward_passes": 0 if runs else 1,
                "backward_passes": 0 if runs else 1,
                "collectives": [amounts[key] for key in sorted(amounts)],
            }
        )
    return listed


def with_steps(layout: Layout) -> Callable[[int, Document], None]:
    """Returns a change for write_reports() that adds steps."""

    def change(rank: int, document: Document) -> None:
        document["steps"] = steps(layout, rank, document["collectives"])

    return change


#: Kind: the NCCL function that carries it out. These jobs make no all_to_all.
FUNCTIONS = {
    "all_gather": "ncclAllGather",
    "reduce_scatter": "ncclReduceScatter",
    "all_reduce": "ncclAllReduce",
    "broadcast": "ncclBroadcast",
    "send": "ncclSend",
    "recv": "ncclRecv",
}


def nccl(document: Document, version: str | None = "2.29.7") -> Document:
    """Returns the NCCL calls behind a report's collectives, and one failed call of another library."""
    names = [group["name"] for group in document["groups"]]
    size = document["groups"][0]["size"]
    of_ops = [
        {
            "function": FUNCTIONS[each["kind"]],
            "communicator": names.index(each["group"]),
            **{name: each[name] for name in ("op", "group", "module", "phase", "dtype")},
            "in_group": each["kind"] in ("send", "recv"),
            "source": "call",
            "failed": 0,
            "captured": 0,
            **{name: each[name] for name in ("count", "bytes")},
        }
        for each in document["collectives"]
    ]
    beside = dict.fromkeys(of_ops[0], None) | {"function": "ncclBroadcast", "communicator": 0, "module": "Engine"}
    beside |= {
        "phase": "other",
        "in_group": False,
        "source": "call",
        "count": 1,
        "failed": 1,
        "bytes": 0,
        "captured": 0,
    }
    return {
        "version": version,
        "communicators": [
            {"size": group["size"], "rank": document["job"]["rank"] % size, "group": group["name"]}
            for group in document["groups"]
        ],
        "calls": [*of_ops, beside],
    }


def to_text(document: Document) -> str:
    """Returns the report's text as commtap writes it, with one row per line."""
    parts = []
    for name, value in document.items():
        text = json.dumps(value, separators=(",", ":"))
        if isinstance(value, list):
            rows = ",\n    ".join(json.dumps(each, separators=(",", ":")) for each in value)
            text = f"[\n    {rows}\n  ]" if value else "[]"
        parts.append(f'  "{name}": {text}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def write_reports(folder: Path, layout: Layout, change: Callable[[int, Document], None] | None = None) -> None:
    """Writes all ranks' reports; `change` may alter each report before it is written."""
    folder.mkdir(parents=True, exist_ok=True)
    for rank in range(layout.ranks):
        document = report(layout, rank)
        if change:
            change(rank, document)
        (folder / f"rank-{rank:05d}.json").write_text(to_text(document), encoding="utf-8")


def write_many(folder: Path, layout: Layout) -> None:
    """Writes all ranks' reports quickly. Ranks of a stage differ only in their job and their groups."""
    folder.mkdir(parents=True, exist_ok=True)
    stage_size = layout.ranks // layout.pp
    for stage in range(layout.pp):
        first = stage * stage_size
        rows = {"collectives": collectives(layout, first), "steps": [], "last": [], "not_seen": []}
        tables = to_text(rows)[2:]
        modules = to_text({"modules": Modules(layout, stage).rows})[2:-3]
        names = [group["name"] for group in groups(layout, first)[1:]]
        for rank in range(first, first + stage_size):
            own = tables
            listed = groups(layout, rank)
            for old, group in zip(names, listed[1:], strict=True):
                own = own.replace(f'"group":"{old}"', f'"group":"{group["name"]}"')
            head = to_text({"schema": "commtap/2", "job": job(layout, rank), "groups": listed})[:-3]
            text = head + ",\n" + modules + ",\n" + own
            (folder / f"rank-{rank:05d}.json").write_text(text, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    for name, default in {"ranks": 16384, "tp": 8, "pp": 4, "layers": 12, "steps": 1000}.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    arguments = vars(parser.parse_args())
    folder = arguments.pop("folder")
    write_many(folder, Layout(**arguments))


if __name__ == "__main__":
    main()
