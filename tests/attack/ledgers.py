# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Changes single bytes of a killed process's ledger and cuts it off, and holds every table against the whole ledger's.

A changed ledger must be refused with a line, name its damage in `not_seen`, or give the same tables. Only the numbers
that docs/design/ledger.md lists, because nothing can check them, may differ without a word.
"""

import csv
import random
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from attempts import Attempt, Verdict, ask, judge

Tables = dict[str, bytes]

#: The columns that docs/design/ledger.md lists, of the ledger of a killed process.
UNCHECKED = {
    "collectives.csv": ("bytes", "bus_bytes"),
    "last.csv": ("bytes", "peer", "step", "state", "issued_at", "started_at", "completed_at"),
    "modules.csv": ("calls_forward", "calls_backward", "calls_recompute", "calls_optimizer", "calls_other"),
    "nccl_calls.csv": ("count", "bytes"),
    "operations.csv": ("count",),
    "steps.csv": ("started_at", "ended_at", "forward_passes", "backward_passes", "running_ns", "exposed_ns"),
}


def checked(name: str, table: bytes) -> list[dict[str, str]]:
    """Returns the rows of a table without the columns that nothing can check."""
    rows = list(csv.DictReader(table.decode(errors="replace").splitlines()))
    return [{column: text for column, text in row.items() if column not in UNCHECKED.get(name, ())} for row in rows]


def tables(command: Path, ledger: Path, out: Path, name: str) -> tuple[Attempt, Tables, bool]:
    """Returns the verdict of the export, the tables, and whether the ledger was accepted without a word."""
    answer = ask(command, "export", "--format", "csv", "--all-tables", out, ledger)
    found = {path.name: path.read_bytes() for path in out.iterdir()} if out.is_dir() else {}
    shutil.rmtree(out, ignore_errors=True)
    return judge(name, answer), found, answer.status == 0


@contextmanager
def changed(path: Path, data: bytes, used: list[int], chance: random.Random) -> Iterator[str]:
    """Changes the ledger at `path`, yields the name of the change, and takes it back.

    Nine of ten changes hit a byte that is not 0.
    """
    with path.open("r+b") as file:
        if chance.random() < 0.02:
            end = chance.randrange(len(data))
            file.truncate(end)
            yield f"cut at {end}"
            file.seek(end)
            file.write(data[end:])
            return
        at = chance.choice(used) if chance.random() < 0.9 else chance.randrange(len(data))
        value = data[at] ^ (1 << chance.randrange(8)) if chance.random() < 0.5 else chance.randrange(256)
        put(file, at, value)
        yield f"byte {at} from {data[at]} to {value}"
        put(file, at, data[at])


def put(file: BinaryIO, at: int, value: int) -> None:
    """Writes one byte for readers to see."""
    file.seek(at)
    file.write(bytes([value]))
    file.flush()


def attack(command: Path, ledger: Path, folder: Path, count: int, seed: int) -> Iterator[Attempt]:
    """Makes `count` changes of one ledger."""
    data = ledger.read_bytes()
    used = [at for at, value in enumerate(data) if value != 0]
    path, out = folder / "changed.ledger", folder / "tables"
    path.write_bytes(data)
    _, expected, _ = tables(command, path, out, "the whole ledger")
    for number in range(count):
        with changed(path, data, used, random.Random(f"{seed} ledger {number}")) as name:
            attempt, found, accepted = tables(command, path, out, f"ledger {number}: {name}")
        same = all(found.get(table) == expected[table] for table in expected if table != "not_seen.csv")
        named = found.get("not_seen.csv") != expected["not_seen.csv"]
        if attempt.verdict is Verdict.WITHSTOOD and accepted and not same and not named:
            differ = [table for table in expected if found.get(table) != expected[table]]
            is_listed = all(
                table in found and checked(table, found[table]) == checked(table, expected[table]) for table in differ
            )
            verdict = Verdict.LISTED if is_listed else Verdict.SILENT
            attempt = Attempt(attempt.name, verdict, f"other rows in {', '.join(differ)}, exit status 0")
        yield attempt
