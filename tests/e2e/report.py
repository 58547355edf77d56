# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Reads commtap's reports, checks each against the JSON Schema, and answers the tests' questions."""

import functools
import json
from collections import Counter
from pathlib import Path
from typing import Any

import jsonschema

REPOSITORY = Path(__file__).resolve().parents[2]
SCHEMA = REPOSITORY / "docs" / "schema" / "commtap-1.schema.json"

Row = dict[str, Any]


@functools.cache
def validator() -> jsonschema.Draft202012Validator:
    """The schema, checked and compiled once."""
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def bus_factor(kind: str, size: int) -> float:
    """nccl-tests' bus bandwidth factor, written down a second time to hold the first against."""
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
        self.groups: list[dict[str, Any]] = document["groups"]
        self.modules: list[dict[str, Any]] = document["modules"]
        self.collectives: list[Row] = document["collectives"]
        self.operations: list[Row] | None = document.get("operations")
        self.steps: list[Row] = document.get("steps", [])  # a generated report has none
        self.last: list[Row] = document.get("last", [])
        self.nccl: dict[str, Any] | None = document.get("nccl")
        self.cuda_graphs: list[Row] = document.get("cuda_graphs", [])
        self.own_cost: Row | None = document.get("own_cost")
        self.not_seen: list[dict[str, Any]] = document["not_seen"]

    @classmethod
    def read(cls, path: Path) -> "Report":
        """A report from its file; raises if it is not what the schema says."""
        return cls(json.loads(path.read_text(encoding="utf-8")), path)

    def rows(self, **where: Any) -> list[Row]:
        """The collectives whose fields have these values; a tuple of values means any of them."""
        return [
            row
            for row in self.collectives
            if all(row[key] in value if isinstance(value, tuple) else row[key] == value for key, value in where.items())
        ]

    def total(self, field: str = "count", **where: Any) -> float:
        """The sum of a field over the rows that `where` names."""
        return sum(row[field] for row in self.rows(**where))

    def table(self, *keys: str, field: str = "count", **where: Any) -> dict[Any, float]:
        """Sums of a field by the values of `keys`: of one key plain, of several as tuples."""
        sums: Counter = Counter()
        for row in self.rows(**where):
            sums[row[keys[0]] if len(keys) == 1 else tuple(row[key] for key in keys)] += row[field]
        return dict(sums)

    def inclusive(self, module: str, field: str = "count", **where: Any) -> float:
        """The sum of a field over a module and all below it; Global has everything below it."""
        return sum(
            row[field]
            for row in self.rows(**where)
            if module == "Global" or row["module"] == module or row["module"].startswith(module + ".")
        )

    def module(self, name: str) -> dict[str, Any]:
        """The module with this clean name that is called, or that holds parameters; a wrapper's own has neither."""
        found = [module for module in self.modules if module["name"] == name]
        assert found, f"no module {name} in {[module['name'] for module in self.modules]}"
        return found[-1]

    def names(self) -> list[str]:
        """Clean module names in the report's order."""
        return [module["name"] for module in self.modules]

    def raw_names(self) -> list[str]:
        """Raw module names in the report's order."""
        return [module["raw_name"] for module in self.modules]

    def tree(self) -> dict[str, str | None]:
        """Each module's parent, by raw name."""
        by_id = {module["id"]: module for module in self.modules}
        return {
            module["raw_name"]: None if module["parent"] is None else by_id[module["parent"]]["raw_name"]
            for module in self.modules
        }

    def group_size(self, name: str) -> int:
        """The number of ranks in a group."""
        return next(group["size"] for group in self.groups if group["name"] == name)

    def parameters(self) -> list[dict[str, Any]]:
        """All parameters, each with the raw name of the module that holds it."""
        return [
            {"module": module["raw_name"], **parameter} for module in self.modules for parameter in module["parameters"]
        ]
