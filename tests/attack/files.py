# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Puts monster files, strange kinds of files and hostile names among good reports, and runs every subcommand."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from attempts import Attempt, Verdict, ask, judge

#: Subcommands and options, with FOLDER for the folder. The second one's output is data, not text for a terminal.
TEXTS = (
    ("show", "FOLDER"),
    ("show", "--steps", "--last", "--time", "--nccl", "FOLDER"),
    ("show", "--ranks", "FOLDER"),
    ("check", "FOLDER", "FOLDER"),
    ("diff", "FOLDER", "FOLDER"),
)
DATA = (
    ("show", "--json", "FOLDER"),
    ("export", "--format", "job", "FOLDER"),
    ("html", "FOLDER", "-o", "/dev/null"),
    *(
        ("export", "--format", each, "FOLDER")
        for each in ("openmetrics", "prometheus", "csv", "jsonl", "commdebug", "perfetto")
    ),
)
NAMES = (
    *("line\nbreak.json", "\x1b[2J.json", "\u202egnp.json", "%n%s.json", "-o.json", " .json", "a" * 250 + ".json"),
    *("\x1b]0;title\x07.ledger", "rank-99999999999999999999.json", "'\"; rm -rf x.json", "$(id).json"),
)


def zeros(path: Path) -> None:
    """A file of 3 GiB without blocks on the disk."""
    with path.open("wb") as file:
        file.truncate(3 << 30)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def endless_process_file(path: Path) -> None:
    path.symlink_to("/proc/self/pagemap")


def loop(path: Path) -> None:
    path.symlink_to(path)


def outside(path: Path) -> None:
    path.symlink_to("/")


def tree(path: Path) -> None:
    """A folder that is named like a report and holds itself."""
    path.mkdir()
    (path / "again").symlink_to("..")


def deep(path: Path) -> None:
    path.write_text("[" * 5_000_000)


def long_number(path: Path) -> None:
    path.write_text('{"schema": "commtap/2", "job": ' + "9" * 1_000_000 + "}")


def long_text(path: Path) -> None:
    path.write_text('{"schema": "commtap/2", "job": "' + "x" * 50_000_000 + '"}')


def unreadable(path: Path) -> None:
    path.write_text("{}")
    path.chmod(0)


def empty(path: Path) -> None:
    path.touch()


def strangers(path: Path) -> None:
    """Two thousand files of other programs."""
    path.mkdir()
    for number in range(2_000):
        (path / f"{number}.json").write_text('{"loss": 0.5}')


MONSTERS: tuple[Callable[[Path], None], ...] = (
    *(zeros, os.mkfifo, device, endless_process_file, loop, outside, tree, deep, long_number, long_text, unreadable),
    *(empty, strangers),
)


def named(name: str, report: Path, path: Path) -> None:
    """A good report under a hostile name, with that name inside as well."""
    shutil.copy(report, path / name)


def runs(command: Path, folder: Path, what: str) -> Iterator[Attempt]:
    """Runs every subcommand on the folder."""
    for arguments in (*TEXTS, *DATA):
        filled = [str(folder) if each == "FOLDER" else each for each in arguments]
        yield judge(f"{what}: {' '.join(arguments)}", ask(command, *filled), is_text=arguments in TEXTS)


def keeps_good_reports(command: Path, folder: Path, what: str, rows: int) -> Attempt:
    """The good report's rows are there, and nothing else's."""
    answer = ask(command, "export", "--format", "jsonl", "--table", "collectives", folder)
    found = len(answer.out.splitlines())
    fits = found == rows
    return Attempt(what, *(() if fits else (Verdict.SILENT, f"{found} rows, not {rows}")))


def attack(command: Path, report: Path, folder: Path) -> Iterator[Attempt]:
    """Tries every monster next to a good report, as a report and as a ledger, and every name."""
    rows = len(ask(command, "export", "--format", "jsonl", report).out.splitlines())
    for monster in MONSTERS:
        for ending in ("json", "ledger"):
            what = f"{monster.__name__}.{ending}"
            place = folder / what.replace(".", "-")
            place.mkdir()
            shutil.copy(report, place / "rank-00000.json")
            monster(place / f"monster.{ending}")
            yield from runs(command, place, what)
            yield keeps_good_reports(command, place, what, rows)
            shutil.rmtree(place)
    for number, name in enumerate(NAMES):
        place = folder / f"name-{number}"
        place.mkdir()
        named(name, report, place)
        yield from runs(command, place, f"name {name!r:.60}")
        shutil.rmtree(place)
