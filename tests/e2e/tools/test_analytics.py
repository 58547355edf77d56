# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the queries of docs/analytics.md verbatim in DuckDB and Spark, over two runs of a thousand ranks."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest
from generate_reports import Document, Layout, report, steps, write_reports
from harness import COMMAND

from report import REPOSITORY

PAGE = (REPOSITORY / "docs" / "analytics.md").read_text(encoding="utf-8")
QUERIES = dict(re.findall(r"```sql\n-- (\w+)\n(.*?)```", PAGE, re.DOTALL))
TABLES = ("runs", "processes", "groups", "modules", "collectives", "not_seen")

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


#: Runs of one command line: each name has the commit, which says by how much it communicates more than the first.
GROWN = {"daily-1@c0ffee1": 1, "daily-2@c0ffee2": 1, "daily-3@c0ffee3": 2, "daily-4@c0ffee4": 2}


def export(runs: Path, lake: Path, *options: str, python: str = sys.executable) -> subprocess.CompletedProcess[str]:
    command = [
        COMMAND,
        "export",
        runs,
        "--all",
        "--format",
        "parquet",
        "--all-tables",
        lake,
        "--python",
        python,
    ]
    return subprocess.run([*command, *options], capture_output=True, text=True, check=False, timeout=240)


def write_daily(folder: Path) -> None:
    """Writes small runs with steps."""
    for day, (run_id, factor) in enumerate(GROWN.items()):
        layout = Layout(ranks=8, tp=2, pp=2, layers=1, run_id=run_id, started_at=f"2026-11-1{day}T08:00:00")

        def change(rank: int, document: Document, layout: Layout = layout, factor: int = factor) -> None:
            document["steps"] = steps(layout, rank, document["collectives"])
            for row in document["collectives"]:
                for field in ("count", "bytes", "bus_bytes"):
                    row[field] *= factor

        write_reports(folder / run_id, layout, change)


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tables of all runs as Parquet files."""
    folder = tmp_path_factory.mktemp("analytics")
    write_reports(folder / "runs" / "monday", BEFORE)
    write_reports(folder / "runs" / "tuesday", NOW, tuesday)
    write_daily(folder / "runs")
    done = export(folder / "runs", folder / "lake")
    assert done.returncode == 0, done.stderr
    return folder / "lake"


@pytest.fixture(scope="module")
def database(lake: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yields a database with the tables made as the page says. The daily runs are only in the table of runs."""
    connection = duckdb.connect()
    for table in TABLES:
        chosen = "" if table == "runs" else " WHERE run_id NOT LIKE 'daily%'"
        connection.execute(f"CREATE TABLE {table} AS SELECT * FROM '{lake}/{table}/*.parquet'{chosen}")
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


def test_failed(database: duckdb.DuckDBPyConnection) -> None:
    """The query returns the run of the last day of which a rank was killed."""
    rows = [(row["run_id"], row["killed"], row["failed"], row["processes"]) for row in ask(database, "failed")]
    assert rows == [("tuesday", 1, 0, RANKS)]


def test_growth(database: duckdb.DuckDBPyConnection) -> None:
    """The query names the commit from which on the runs communicate twice as much."""
    [row] = ask(database, "growth")
    assert (row["run_id"], row["commit_before"], row["commit"]) == ("daily-3@c0ffee3", "c0ffee2", "c0ffee3")
    assert row["growth"] == 2


def test_parquet_is_what_json_lines_are(lake: Path, tmp_path: Path) -> None:
    """Every table has the same rows in both formats."""
    runs = lake.parent / "runs" / "monday"
    command = [COMMAND, "export", runs, "--format", "jsonl", "--all-tables", tmp_path]
    subprocess.run(command, check=True, timeout=240)
    connection = duckdb.connect()
    tables = sorted(path.stem for path in tmp_path.glob("*.jsonl"))
    assert tables == sorted(path.name for path in lake.iterdir())
    for table in tables:
        lines = tmp_path / f"{table}.jsonl"
        rows = connection.execute(f"SELECT * FROM '{lake}/{table}/monday.parquet'").fetchall()
        assert len(rows) == len(lines.read_text().splitlines())
        for row, line in list(zip(rows, lines.open(), strict=True))[:: max(1, len(rows) // 100)]:
            assert list(row) == list(json.loads(line).values())


def test_an_export_is_repeated(tmp_path: Path) -> None:
    """A run that is exported again has its rows once; --since takes what has changed; nothing temporary stays."""
    write_daily(tmp_path / "runs")
    first, second, *_ = GROWN
    for path in (tmp_path / "runs" / first).iterdir():
        os.utime(path, (0, 0))
    count = f"SELECT run_id, COUNT(*) FROM '{tmp_path}/lake/processes/*.parquet' GROUP BY run_id ORDER BY run_id"
    assert export(tmp_path / "runs", tmp_path / "lake", "--since", "1h").returncode == 0
    assert duckdb.sql(count).fetchall() == [(run_id, 8) for run_id in GROWN if run_id != first]
    (tmp_path / "runs" / second / "rank-00007.json").unlink()
    for _ in range(2):
        assert export(tmp_path / "runs", tmp_path / "lake").returncode == 0
        assert duckdb.sql(count).fetchall() == [(run_id, 7 if run_id == second else 8) for run_id in GROWN]
    names = {path.name for path in tmp_path.rglob("*") if path.is_file() and path.suffix != ".json"}
    assert names == {f"{run_id}.parquet" for run_id in GROWN}
    assert not list((tmp_path / "lake").glob(".*"))


def test_what_parquet_needs(tmp_path: Path) -> None:
    """One line says what is missing."""
    write_daily(tmp_path / "runs")
    bare = tmp_path / "python"
    bare.write_text("#!/bin/sh\nexit 3\n")
    bare.chmod(0o755)
    for python, said in ((bare, "needs pyarrow: pip install pyarrow"), (tmp_path / "none", "needs a Python")):
        done = export(tmp_path / "runs", tmp_path / "lake", python=str(python))
        assert (done.returncode, said in done.stderr) == (1, True), done.stderr
    assert export(tmp_path / "runs", tmp_path / "lake", "--rank", "0").returncode == 2
    some = [COMMAND, "export", tmp_path / "runs", "--format", "parquet", "--all-tables", tmp_path / "lake"]
    done = subprocess.run(some, capture_output=True, text=True, check=False)
    assert (done.returncode, "needs --all" in done.stderr) == (2, True)
    assert "is no duration" in export(tmp_path / "runs", tmp_path / "lake", "--since", "yesterday").stderr


def rounded(rows: list[list[Any]]) -> list[list[Any]]:
    return [[round(cell, 6) if isinstance(cell, float | Decimal) else cell for cell in row] for row in rows]


@pytest.mark.long
def test_spark_has_the_same_rows(lake: Path, database: duckdb.DuckDBPyConnection) -> None:
    """Every query of the page, on Spark in one process."""
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    try:
        for table in TABLES:
            read = spark.read.parquet(str(lake / table))
            (read if table == "runs" else read.where("run_id NOT LIKE 'daily%'")).createOrReplaceTempView(table)
        for name, query in QUERIES.items():
            found = spark.sql(query).collect()
            expected = ask(database, name)
            assert len(found) == len(expected) > 0, name
            any_of_equals = [column for column in expected[0] if column.startswith("rank_of_")]
            kept = [column for column in expected[0] if column not in any_of_equals]
            in_spark, in_duckdb = (
                rounded(
                    [
                        [float(row[each]) if isinstance(row[each], Decimal) else row[each] for each in kept]
                        for row in rows
                    ]
                )
                for rows in (found, expected)
            )
            assert in_spark == in_duckdb, name
    finally:
        spark.stop()


@pytest.mark.long
def test_clickhouse_has_the_same_rows(lake: Path, database: duckdb.DuckDBPyConnection) -> None:
    """The page's query for ClickHouse, against the same sums in DuckDB."""
    import chdb

    [query] = re.findall(r'chdb\.query\("""(.*?)"""', PAGE, re.DOTALL)
    answer = chdb.query(query.replace("'lake/", f"'{lake}/"), "JSONCompactEachRow")
    found = [json.loads(line) for line in str(answer).splitlines()]
    expected = database.execute(
        f"SELECT run_id, kind, SUM(bytes) FROM '{lake}/collectives/*.parquet' GROUP BY ALL ORDER BY 3 DESC, 1, 2"
    ).fetchall()
    assert [(run_id, kind, int(total)) for run_id, kind, total, _ in found] == expected


def test_every_query_of_the_page_is_tested() -> None:
    """Each query of the page needs a test with its name here."""
    assert set(QUERIES) == {name.removeprefix("test_") for name in globals() if name.removeprefix("test_") in QUERIES}
    assert len(QUERIES) == PAGE.count("```sql") == 7
