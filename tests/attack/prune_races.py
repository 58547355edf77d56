# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Exchanges reports, ledgers and their folders with foreign ones while commands delete them. No foreign file may go."""

import ctypes
import json
import multiprocessing
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.synchronize import Event
from pathlib import Path

from attempts import Attempt, Verdict, ask, judge

#: Each kind of race is tried again and again for so long.
SECONDS = 5.0
REPORTS = 30
LEDGERS = 4
PRUNE = ("prune", "--keep", "30d")
LONG_AGO = "2020-01-01T00:00:00.000000Z"
_AT_FDCWD, _RENAME_EXCHANGE = -100, 2
_libc = ctypes.CDLL(None)


def exchange(one: Path, other: Path) -> None:
    """Exchanges two names at once: this program deletes nothing. Does nothing if one of them is not there."""
    _libc.renameat2(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE)


@dataclass
class Scene:
    """A folder that a command works on, and pairs of names of which one is foreign."""

    folder: Path
    pairs: list[tuple[Path, Path]]
    #: Where foreign files are.
    around: Path
    foreign: set[str]


def foreign_text(number: int) -> str:
    return f"foreign {number}"


def old_report(report: Path) -> str:
    """Returns a report of a process that ended long ago."""
    document = json.loads(report.read_text())
    document["job"]["started_at"] = document["job"]["ended_at"] = LONG_AGO
    return json.dumps(document)


def write_old(path: Path, text: str) -> None:
    path.write_text(text)
    os.utime(path, (1, 1))


def copy_sparsely(source: Path, target: Path) -> None:
    """A ledger has 76 MiB, most of them holes."""
    subprocess.run(["cp", "--sparse=always", source, target], check=True)


def exchanged_files(place: Path, names: list[str], write: Callable[[Path], None]) -> Scene:
    """Files next to foreign ones."""
    folder = place / "out"
    folder.mkdir()
    pairs = [(folder / name, folder / f"mine-{number}.txt") for number, name in enumerate(names)]
    for number, (ours, mine) in enumerate(pairs):
        write(ours)
        write_old(mine, foreign_text(number))
    return Scene(folder, pairs, place, {foreign_text(number) for number in range(len(names))})


def report_files(place: Path, text: str) -> Scene:
    names = [f"rank-{number:05}.json" for number in range(REPORTS)]
    return exchanged_files(place, names, lambda path: write_old(path, text))


def ledger_files(place: Path, ledger: Path) -> Scene:
    """Few, since a ledger must be found under its name four times before it is converted."""
    pid = (1 << 22) + 1  # larger than any
    names = [f"rank-{number:05}.{os.uname().nodename}-{pid}.ledger" for number in range(LEDGERS)]
    return exchanged_files(place, names, lambda path: copy_sparsely(ledger, path))


def report_folders(place: Path, text: str) -> Scene:
    """Folders of reports, and folders elsewhere with foreign files of the same names."""
    pairs = [(place / "out" / f"run-{number}", place / f"mine-{number}") for number in range(REPORTS)]
    for number, (ours, mine) in enumerate(pairs):
        ours.mkdir(parents=True)
        mine.mkdir()
        write_old(ours / "rank-00000.json", text)
        write_old(mine / "rank-00000.json", foreign_text(number))
    return Scene(place / "out", pairs, place, {foreign_text(number) for number in range(REPORTS)})


def folder_links(place: Path, text: str) -> Scene:
    """Folders of reports, and links to folders elsewhere with whole reports: backups, which must stay."""
    pairs = [(place / "out" / f"run-{number}", place / f"link-{number}") for number in range(REPORTS)]
    backups = place / "backups"
    for number, (ours, link) in enumerate(pairs):
        ours.mkdir(parents=True)
        write_old(ours / "rank-00000.json", text)
        (backups / f"run-{number}").mkdir(parents=True)
        write_old(backups / f"run-{number}" / "rank-00000.json", f"{text}{' ' * number}")
        link.symlink_to(backups / f"run-{number}")
    return Scene(place / "out", pairs, backups, {f"{text}{' ' * number}" for number in range(REPORTS)})


def swap(pairs: list[tuple[Path, Path]], ended: Event) -> None:
    while not ended.is_set():
        for ours, mine in pairs:
            exchange(ours, mine)


def lost(scene: Scene) -> list[str]:
    """Returns the foreign texts that no file holds now."""
    longest = max(len(text) for text in scene.foreign) + 1
    found = set()
    for path in scene.around.rglob("*"):
        if path.is_file():
            with path.open(errors="replace") as file:
                found.add(file.read(longest))
    return sorted(scene.foreign - found)


def race(name: str, scene: Scene, command: Path, *arguments: str) -> Attempt:
    """Runs the command while another process exchanges the names."""
    ended = multiprocessing.Event()
    swapper = multiprocessing.Process(target=swap, args=(scene.pairs, ended))
    swapper.start()
    try:
        answer = ask(command, *arguments, scene.folder)
    finally:
        ended.set()
        swapper.join()
    attempt = judge(name, answer)
    if attempt.verdict == Verdict.WITHSTOOD and (gone := lost(scene)):
        return Attempt(name, Verdict.DELETED, f"{len(gone)} foreign files were deleted, among them {gone[0]:.40}")
    return attempt


def attack(command: Path, report: Path, ledger: Path, folder: Path) -> Iterator[Attempt]:
    """Runs each kind of race for a while."""
    text = old_report(report)
    kinds: tuple[tuple[str, Callable[[Path], Scene], tuple[str, ...]], ...] = (
        ("reports and foreign files", lambda place: report_files(place, text), PRUNE),
        ("folders of reports and foreign folders", lambda place: report_folders(place, text), PRUNE),
        ("folders of reports and links", lambda place: folder_links(place, text), PRUNE),
        ("ledgers and foreign files", lambda place: ledger_files(place, ledger), ("list",)),
    )
    for name, make, arguments in kinds:
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            place = folder / "scene"
            place.mkdir()
            attempt = race(name, make(place), command, *arguments)
            if attempt.verdict == Verdict.WITHSTOOD:
                shutil.rmtree(place)
            else:
                place.rename(folder / f"scene-{time.monotonic_ns()}")
            yield attempt
