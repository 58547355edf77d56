# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the command on hostile input and judges how it ended."""

import os
import re
import resource
import select
import signal
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

#: The longest time that one command may take on one small input.
TIMEOUT_S = 30
#: Address space of one command. A reader that asks for more memory than its input can need ends with an error.
ADDRESS_SPACE = 4 << 30
#: The most resident memory of one command: --max-file-size (1 GiB), and what a process has and reads besides.
MOST_MEMORY_MIB = 1536
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
    """The output of a command and how it ended; `status` is None after a timeout."""

    status: int | None
    out: bytes
    err: bytes
    memory_mib: float = 0


@dataclass
class Ended:
    """A command that a signal was to end."""

    answer: Answer
    #: It had ended before the signal.
    early: bool


class Started:
    """A command in progress, with a limit on its memory. Its output goes to files: it never waits for a reader."""

    def __init__(self, command: Path, arguments: tuple[str | bytes | Path, ...], variables: dict[str, str]) -> None:
        # wait() closes them.
        self._out, self._err = (tempfile.TemporaryFile() for _ in range(2))  # noqa: SIM115
        self._process = subprocess.Popen(
            [command, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=self._out,
            stderr=self._err,
            env=os.environ | variables,
        )
        resource.prlimit(self._process.pid, resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
        resource.prlimit(self._process.pid, resource.RLIMIT_CORE, (0, 0))
        self._pid_fd = os.pidfd_open(self._process.pid)

    def poll(self) -> int | None:
        """Returns 0 if the process has ended. Leaves it for wait()."""
        return 0 if select.select([self._pid_fd], [], [], 0)[0] else None

    def wait(self, timeout_s: float) -> Answer:
        """Returns the end of the command, which is killed after the time."""
        in_time = bool(select.select([self._pid_fd], [], [], timeout_s)[0])
        if not in_time:
            os.kill(self._process.pid, signal.SIGKILL)
        _, status, usage = os.wait4(self._process.pid, 0)
        self._process.returncode = os.waitstatus_to_exitcode(status)
        os.close(self._pid_fd)
        texts = []
        for file in (self._out, self._err):
            file.seek(0)
            texts.append(file.read())
            file.close()
        return Answer(self._process.returncode if in_time else None, *texts, usage.ru_maxrss / 1024)

    def end(self, how: int, timeout_s: float) -> Ended:
        """Sends a signal, and waits."""
        early = self.poll() is not None
        os.kill(self._process.pid, how)
        return Ended(self.wait(timeout_s), early)


def started(command: Path, *arguments: str | bytes | Path, variables: dict[str, str] | None = None) -> Started:
    """Starts the command, with more variables."""
    return Started(command, arguments, variables or {})


def ask(command: Path, *arguments: str | bytes | Path, variables: dict[str, str] | None = None) -> Answer:
    """Runs the command with a limit on time and memory."""
    return started(command, *arguments, variables=variables).wait(TIMEOUT_S)


#: Characters that control a terminal: control characters except tab and newline, and marks of text direction.
_UNSAFE = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xe2\x80[\xaa-\xae]|\xe2\x81[\xa6-\xa9]")


def judge(name: str, answer: Answer, *, is_text: bool = True, statuses: tuple[int, ...] = STATUSES) -> Attempt:
    """Judges the end of a command and, if it writes for a terminal, that its text is safe for one."""
    if answer.status is None:
        return Attempt(name, Verdict.HANG, f"no end after {TIMEOUT_S} s")
    if answer.status not in statuses:
        return Attempt(name, Verdict.CRASH, f"status {answer.status}: {answer.err[-300:]!r}")
    if answer.memory_mib > MOST_MEMORY_MIB:
        return Attempt(name, Verdict.CRASH, f"{answer.memory_mib:.0f} MiB of memory")
    if answer.status == 1 and not answer.err and not answer.out:
        return Attempt(name, Verdict.SILENT, "status 1 without a word")
    if len(answer.err) > 100_000:
        return Attempt(name, Verdict.SILENT, f"{len(answer.err)} bytes of errors")
    if is_text and (found := _UNSAFE.search(answer.out + answer.err)):
        return Attempt(name, Verdict.SILENT, f"prints {found.group()!r} as it is")
    return Attempt(name)


def judge_end(name: str, ended: Ended, most_s: float) -> Attempt:
    """Judges a command that was to run until a signal ended it."""
    if ended.answer.status is None:
        return Attempt(name, Verdict.HANG, f"the signal does not end it within {most_s} s")
    if ended.early:
        return Attempt(
            name, Verdict.CRASH, f"ended by itself, status {ended.answer.status}: {ended.answer.err[-300:]!r}"
        )
    return judge(name, ended.answer)
