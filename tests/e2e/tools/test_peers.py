# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Attacks of a hostile server on the commands that ask it: hosts, collector, webhook. `./dev attack` tries more."""

import signal
import subprocess
import time
from pathlib import Path

import pytest
from harness import COMMAND, wait_until
from hostile_server import ANSWERS, HostileServer, never_accepts, redirection
from hung_reports import write_hung_reports
from measured import run_measured
from server import Server

#: Two looks of 5 s each, and the start.
MOST_S = 14
MOST_MIB = 800


@pytest.fixture
def hung_job(tmp_path: Path) -> Path:
    return write_hung_reports(tmp_path / "hung")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("slow headers", "no complete answer within 5 s"),
        ("slow chunks", "no complete answer within 5 s"),
        ("endless headers", "the answer's headers are longer than 64 KiB"),
        ("an endless chunk size", "the answer is longer than 16 MiB"),
        ("a chunk of 2^63 bytes", "the answer is longer than 16 MiB"),
        ("five million lists", "its answer would take more than"),
    ],
)
def test_a_host_takes_bounded_time_and_memory(name: str, reason: str) -> None:
    with HostileServer(ANSWERS[name]) as server:
        begin = time.monotonic()
        status, said, memory = run_measured("top", "--once", server.address)
        assert time.monotonic() - begin < MOST_S
    assert status == 1
    assert f"{server.address}: {reason}" in said
    assert memory < MOST_MIB


def test_a_host_that_does_not_accept() -> None:
    with never_accepts() as address:
        begin = time.monotonic()
        _, said, _ = run_measured("why", address)
        assert time.monotonic() - begin < MOST_S
    assert f"{address}: no connection" in said


def test_an_archive_writes_a_bounded_number_of_files() -> None:
    with HostileServer(ANSWERS["an archive of 20,000 reports"]) as server:
        status, said, _ = run_measured("show", "--ranks", server.address)
    assert status == 1
    assert f"{server.address}: its archive has more than 4096 reports; its ranks are missing here" in said


@pytest.mark.parametrize("name", ["brackets", "rejected brackets", "an endless body", "slow headers"])
def test_a_collector_does_not_end_the_server(name: str, hung_job: Path) -> None:
    with HostileServer(ANSWERS[name]) as collector:
        server = Server(hung_job, "127.0.0.1:0", "--otlp", f"http://{collector.address}", "--keep", "1000000")
        wait_until(lambda: bool(collector.requests), "a push")
        if name != "slow headers":
            assert "--otlp http://" in server.process.stderr.readline()
        assert "commtap_read_duration_seconds" in server.get()[1]
        begin = time.monotonic()
        assert server.stop() == 0
        assert time.monotonic() - begin < 5


def test_a_redirection_is_not_followed(hung_job: Path) -> None:
    with HostileServer(ANSWERS["nothing, and the end"]) as there:
        with HostileServer(redirection(f"http://{there.address}/")) as here:
            server = Server(hung_job, "127.0.0.1:0", "--otlp", f"http://{here.address}", "--keep", "1000000")
            assert "answered with status 307, a redirection" in server.process.stderr.readline()
            assert server.stop() == 0
            watch = watching(hung_job, here)
            watch.send_signal(signal.SIGTERM)
            assert "answered with status 307, a redirection" in watch.communicate(timeout=5)[1]
        assert not there.requests


def watching(folder: Path, hook: HostileServer) -> subprocess.Popen[str]:
    """Watches a job that hangs, until the webhook has been called."""
    hook.requests.clear()
    command = [COMMAND, "why", "--watch", "--interval", "0.2s", "--webhook", f"http://{hook.address}/", folder]
    watch = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    wait_until(lambda: bool(hook.requests), "the webhook")
    time.sleep(0.5)
    return watch


@pytest.mark.parametrize("name", ["silence", "slow headers", "an endless body"])
def test_a_webhook_does_not_outlive_sigterm(name: str, hung_job: Path) -> None:
    with HostileServer(ANSWERS[name]) as hook:
        watch = watching(hung_job, hook)
        watch.send_signal(signal.SIGTERM)
        assert watch.wait(timeout=2) == 0
        watch.stderr.close()
