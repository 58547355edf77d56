# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""`commtap serve` and clients that are slow, idle, many or not welcome."""

import contextlib
import re
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from generate_reports import Document, Layout, write_reports
from server import Server

#: Seconds in which a server must end after SIGTERM, whatever its clients do.
END_S = 2
TOKEN = "0123456789abcdef"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The reports of a small job on this host."""

    def on_this_host(_rank: int, document: Document) -> None:
        document["job"] |= {"host": socket.gethostname()}

    write_reports(tmp_path / "jobs", Layout(ranks=4, layers=1), on_this_host)
    return tmp_path / "jobs"


@pytest.fixture
def server(folder: Path) -> Iterator[Server]:
    started = Server(folder)
    yield started
    if started.process.poll() is None:
        started.stop()


def connect(server: Server) -> socket.socket:
    host, port = server.address.rsplit(":", 1)
    return socket.create_connection((host, int(port)), timeout=20)


def ask(server: Server, *headers: str, host: str = "localhost") -> str:
    """Returns the complete answer to a GET of /metrics."""
    with connect(server) as client:
        client.sendall("\r\n".join(["GET /metrics HTTP/1.1", f"Host: {host}", *headers, "", ""]).encode())
        return b"".join(iter(lambda: client.recv(65536), b"")).decode()


def resident_kib(server: Server) -> int:
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1])


def stop_in_time(server: Server) -> None:
    before = time.monotonic()
    assert server.stop() == 0
    assert time.monotonic() - before < END_S


def test_slow_clients_do_not_stop_scrapes(server: Server) -> None:
    """Clients that send a byte now and then, or do not read their answer, neither stop a scrape nor the end."""
    with contextlib.ExitStack() as stack:
        slow = [stack.enter_context(connect(server)) for _ in range(8)]
        for client in slow[:4]:
            client.sendall(b"GET /metrics HTTP/1.1\r\nX: ")
        for client in slow[4:]:
            client.sendall(b"GET /job HTTP/1.1\r\nHost: localhost\r\n\r\n")
        for _ in range(5):
            for client in slow[:4]:
                client.sendall(b"x")
            assert server.get()[1].endswith("# EOF\n")
        stop_in_time(server)


def test_a_request_has_a_deadline(server: Server) -> None:
    """A client that sends a byte each half second is cut off after five seconds."""
    with connect(server) as client:
        before = time.monotonic()
        client.settimeout(0.5)
        client.sendall(b"GET /metrics HTTP/1.1\r\nX: ")
        closed = False
        while not closed and time.monotonic() - before < 10:
            with contextlib.suppress(TimeoutError):
                closed = client.recv(1) == b""
            with contextlib.suppress(OSError):
                client.sendall(b"x")
        assert closed
        assert 4 < time.monotonic() - before < 8


def test_idle_connections(server: Server) -> None:
    with contextlib.ExitStack() as stack:
        for _ in range(200):
            stack.enter_context(connect(server))
        for _ in range(5):
            assert server.get()[1].endswith("# EOF\n")
        assert len(list(Path(f"/proc/{server.process.pid}/fd").iterdir())) < 60
        stop_in_time(server)


def test_ranges_cost_nothing(server: Server) -> None:
    assert ask(server).startswith("HTTP/1.1 200 ")
    before = resident_kib(server)
    answer = ask(server, "Range: bytes=" + ",".join(["0-"] * 2600))
    assert answer.startswith("HTTP/1.1 200 ")
    assert len(answer) < 2 * len(ask(server))
    assert resident_kib(server) < before + 8192


def test_a_foreign_name_is_refused_on_loopback(server: Server) -> None:
    """A web page cannot read the metrics through a name that it has resolve to 127.0.0.1."""
    for host in ("evil.example", f"evil.example:{server.address.rsplit(':', 1)[1]}", "127.0.0.1.evil.example", ""):
        answer = ask(server, host=host)
        assert answer.startswith("HTTP/1.1 403 ")
        assert "commtap_" not in answer
    assert ask(server, host=server.address).startswith("HTTP/1.1 200 ")


def test_an_address_beyond_loopback(folder: Path, tmp_path: Path) -> None:
    """Any name is answered there, but only with the token, if there is one."""
    token = tmp_path / "token"
    token.write_text(TOKEN + "\n")
    secret = Server(folder, "0.0.0.0:0", "--token-file", str(token))
    try:
        assert ask(secret, host="node1.example").startswith("HTTP/1.1 401 ")
        assert ask(secret, f"Authorization: Bearer {TOKEN}", host="node1.example").startswith("HTTP/1.1 200 ")
    finally:
        secret.stop()
    public = Server(folder, "0.0.0.0:0", "--insecure")
    try:
        assert ask(public, host="node1.example").startswith("HTTP/1.1 200 ")
    finally:
        public.stop()


def scrape(server: Server, times: int) -> None:
    for _ in range(times):
        assert ask(server).startswith("HTTP/1.1 200 ")


@pytest.mark.parametrize("times", [300, pytest.param(10_000, marks=pytest.mark.long)])
def test_many_scrapes_do_not_grow_the_server(server: Server, times: int) -> None:
    scrape(server, 200)
    before = resident_kib(server)
    scrape(server, times)
    assert resident_kib(server) < before + 4096
    stop_in_time(server)
