# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Reads commtap's reports, checks each against the JSON Schema, and answers queries of tests."""

import functools
import json
from collections import Counter
from pathlib import Path
from typing import Any

import jsonschema
from referencing import Registry, Resource

REPOSITORY = Path(__file__).resolve().parents[3]
SCHEMA = REPOSITORY / "docs" / "schema" / "commtap-2.schema.json"

Row = dict[str, Any]


def ranks_of(ranges: str) -> list[int]:
    """Returns the ranks in "0-3,8", in order."""
    bounds = [part.split("-") for part in ranges.split(",")] if ranges else []
    return [rank for bound in bounds for rank in range(int(bound[0]), int(bound[-1]) + 1)]


def ranges_of(ranks: list[int]) -> str:
    """Returns the ranges that ranks are written as, in their order."""
    runs: list[list[int]] = []
    for rank in ranks:
        if runs and runs[-1][-1] + 1 == rank:
            runs[-1][1:] = [rank]
        else:
            runs.append([rank])
    return ",".join("-".join(map(str, run)) for run in runs)


def closed(schema: Any) -> Any:
    """Returns the schema with unknown fields forbidden: readers ignore them, but a writer has none by mistake."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {name: closed(each) for name, each in schema.items()}
    is_object = isinstance(schema.get("properties"), dict) and schema.get("type") == "object"
    return inner | {"additionalProperties": schema.get("additionalProperties", False)} if is_object else inner


@functools.cache
def validator() -> jsonschema.Draft202012Validator:
    """Returns the schema's validator, built once."""
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(closed(schema))


def document_of(text: str) -> Any:
    """Returns the document that a command has printed with `--json`, which follows the schema that it names."""
    document = json.loads(text)
    files = sorted(SCHEMA.parent.glob("*.json"))
    schemas = [json.loads(path.read_text(encoding="utf-8")) for path in files]
    registry = Registry().with_resources((each["$id"], Resource.from_contents(each)) for each in schemas)
    name = document["schema"].replace(".", "-").replace("/", "-")
    schema = closed(registry[f"{name}.schema.json"].contents)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema, registry=registry).validate(document)
    return document


def bus_factor(kind: str, size: int) -> float:
    """Returns nccl-tests' bus bandwidth factor, implemented again to check the tracker's."""
    if kind == "all_reduce":
        return 2 * (size - 1) / size
    if kind in ("all_gather", "reduce_scatter", "all_to_all", "gather", "scatter"):
        return (size - 1) / size
    if kind in ("broadcast", "reduce", "send", "recv"):
        return 0.0 if size == 1 else 1.0
    return 0.0


class Report:
    """One process's report."""

    def __init__(self, document: dict[str, Any], path: Path) -> None:
        validator().validate(document)
        self.path = path
        self.job: dict[str, Any] = document["job"]
        self.groups: list[dict[str, Any]] = [
            group | {"ranks": group["ranks"] and ranks_of(group["ranks"])} for group in document["groups"]
        ]
        self.modules: list[dict[str, Any]] = document["modules"]
        self.collectives: list[Row] = document["collectives"]
        self.members: list[Row] = document.get("members", [])
        self.operations: list[Row] | None = document.get("operations")
        self.steps: list[Row] = document.get("steps", [])  # a generated report has none
        self.last: list[Row] = document.get("last", [])
        self.nccl: dict[str, Any] | None = document.get("nccl")
        self.open_calls: list[dict[str, Any]] = document.get("open_calls", [])
        self.cuda_graphs: list[Row] = document.get("cuda_graphs", [])
        self.own_cost: Row | None = document.get("own_cost")
        self.not_seen: list[dict[str, Any]] = document["not_seen"]

    @classmethod
    def read(cls, path: Path) -> "Report":
        """Reads a report from its file. Raises if it violates the schema."""
        return cls(json.loads(path.read_text(encoding="utf-8")), path)

    def rows(self, **where: Any) -> list[Row]:
        """Returns the collectives whose fields have these values; a tuple of values means any of them."""
        return [
            row
            for row in self.collectives
            if all(row[key] in value if isinstance(value, tuple) else row[key] == value for key, value in where.items())
        ]

    def total(self, field: str = "count", **where: Any) -> float:
        """Returns the sum of a field over the rows that `where` selects."""
        return sum(row[field] for row in self.rows(**where))

    def table(self, *keys: str, field: str = "count", **where: Any) -> dict[Any, float]:
        """Returns sums of a field by the values of `keys`, which form a tuple if there are several keys."""
        sums: Counter = Counter()
        for row in self.rows(**where):
            sums[row[keys[0]] if len(keys) == 1 else tuple(row[key] for key in keys)] += row[field]
        return dict(sums)

    def inclusive(self, module: str, field: str = "count", **where: Any) -> float:
        """Returns the sum of a field over a module and its descendants."""
        return sum(
            row[field]
            for row in self.rows(**where)
            if module == "Global" or row["module"] == module or row["module"].startswith(module + ".")
        )

    def module(self, name: str) -> dict[str, Any]:
        """Returns the last module with this clean name, which is not a wrapper: wrappers come before their contents."""
        found = [module for module in self.modules if module["name"] == name]
        assert found, f"no module {name} in {[module['name'] for module in self.modules]}"
        return found[-1]

    def names(self) -> list[str]:
        """Returns the clean module names in the report's order."""
        return [module["name"] for module in self.modules]

    def raw_names(self) -> list[str]:
        """Returns the raw module names in the report's order."""
        return [module["raw_name"] for module in self.modules]

    def tree(self) -> dict[str, str | None]:
        """Returns each module's parent, by raw name."""
        by_id = {module["id"]: module for module in self.modules}
        return {
            module["raw_name"]: None if module["parent"] is None else by_id[module["parent"]]["raw_name"]
            for module in self.modules
        }

    def group_size(self, name: str) -> int:
        """Returns the number of ranks in a group."""
        return next(group["size"] for group in self.groups if group["name"] == name)

    def parameters(self) -> list[dict[str, Any]]:
        """Returns all parameters, each with the raw name of its module."""
        return [
            {"module": module["raw_name"], **parameter} for module in self.modules for parameter in module["parameters"]
        ]
