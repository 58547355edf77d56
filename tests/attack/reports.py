# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Changes reports in ways that keep them JSON or break it, and holds the command's rows against Python's own reading.

A changed report must be refused with a line, or its rows must be those that Python reads from the same bytes.
"""

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from attempts import Answer, Attempt, Verdict, ask, judge

EXTREMES = (
    *("-1", "-0", "0.5", "1e3", "1e308", "1e999", "00", "0x10", "NaN", "Infinity", "null", "true", '"7"', "[]", "{}"),
    *("2147483648", "4294967296", "9007199254740993", "9223372036854775808", "18446744073709551615"),
    *("18446744073709551616", "9" * 400, "1" + "0" * 100_000),
)
HOSTILE_TEXTS = (
    *("\\u0000", "\\u001b[31m", "\\u202e", "\\ud800", "\\ufeff", "=cmd()", "../../etc/passwd", "%n%s", "<script>"),
    "a" * 100_000,
)
_NUMBER = re.compile(r"(?<=[:\[,])\s*-?\d+(?:\.\d+)?")
_TEXT = re.compile(r'(?<=[:\[,])\s*"[^"\\]*"')


def changed(text: str, chance: random.Random) -> tuple[str, bytes]:
    """Returns the name of a change and the report after it."""
    how = chance.choice((number, string, flip, cut, repeat, drop_field, twice, nest))
    return how.__name__, how(text, chance)


def number(text: str, chance: random.Random) -> bytes:
    """Puts an extreme in the place of a number."""
    return replaced(text, chance, _NUMBER, chance.choice(EXTREMES))


def string(text: str, chance: random.Random) -> bytes:
    """Puts a hostile text in the place of a text."""
    return replaced(text, chance, _TEXT, f'"{chance.choice(HOSTILE_TEXTS)}"')


def replaced(text: str, chance: random.Random, pattern: re.Pattern[str], by: str) -> bytes:
    """Replaces one of the pattern's matches."""
    place = chance.choice(list(pattern.finditer(text)))
    return (text[: place.start()] + by + text[place.end() :]).encode()


def flip(text: str, chance: random.Random) -> bytes:
    """Changes one to three bytes to any others."""
    data = bytearray(text.encode())
    for _ in range(chance.randint(1, 3)):
        data[chance.randrange(len(data))] = chance.randrange(256)
    return bytes(data)


def cut(text: str, chance: random.Random) -> bytes:
    """Takes a piece out, or the whole end."""
    begin = chance.randrange(len(text))
    end = len(text) if chance.random() < 0.5 else min(len(text), begin + chance.randint(1, 200))
    return (text[:begin] + text[end:]).encode()


def repeat(text: str, chance: random.Random) -> bytes:
    """Repeats a piece somewhere."""
    begin = chance.randrange(len(text))
    piece = text[begin : begin + chance.randint(1, 400)]
    place = chance.randrange(len(text))
    return (text[:place] + piece + text[place:]).encode()


def containers(value: Any) -> Iterator[Any]:
    """Returns the objects and lists of a document that have items."""
    if isinstance(value, dict | list) and value:
        yield value
        for item in value.values() if isinstance(value, dict) else value:
            yield from containers(item)


def drop_field(text: str, chance: random.Random) -> bytes:
    """Removes a field of an object, or an item of a list."""
    document = json.loads(text)
    chosen = chance.choice(list(containers(document)))
    del chosen[chance.choice(list(chosen) if isinstance(chosen, dict) else range(len(chosen)))]
    return json.dumps(document).encode()


def twice(text: str, chance: random.Random) -> bytes:
    """Writes a line of the report a second time: a row, or a field."""
    lines = text.splitlines(keepends=True)
    at = chance.randrange(len(lines))
    return "".join([*lines[:at], lines[at], *lines[at:]]).encode()


def nest(text: str, chance: random.Random) -> bytes:
    """Puts a deep tree in the place of a number."""
    depth = chance.choice((10, 1_000, 100_000))
    return replaced(text, chance, _NUMBER, "[" * depth + "]" * depth)


def rows_of(answer: Answer) -> list[tuple[Any, ...]]:
    """Returns the rows that the command printed as JSON lines."""
    return [facts(json.loads(line)) for line in answer.out.splitlines()]


def facts(row: dict[str, Any]) -> tuple[Any, ...]:
    """Returns what a row counts and where."""
    return tuple(row[name] for name in ("module", "phase", "op", "kind", "group", "count", "bytes"))


def judged(name: str, data: bytes, answer: Answer) -> Attempt:
    """Holds the rows of an accepted report against those that Python reads."""
    attempt = judge(name, answer, is_text=False)
    if attempt.verdict is not Verdict.WITHSTOOD or answer.status != 0:
        return attempt
    try:
        expected = [facts(row) for row in json.loads(data)["collectives"]]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        return Attempt(name, Verdict.SILENT, f"accepted, though Python cannot read it: {error!r:.200}")
    found = rows_of(answer)
    return attempt if found == expected else Attempt(name, Verdict.SILENT, f"{found} for {expected}"[:300])


def attack(command: Path, report: Path, folder: Path, count: int, seed: int) -> Iterator[Attempt]:
    """Makes `count` changes of one report, each in a folder of its own. A failing input is kept."""
    text = report.read_text(encoding="utf-8")
    for number_of_case in range(count):
        name, data = changed(text, random.Random(f"{seed} report {number_of_case}"))
        path = folder / f"{number_of_case}" / "rank-00000.json"
        path.parent.mkdir()
        path.write_bytes(data)
        verb = ("export", "--format", "jsonl", "--table", "collectives")
        attempt = judged(f"report {number_of_case}: {name}", data, ask(command, *verb, path.parent))
        if attempt.verdict is Verdict.WITHSTOOD:
            attempt = judge(attempt.name + ", show", ask(command, "show", path.parent))
        yield attempt
        if attempt.verdict is Verdict.WITHSTOOD:
            path.unlink()
            path.parent.rmdir()
