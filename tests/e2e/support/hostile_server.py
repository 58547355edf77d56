# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""An HTTP server that harms its clients if it can: with answers that are endless, slow, deep, or not HTTP at all."""

import contextlib
import itertools
import json
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
LARGE = b"x" * (1 << 16)

#: Returns the pieces that a client is sent after its request.
Answer = Callable[[], Iterable[bytes]]


def endless(begin: bytes, again: bytes) -> Answer:
    return lambda: itertools.chain([begin], itertools.repeat(again))


def drip(begin: bytes, again: bytes) -> Answer:
    """One byte at a time, ten in a second."""

    def pieces() -> Iterator[bytes]:
        yield begin
        for byte in itertools.cycle(again):
            time.sleep(0.1)
            yield bytes([byte])

    return pieces


def once(*pieces: bytes) -> Answer:
    return lambda: pieces


def with_length(body: bytes, headers: bytes = b"") -> Answer:
    return once(OK + headers + b"Content-Length: %d\r\n\r\n" % len(body), body)


def silence() -> Iterator[bytes]:
    while True:
        time.sleep(0.1)
        yield b""


HEAD = json.dumps({"schema": "commtap.host/1", "host": "h", "at_ns": 1, "problems": []}).encode() + b"\n"

ANSWERS: dict[str, Answer] = {
    "nothing, and the end": once(),
    "silence": silence,
    "bytes": once(bytes(range(256)) * 64),
    "an endless status line": endless(b"HTTP/1.1 200 ", LARGE),
    "endless headers": endless(OK, b"X: y\r\n" * 10_000),
    "an endless header": endless(OK + b"X: ", LARGE),
    "endless statuses before the answer": endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 1_000),
    "an endless body": endless(OK + b"\r\n", LARGE),
    "endless small chunks": endless(CHUNKED, b"1\r\nx\r\n" * 10_000),
    "an endless chunk size": endless(CHUNKED, b"0" * 10_000),
    "a chunk of 2^63 bytes": endless(CHUNKED + b"8000000000000000\r\n", LARGE),
    "a chunk of more than any number": once(CHUNKED + b"f" * 40 + b"\r\n"),
    "a length beyond all numbers": once(OK + b"Content-Length: " + b"9" * 40 + b"\r\n\r\n"),
    "a negative length": once(OK + b"Content-Length: -1\r\n\r\n"),
    "a length of 1 TiB": endless(OK + b"Content-Length: 1099511627776\r\n\r\n", LARGE),
    "a slow status line": drip(b"", b"HTTP/1.1 2"),
    "slow headers": drip(OK, b"X: y\r\n"),
    "a slow body": drip(OK + b"\r\n", b"{"),
    "slow chunks": drip(CHUNKED, b"1\r\nx\r\n"),
    "brackets": with_length(b"[" * 80_000 + b"]" * 80_000),
    "braces": with_length(b'{"a":' * 80_000 + b"1" + b"}" * 80_000),
    "rejected brackets": with_length(
        b'{"partialSuccess":{"rejectedDataPoints":' + b"[" * 80_000 + b"]" * 80_000 + b"}}"
    ),
    "a million lists": with_length(b"[" + b"[]," * 1_000_000 + b"[]]"),
    "five million lists": with_length(b"[" + b"[]," * 5_000_000 + b"[]]"),
    "a host with five million problems": with_length(HEAD.replace(b"[]", b"[" + b'"",' * 5_000_000 + b'""]')),
    "a host with deep reports": with_length(HEAD + b'{"progress": 1}\n' + b"[" * 80_000 + b"\n"),
    "escape characters": with_length(HEAD.replace(b'"h"', b'"\\u001b[2J"').replace(b"[]", b'["\\u001b]0;x\\u0007"]')),
    "an archive of 20,000 reports": with_length(b"1\nx" * 20_000),
    "a report of 1 TiB in an archive": endless(OK + b"\r\n1099511627776\n", LARGE),
    "TLS": once(b"\x15\x03\x01\x00\x02\x02\x28"),
}


class HostileServer:
    """Answers every request with the same; `requests` are the first lines that came."""

    def __init__(self, answer: Answer) -> None:
        self.requests: list[bytes] = []
        self._answer = answer
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.address = f"127.0.0.1:{self.port}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with contextlib.suppress(OSError), client:
            request = b""
            while b"\r\n\r\n" not in request:
                piece = client.recv(1 << 16)
                if not piece:
                    return
                request += piece
            self.requests.append(request.split(b"\r\n", 1)[0])
            for each in self._answer():
                client.sendall(each)
                if self._listener.fileno() < 0:
                    return
            client.shutdown(socket.SHUT_WR)
            while client.recv(1 << 16):
                pass

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def __enter__(self) -> "HostileServer":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def redirection(to: str) -> Answer:
    return once(f"HTTP/1.1 307 Moved\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n".encode())


@contextlib.contextmanager
def never_accepts() -> Iterator[str]:
    """Yields the address of a server whose queue of connections is full."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        waiting = []
        for _ in range(4):
            client = socket.socket()
            client.setblocking(False)
            client.connect_ex(listener.getsockname())
            waiting.append(client)
        try:
            yield f"127.0.0.1:{listener.getsockname()[1]}"
        finally:
            for client in waiting:
                client.close()
