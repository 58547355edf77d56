# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Lets every command that speaks HTTP as a client ask a hostile server: hosts, a collector, a webhook.

Each must end in time and in bounds, follow no redirection, and be ended by SIGTERM at any moment.
"""

import signal
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from attempts import Attempt, Ended, Verdict, ask, judge, judge_end, started

sys.path.insert(0, str(Path(__file__).parent.parent / "e2e" / "support"))

from hostile_server import ANSWERS, HostileServer, never_accepts, redirection
from hung_reports import write_hung_reports

#: Two looks of 5 s each, and what starts and ends a command.
MOST_S = 15
#: SIGTERM ends `serve` within 4 s, which are for the last push, and a watch at once.
END_S = 5
#: Verbs that ask hosts, before the address.
ASKING = (("top", "--once"), ("why",), ("show", "--ranks"))


def asked(command: Path, name: str, address: str) -> Iterator[Attempt]:
    """Asks the server as a host."""
    for verb in ASKING:
        begin = time.monotonic()
        attempt = judge(f"peer: {name}: {' '.join(verb)}", ask(command, *verb, address))
        took = time.monotonic() - begin
        yield attempt if took < MOST_S else Attempt(attempt.name, Verdict.HANG, f"took {took:.0f} s")


def pushed(command: Path, name: str, url: str, folder: Path, requested: Callable[[], bool]) -> Iterator[Attempt]:
    """Lets `serve` and `why --watch` post to the server, and ends them while they do."""
    commands = {
        "serve --otlp": ("serve", folder, "--listen", "127.0.0.1:0", "--keep", "100000", "--otlp", url),
        "why --webhook": ("why", "--watch", "--interval", "0.2s", "--webhook", url, folder),
    }
    for verb, arguments in commands.items():
        ended = end_in_request(command, arguments, requested)
        yield judge_end(f"peer: {name}: {verb}", ended, END_S)


def end_in_request(command: Path, arguments: tuple[str | Path, ...], requested: Callable[[], bool]) -> Ended:
    """Sends SIGTERM one second after a request has come."""
    process = started(command, *arguments)
    until = time.monotonic() + MOST_S
    while not requested() and process.poll() is None and time.monotonic() < until:
        time.sleep(0.05)
    time.sleep(1)
    return process.end(signal.SIGTERM, END_S)


def redirected(command: Path, folder: Path) -> Iterator[Attempt]:
    """A redirection is answered with a line, and the place that it leads to is not asked."""
    with HostileServer(ANSWERS["nothing, and the end"]) as there:
        with HostileServer(redirection(f"http://{there.address}/")) as here:
            yield from asked(command, "a redirection", here.address)
            yield from pushed(command, "a redirection", f"http://{here.address}/", folder, lambda: bool(here.requests))
        followed = Attempt("peer: a redirection is followed", Verdict.SILENT, f"{there.requests!r}")
        yield followed if there.requests else Attempt(followed.name)


def answered(command: Path, name: str, folder: Path) -> list[Attempt]:
    """Tries one answer with every client."""
    with HostileServer(ANSWERS[name]) as server:
        attempts = list(asked(command, name, server.address))
        server.requests.clear()
        url = f"http://{server.address}/"
        return attempts + list(pushed(command, name, url, folder, lambda: bool(server.requests)))


def attack(command: Path, folder: Path) -> Iterator[Attempt]:
    """Tries every answer with every client. They wait for most of the time, so that some answers are tried at once."""
    hung = write_hung_reports(folder / "hung")
    with ThreadPoolExecutor(4) as pool:
        for attempts in pool.map(lambda name: answered(command, name, hung), ANSWERS):
            yield from attempts
    with never_accepts() as address:
        yield from asked(command, "a server that never accepts", address)
        yield from pushed(command, "a server that never accepts", f"http://{address}/", hung, lambda: True)
    yield from redirected(command, hung)
