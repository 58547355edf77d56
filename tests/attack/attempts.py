# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the command on hostile input and judges how it ended."""

import re
import resource
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

#: The longest time that one command may take on one small input.
TIMEOUT_S = 30
#: Address space of one command. A reader that asks for more memory than its input can need ends with an error.
ADDRESS_SPACE = 4 << 30
#: 0 done, 1 some input is unreadable or a check failed, 2 wrong usage.
STATUSES = (0, 1, 2)


class Verdict(Enum):
    """How an attempt ended. LISTED: wrong in a number of which a page says that nothing can check it."""

    WITHSTOOD = "withstood"
    CRASH = "crashes"
    HANG = "hangs"
    SILENT = "silent wrong"
    DELETED = "foreign deletions"
    LISTED = "listed"


@dataclass
class Attempt:
    """One hostile input and what came of it."""

    name: str
    verdict: Verdict = Verdict.WITHSTOOD
    why: str = ""


@dataclass
class Tally:
    """The verdicts of a campaign's part."""

    verdicts: Counter[Verdict] = field(default_factory=Counter)
    failures: list[Attempt] = field(default_factory=list)

    def add(self, attempts: Iterator[Attempt]) -> "Tally":
        """Adds attempts as they are made."""
        for attempt in attempts:
            self.verdicts[attempt.verdict] += 1
            if attempt.verdict not in (Verdict.WITHSTOOD, Verdict.LISTED):
                self.failures.append(attempt)
        return self


@dataclass
class Answer:
    """What a command printed and how it ended; `status` is None after a timeout."""

    status: int | None
    out: bytes
    err: bytes


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def ask(command: Path, *arguments: str | bytes | Path) -> Answer:
    """Runs the command with a limit on time and memory."""
    try:
        done = subprocess.run(
            [command, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT_S,
            preexec_fn=_limit,
        )
    except subprocess.TimeoutExpired:
        return Answer(None, b"", b"")
    return Answer(done.returncode, done.stdout, done.stderr)


#: Characters that control a terminal: control characters except tab and newline, and marks of text direction.
_UNSAFE = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xe2\x80[\xaa-\xae]|\xe2\x81[\xa6-\xa9]")


def judge(name: str, answer: Answer, *, is_text: bool = True) -> Attempt:
    """Judges the end of a command and, if it writes for a terminal, that its text is safe for one."""
    if answer.status is None:
        return Attempt(name, Verdict.HANG, f"no end after {TIMEOUT_S} s")
    if answer.status not in STATUSES:
        return Attempt(name, Verdict.CRASH, f"status {answer.status}: {answer.err[-300:]!r}")
    if answer.status == 1 and not answer.err and not answer.out:
        return Attempt(name, Verdict.SILENT, "status 1 without a word")
    if len(answer.err) > 100_000:
        return Attempt(name, Verdict.SILENT, f"{len(answer.err)} bytes of errors")
    if is_text and (found := _UNSAFE.search(answer.out + answer.err)):
        return Attempt(name, Verdict.SILENT, f"prints {found.group()!r} as it is")
    return Attempt(name)
