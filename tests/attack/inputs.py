# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Gives every option and argument that names an input something that is no regular file, or a file that never ends.

Nothing may wait for a writer, grow without a bound or end by a signal. Budgets also get keys and values without end.
"""

import os
import shutil
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

from attempts import Attempt, ask, judge

#: INPUT is replaced by the input, REPORT by a good report. No process listens at the address.
COMMANDS = (
    *((verb, "INPUT") for verb in ("show", "advise", "list")),
    ("show", "--ranks", "INPUT"),
    *(("diff", *pair) for pair in (("INPUT", "REPORT"), ("REPORT", "INPUT"))),
    ("check", "INPUT", "REPORT"),
    ("check", "REPORT", "INPUT"),
    ("check", "REPORT", "--baseline", "INPUT"),
    ("check", "REPORT", "--plan", "INPUT"),
    ("check", "REPORT", "--budget", "INPUT"),
    ("check", "REPORT", "--write", "INPUT"),
    ("html", "INPUT", "-o", "page.html"),
    ("html", "INPUT", "REPORT", "-o", "page.html"),
    ("export", "INPUT"),
    ("top", "--once", "INPUT"),
    ("why", "INPUT"),
    ("prune", "--dry-run", "--keep", "1d", "INPUT"),
    *((verb, "127.0.0.1:1", "--token-file", "INPUT") for verb in ("why", "show", "top")),
    ("serve", ".", "--listen", "0.0.0.0:0", "--token-file", "INPUT"),
    ("run", "--serve", "0.0.0.0:0", "--token-file", "INPUT", "--", "true"),
    ("run", "--", "INPUT"),
    ("doctor", "--", "INPUT"),
    ("doctor", "--", "python3", "INPUT"),
    ("plan", "--world-size", "2", "--", "INPUT"),
    ("build-tracker", "--compiler", "INPUT"),
    ("demo", "--python", "INPUT"),
    ("options", "--format", "fields", "INPUT"),
    ("options", "--format", "schema", "INPUT"),
)
#: Starting what cannot be started has the shell's statuses.
CANNOT_START = (126, 127)


def link_to(target: str) -> Callable[[Path], None]:
    return lambda path: path.symlink_to(target)


def listening(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(path.name)  # a path of a socket has at most 107 bytes


def large(path: Path) -> None:
    """3 GiB without blocks on the disk."""
    with path.open("wb") as file:
        file.truncate(3 << 30)


INPUTS: dict[str, Callable[[Path], None]] = {
    "a pipe": os.mkfifo,
    "/dev/zero": link_to("/dev/zero"),
    "/dev/tty": link_to("/dev/tty"),
    "/proc/self/pagemap": link_to("/proc/self/pagemap"),
    "/proc/kmsg": link_to("/proc/kmsg"),
    "a folder": Path.mkdir,
    "a link to nothing": link_to("nothing"),
    "a link to itself": link_to("input"),
    "a socket": listening,
    "3 GiB": large,
}

BUDGET = 'schema = "commtap.budget/1"\n'
BUDGETS = {
    "a million dotted keys": ".".join(["a"] * 1_000_000) + " = 1",
    "a header of a million dotted keys": "[" + ".".join(["a"] * 1_000_000) + "]",
    "quoted dotted keys": ".".join(['"="', "'#'"] * 500_000) + " = 1",
    "dotted keys behind a string": 'x = { y = """a""""", ' + ".".join(["a"] * 1_000_000) + " = 1 }",
    "100,000 brackets": "x = " + "[" * 100_000,
    "100,000 braces": "x = " + "{ a = " * 100_000,
    "three million values": "x = [" + "1," * 3_000_000 + "]",
    "ten million values": "x = [" + "1," * 10_000_000 + "]",
    "a million keys": "\n".join(f"k{number} = 1" for number in range(1_000_000)),
    "a string without an end": 'x = """' + "y" * 10_000_000,
    "a line of 50 MB": "# " + "y" * 50_000_000,
}


def attack(command: Path, report: Path, folder: Path) -> Iterator[Attempt]:
    """Tries every input in every place, and every budget."""
    here = Path.cwd()
    os.chdir(folder)
    try:
        shutil.copy(report, "report.json")
        for name, make in INPUTS.items():
            for words in COMMANDS:
                path = Path("input")
                make(path)
                filled = [{"INPUT": "input", "REPORT": "report.json"}.get(word, word) for word in words]
                answer = ask(command, *filled)
                yield judge(f"input: {name}: {' '.join(words)}", answer, statuses=(0, 1, 2, *CANNOT_START))
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink(missing_ok=True)
        for name, text in BUDGETS.items():
            Path("budget.toml").write_text(BUDGET + text)
            yield judge(f"budget: {name}", ask(command, "check", "report.json", "--budget", "budget.toml"))
    finally:
        os.chdir(here)
