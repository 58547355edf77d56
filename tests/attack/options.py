# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Passes text that controls a terminal in every place of the command line and in every variable of commtap.

No message may print it as it is, and no option may end the command by a signal.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from attempts import Attempt, ask, judge

ESCAPE = "\x1b[2J"
_VERB = re.compile(r"^  ([a-z][a-z-]+)  ", re.MULTILINE)
_OPTION = re.compile(r"(?<![\w-])(--[a-z][a-z-]+)")
_VARIABLE = re.compile(r"^\| `(COMMTAP_[A-Z_]+)`", re.MULTILINE)
#: They run until a signal ends them, or need another program.
ENDLESS = ("serve", "demo")
NOT_TRIED = {"--help", "--watch"}
#: Starting what cannot be started has the shell's statuses.
STATUSES = (0, 1, 2, 126, 127)


def verbs(command: Path) -> list[str]:
    return _VERB.findall(ask(command, "--help").out.decode())


def lines(command: Path, report: Path) -> Iterator[tuple[str, ...]]:
    """Returns command lines with the text as command, as option, as value and as argument."""
    yield (ESCAPE,)
    yield (f"--{ESCAPE}",)
    yield ("help", ESCAPE)
    for verb in verbs(command):
        yield (verb, f"--{ESCAPE}")
        yield (verb, f"-{ESCAPE}")
        for option in sorted(set(_OPTION.findall(ask(command, verb, "--help").out.decode())) - NOT_TRIED):
            yield (verb, f"{option}={ESCAPE}")
            if verb not in ENDLESS:
                yield (verb, str(report), option, ESCAPE)
                yield (verb, option, ESCAPE, "--", f"./{ESCAPE}")
        if verb not in ENDLESS:
            yield (verb, ESCAPE)
            yield (verb, ESCAPE, ESCAPE)
            yield (verb, "--", ESCAPE)


def attack(command: Path, report: Path, folder: Path) -> Iterator[Attempt]:
    """Tries every command line, and every variable before a command that reads the variables."""
    here = Path.cwd()
    os.chdir(folder)  # an option may name an output
    try:
        for words in lines(command, report):
            yield judge(f"option: {' '.join(words)!r}", ask(command, *words), statuses=STATUSES)
        for variable in sorted(set(_VARIABLE.findall(ask(command, "options").out.decode()))):
            answer = ask(command, "run", "--", "true", variables={variable: ESCAPE})
            yield judge(f"variable: {variable}", answer)
    finally:
        os.chdir(here)
