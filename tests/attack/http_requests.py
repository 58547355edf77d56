# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Sends raw bytes, slow requests and many connections to `commtap serve`; a scrape must go on working after each."""

import contextlib
import re
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from attempts import Attempt, Verdict

SCRAPE_TIMEOUT_S = 10
MOST_MEMORY_MIB = 512

REQUESTS = {
    "nothing": b"",
    "a newline": b"\r\n",
    "no version": b"GET /metrics\r\n\r\n",
    "no address": b"GET HTTP/1.1\r\n\r\n",
    "version 9": b"GET /metrics HTTP/9.9\r\nHost: localhost\r\n\r\n",
    "an unknown method": b"HACK /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "bytes": bytes(range(256)) * 8,
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\xaa" * 500,
    "a long address": b"GET /" + b"a" * 1_000_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a long header": b"GET /metrics HTTP/1.1\r\nX: " + b"a" * 1_000_000 + b"\r\n\r\n",
    "many headers": b"GET /metrics HTTP/1.1\r\n" + b"X: y\r\n" * 100_000 + b"\r\n",
    "a header without a colon": b"GET /metrics HTTP/1.1\r\nHost\r\n\r\n",
    "two lengths": b"GET /metrics HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 7\r\n\r\nhello",
    "a negative length": b"POST /metrics HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
    "a length beyond all numbers": b"POST /metrics HTTP/1.1\r\nContent-Length: " + b"9" * 40 + b"\r\n\r\n",
    "a body that never comes": b"POST /metrics HTTP/1.1\r\nContent-Length: 1000000000\r\n\r\n",
    "chunks": b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
    "ranges": b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nRange: bytes=" + b"0-," * 2_600 + b"0-\r\n\r\n",
    "a range beyond the end": b"GET / HTTP/1.1\r\nHost: localhost\r\nRange: bytes=99999999999999999999-\r\n\r\n",
    "a path upwards": b"GET /../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "an encoded path upwards": b"GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a NUL in the address": b"GET /metrics%00.html HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a script in the address": b"GET /job?run=<script>alert(1)</script> HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a foreign host": b"GET /metrics HTTP/1.1\r\nHost: attacker.example\r\n\r\n",
    "many requests at once": b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n" * 500,
    "an upgrade": b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
    "an expectation": b"POST / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n",
}


class Served:
    """A `commtap serve` process on a free port of this machine."""

    def __init__(self, command: Path, folder: Path) -> None:
        self.process = subprocess.Popen(
            [command, "serve", folder, "--listen", "127.0.0.1:0"],
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        said = self.process.stderr.readline()
        found = re.search(r"http://([^:/]+):(\d+)", said)
        if found is None:
            raise RuntimeError(said)
        self.address = (found.group(1), int(found.group(2)))

    def connect(self) -> socket.socket:
        return socket.create_connection(self.address, timeout=SCRAPE_TIMEOUT_S)

    def scrape(self) -> str:
        """Returns "" if a scrape succeeds in time, else what went wrong."""
        try:
            with self.connect() as connection:
                connection.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                answer = b"".join(iter(lambda: connection.recv(1 << 16), b""))
        except OSError as error:
            return f"no scrape: {error!r}"
        return "" if b" 200 " in answer.split(b"\r\n", 1)[0] else f"no scrape: {answer[:100]!r}"

    def memory_mib(self) -> float:
        """Returns the largest resident memory so far."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+)", status).group(1)) / 1024

    def judge(self, name: str) -> Attempt:
        """Judges the server after an attempt."""
        if self.process.poll() is not None:
            return Attempt(name, Verdict.CRASH, f"status {self.process.returncode}")
        if why := self.scrape():
            return Attempt(name, Verdict.HANG, why)
        if (used := self.memory_mib()) > MOST_MEMORY_MIB:
            return Attempt(name, Verdict.CRASH, f"{used:.0f} MiB of memory")
        return Attempt(name)

    def stop(self, name: str) -> Attempt:
        """Ends the server; SIGTERM must end it within two seconds."""
        self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return Attempt(name, Verdict.HANG, "SIGTERM does not end it within 2 s")
        finally:
            self.process.stderr.close()
        return Attempt(name) if status == 0 else Attempt(name, Verdict.CRASH, f"status {status}")


def send(server: Served, data: bytes) -> None:
    """Sends bytes and reads what comes for a short while."""
    with contextlib.suppress(OSError), server.connect() as connection:
        connection.settimeout(0.5)
        connection.sendall(data)
        while connection.recv(1 << 16):
            pass


def attack(command: Path, folder: Path) -> Iterator[Attempt]:
    """Tries every request whole, cut in two, and then slow and idle clients."""
    server = Served(command, folder)
    for name, data in REQUESTS.items():
        for part, sent in (("", data), (", its first half", data[: len(data) // 2])):
            send(server, sent)
            yield server.judge(f"HTTP: {name}{part}")
    with contextlib.ExitStack() as opened:
        clients = [opened.enter_context(server.connect()) for _ in range(20)]
        for _ in range(10):
            for client in clients:
                with contextlib.suppress(OSError):
                    client.sendall(b"G")
            time.sleep(0.2)
            yield server.judge("HTTP: twenty slow clients")
    with contextlib.ExitStack() as opened:
        for _ in range(200):
            opened.enter_context(server.connect())
        yield server.judge("HTTP: 200 idle connections")
        yield server.stop("HTTP: the end with 200 idle connections")
