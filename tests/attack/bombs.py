# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Reads small files that become large in memory: compressed ones, and JSON of many values in few bytes.

Every command must stay below one bound of memory; --max-file-size lowers it.
"""

import gzip
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from attempts import Attempt, Verdict, ask, judge

COMMANDS = (
    *((verb, "FOLDER") for verb in ("show", "show --ranks", "advise", "list", "why", "prune --keep 1d --dry-run")),
    *(("diff", *pair) for pair in (("FOLDER", "FOLDER"), ("FILE", "FILE"))),
    *(
        (verb, "FILE")
        for verb in ("show", "show --ranks", "html -o /dev/null", "export --format jsonl", "check FILE --budget")
    ),
)
LOWER = "128MiB"
#: What a process takes that reads within --max-file-size=128MiB.
LOWER_MIB = 384


def gz(text: bytes) -> bytes:
    return gzip.compress(text, 1)


def zst(text: bytes, *options: str) -> bytes:
    return subprocess.run(["zstd", "-3", *options], input=text, capture_output=True, check=True).stdout


def wide(report: dict, values: int) -> bytes:
    """A report with a list of many lists in it."""
    return json.dumps(report | {"more": [[]] * values}).encode()


def rows(report: dict, times: int) -> bytes:
    """A good report of many rows, each of which another name of a module makes another."""
    modules = [report["modules"][0] | {"id": number, "name": f"m{number}"} for number in range(1, times)]
    return json.dumps(report | {"modules": [*report["modules"][:1], *modules], "collectives": []}).encode()


def files(report: dict) -> dict[str, Callable[[], bytes]]:
    """Returns each bomb by the name of its file."""
    text = json.dumps(report).encode()
    return {
        "spaces.json.zst": lambda: zst(text[:-1] + b" " * (1 << 30) + b"}", "--long=27"),
        "spaces.json.gz": lambda: gz(text[:-1] + b" " * (1 << 29) + b"}"),
        "before.json.zst": lambda: zst(b" " * (1 << 28) + text),
        "string.json.zst": lambda: zst(text[:-1] + b', "x": "' + b"y" * (1 << 30) + b'"}', "--long=27"),
        "window.json.zst": lambda: zst(b"[" * (1 << 28), "--long=31", "--ultra"),
        "members.json.gz": lambda: gz(text) + gz(b"") * 500_000,
        "brackets.json.zst": lambda: zst(b"[" * (1 << 28)),
        "lists.json.zst": lambda: zst(wide(report, 20_000_000)),
        "lists.json": lambda: wide(report, 20_000_000),
        "numbers.json.gz": lambda: gz(json.dumps(report | {"more": [0] * 50_000_000}).encode()),
        "modules.json.zst": lambda: zst(rows(report, 400_000)),
        "a.job.json.zst": lambda: zst(b'{"schema": "commtap.job/2", "x": [' + b"[]," * 20_000_000 + b"[]]}"),
        "reordered.json.zst": lambda: zst(b'{\n\n\n\n"more": [' + b"[]," * 20_000_000 + b"[]],\n" + text[1:]),
        "ledger.ledger": lambda: b"commtap" + b"\0" * (1 << 20),
    }


def runs(command: Path, place: Path, name: str) -> Iterator[Attempt]:
    """Runs every command on the bomb, in its folder and as a file."""
    for words in COMMANDS:
        line = [word for part in words for word in part.split()]
        filled = [{"FOLDER": str(place), "FILE": str(place / name)}.get(word, word) for word in line]
        yield judge(f"bomb: {name}: {' '.join(words)}", ask(command, *filled))
    answer = ask(command, "show", place, "--max-file-size", LOWER)
    attempt = judge(f"bomb: {name}: show --max-file-size {LOWER}", answer)
    is_much = attempt.verdict is Verdict.WITHSTOOD and answer.memory_mib > LOWER_MIB
    yield Attempt(attempt.name, Verdict.CRASH, f"{answer.memory_mib:.0f} MiB of memory") if is_much else attempt


def attack(command: Path, report: Path, folder: Path) -> Iterator[Attempt]:
    """Tries every bomb, and then several in one folder."""
    several = folder / "several"
    several.mkdir()
    for name in files(json.loads(report.read_text())):
        place = folder / name.replace(".", "-")
        place.mkdir()
        # What this process has in memory counts for the processes that it starts.
        subprocess.run([sys.executable, __file__, report, name, place / name], check=True)
        shutil.copy(place / name, several / name)
        yield from runs(command, place, name)
        shutil.rmtree(place)
    for words in (("show",), ("show", "--ranks")):
        yield judge(f"bomb: several: {' '.join(words)}", ask(command, *words, several))


if __name__ == "__main__":
    Path(sys.argv[3]).write_bytes(files(json.loads(Path(sys.argv[1]).read_text()))[sys.argv[2]]())
