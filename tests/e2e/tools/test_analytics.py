# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the queries of docs/analytics.md verbatim in DuckDB, over two runs of a thousand ranks."""

import re
import subprocess
from collections.abc import Iterator
from typing import Any

import duckdb
import pytest
from generate_reports import Document, Layout, report, write_reports
from harness import COMMAND

from report import REPOSITORY

PAGE = (REPOSITORY / "docs" / "analytics.md").read_text(encoding="utf-8")
QUERIES = dict(re.findall(r"```sql\n-- (\w+)\n(.*?)```", PAGE, re.DOTALL))
TABLES = ("processes", "groups", "modules", "collectives", "not_seen")

RANKS = 1024
BEFORE = Layout(ranks=RANKS, tp=8, pp=2, layers=4, run_id="monday", started_at="2026-11-16T08:00:00")
NOW = Layout(ranks=RANKS, tp=8, pp=2, layers=4, run_id="tuesday", started_at="2026-11-17T08:00:00")
STRAGGLER = 77


def is_grown(row: Document) -> bool:
    """Returns whether the row differs on Tuesday."""
    return ".layers.3.attention" in row["module"] and row["kind"] == "all_gather" and row["phase"] == "forward"


def tuesday(rank: int, document: Document) -> None:
    """Adds an all_gather per step in one module, and a scatter on one rank only."""
    for row in document["collectives"]:
        if is_grown(row):
            for field in ("count", "bytes", "bus_bytes"):
                row[field] *= 2
    if rank == STRAGGLER:
        row = dict(document["collectives"][0])
        row |= {"op": "c10d.scatter_", "kind": "scatter", "count": 5, "bytes": 500, "bus_bytes": 500.0}
        document["collectives"].append(row)
        document["job"] |= {"exit": "killed", "ended_at": None}


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yields a database with the tables made as the page says."""
    folder = tmp_path_factory.mktemp("analytics")
    write_reports(folder / "runs" / "monday", BEFORE)
    write_reports(folder / "runs" / "tuesday", NOW, tuesday)
    command = [COMMAND, "export", folder / "runs", "--all", "--format", "jsonl", "--all-tables", folder / "tables"]
    subprocess.run(command, check=True, timeout=240)
    connection = duckdb.connect()
    for table in TABLES:
        path = folder / "tables" / f"{table}.jsonl"
        if path.stat().st_size > 0:
            connection.execute(f"CREATE TABLE {table} AS SELECT * FROM read_json('{path}', sample_size = -1)")
    yield connection
    connection.close()


def ask(database: duckdb.DuckDBPyConnection, name: str) -> list[dict[str, Any]]:
    """Returns the result rows of one of the page's queries."""
    result = database.execute(QUERIES[name])
    names = [column[0] for column in result.description]
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


def test_the_tables_hold_every_report(database: duckdb.DuckDBPyConnection) -> None:
    """The tables have both runs, all ranks, and the sums of the reports."""
    assert database.execute("SELECT COUNT(*), COUNT(DISTINCT run_id) FROM processes").fetchone() == (2 * RANKS, 2)
    for rank in (0, STRAGGLER, RANKS - 1):
        expected = sum(row["bytes"] for row in report(BEFORE, rank)["collectives"])
        query = f"SELECT SUM(bytes) FROM collectives WHERE run_id = 'monday' AND rank = {rank}"
        assert database.execute(query).fetchone() == (expected,)


def test_skew(database: duckdb.DuckDBPyConnection) -> None:
    """A scatter on one rank has no peers; a kind on all ranks has its spread."""
    rows = ask(database, "skew")
    alone = [row for row in rows if row["kind"] == "scatter" and row["ranks"] == 1]
    assert [row["rank_of_most"] for row in alone] == [STRAGGLER]
    sums = [
        sum(row["bytes"] for row in report(BEFORE, rank)["collectives"] if row["kind"] == "reduce_scatter")
        for rank in range(RANKS)
    ]
    found = [row for row in rows if row["run_id"] == "monday" and row["kind"] == "reduce_scatter"]
    assert sum(row["mean_bytes"] * row["ranks"] for row in found) == pytest.approx(sum(sums))
    assert all(row["least_bytes"] <= row["mean_bytes"] <= row["most_bytes"] for row in rows)
    assert [row["skew"] for row in rows] == sorted((row["skew"] for row in rows), reverse=True)


def test_modules(database: duckdb.DuckDBPyConnection) -> None:
    """The query returns a module's bytes per step on the ranks of its stage."""
    document = report(BEFORE, 0)
    row = next(row for row in document["collectives"] if is_grown(row))
    total = sum(
        each["bytes"]
        for each in document["collectives"]
        if (each["module"], each["kind"]) == (row["module"], row["kind"])
    )
    found = [
        each
        for each in ask(database, "modules")
        if (each["run_id"], each["module"], each["kind"]) == ("monday", row["module"], row["kind"])
    ]
    assert len(found) == 1
    assert found[0]["bytes_per_rank"] == pytest.approx(total)
    calls = max(module["calls"].get("forward", 0) for module in document["modules"] if module["parent"] == 0)
    assert found[0]["bytes_per_call"] == pytest.approx(total / calls)


def test_regressions(database: duckdb.DuckDBPyConnection) -> None:
    """The query returns everything that grew from Monday to Tuesday, and nothing else."""
    rows = ask(database, "regressions")
    grown = [row for row in rows if row["kind"] != "scatter"]
    assert grown
    for row in grown:
        assert is_grown(row)
        assert row["calls_now"] == 2 * row["calls_before"] > 0
        assert row["bytes_more"] == row["bytes_before"]
    new = [row for row in rows if row["kind"] == "scatter"]
    assert [(row["calls_before"], row["calls_now"], row["bytes_more"]) for row in new] == [(0, 5, 500)]


def test_disagreements(database: duckdb.DuckDBPyConnection) -> None:
    """Ranks of each group agree on Monday; on Tuesday only one rank differs from its peers."""
    rows = ask(database, "disagreements")
    assert {row["run_id"] for row in rows} == {"tuesday"}
    assert [(row["kind"], row["rank_of_most"], row["most"], row["ranks"]) for row in rows] == [
        ("scatter", STRAGGLER, 5, 1)
    ]
    assert rows[0]["group_size"] > 1


def test_endings(database: duckdb.DuckDBPyConnection) -> None:
    """The query returns each run's endings; the killed rank is in Tuesday's."""
    rows = [(row["run_id"], row["exit"], row["ranks"], row["world_size"]) for row in ask(database, "endings")]
    assert rows == [
        ("monday", "normal", RANKS, RANKS),
        ("tuesday", "killed", 1, RANKS),
        ("tuesday", "normal", RANKS - 1, RANKS),
    ]


def test_every_query_of_the_page_is_tested() -> None:
    """Each query of the page needs a test with its name here."""
    assert set(QUERIES) == {name.removeprefix("test_") for name in globals() if name.removeprefix("test_") in QUERIES}
    assert len(QUERIES) == PAGE.count("```sql") == 5
