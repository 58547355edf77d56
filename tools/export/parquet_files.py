# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the tables of runs as Parquet files: `parquet_files.py FOLDER`, started by `commtap export --format parquet`.

The first line of stdin has the tables and their columns' types. Each further line names a run and a folder with its
tables as JSON lines, which is removed once FOLDER/TABLE/RUN.parquet stands for each table. A file is replaced as a
whole, so that a run that is exported again has its rows once.
"""

import concurrent.futures
import hashlib
import json
import os
import shutil
import sys
import urllib.parse
from pathlib import Path

EXIT_NO_PYARROW = 3

try:
    import pyarrow
    import pyarrow.json
    import pyarrow.parquet
except ImportError:
    sys.exit(EXIT_NO_PYARROW)

TYPES = {
    "BIGINT": pyarrow.int64(),
    "DOUBLE": pyarrow.float64(),
    "BOOLEAN": pyarrow.bool_(),
    "VARCHAR": pyarrow.string(),
    "BIGINT[]": pyarrow.list_(pyarrow.int64()),
    "VARCHAR[]": pyarrow.list_(pyarrow.string()),
}
#: The longest file name that holds a run's whole name.
MOST_NAME = 150
BLOCK_BYTES = 8 << 20


def file_name(run_id: str) -> str:
    """A name for the run's files, which no other run has."""
    quoted = urllib.parse.quote(run_id, safe="@+,") or "%"
    if len(quoted) > MOST_NAME:
        quoted = quoted[: MOST_NAME - 41] + "-" + hashlib.sha1(run_id.encode()).hexdigest()
    return quoted + ".parquet"


def write_table(source: Path, target: Path, schema: pyarrow.Schema) -> None:
    """Reads block by block, so that a run of any size needs the memory of some rows."""
    temporary = target.with_name(f".{target.name}.{os.getpid()}")
    options = pyarrow.json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="error")
    reading = pyarrow.json.ReadOptions(block_size=BLOCK_BYTES)
    with pyarrow.parquet.ParquetWriter(temporary, schema, compression="zstd") as writer:
        if source.stat().st_size > 0:
            for batch in pyarrow.json.open_json(source, read_options=reading, parse_options=options):
                writer.write_batch(batch)
    temporary.replace(target)


def write_run(folder: Path, run: dict[str, str], schemas: dict[str, pyarrow.Schema]) -> None:
    for table, schema in schemas.items():
        target = folder / table
        target.mkdir(exist_ok=True)
        write_table(Path(run["folder"]) / f"{table}.jsonl", target / file_name(run["run_id"]), schema)
    shutil.rmtree(run["folder"])


def main() -> None:
    folder = Path(sys.argv[1])
    tables = json.loads(sys.stdin.readline())
    schemas = {
        table: pyarrow.schema([(name, TYPES[kind]) for name, kind in columns]) for table, columns in tables.items()
    }
    workers = os.cpu_count() or 1
    failed = False
    running: set[concurrent.futures.Future[None]] = set()
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        for line in sys.stdin:
            running.add(pool.submit(write_run, folder, json.loads(line), schemas))
            done, running = concurrent.futures.wait(
                running,
                timeout=None if len(running) > workers else 0,
                return_when=concurrent.futures.FIRST_COMPLETED,
            )
            failed = any([say_failure(each) for each in done]) or failed
        failed = any([say_failure(each) for each in running]) or failed
    sys.exit(1 if failed else 0)


def say_failure(run: concurrent.futures.Future[None]) -> bool:
    """Prints why a run was not written."""
    error = run.exception()
    if error is not None:
        print(f"commtap: {error}", file=sys.stderr)
    return error is not None


if __name__ == "__main__":
    main()
