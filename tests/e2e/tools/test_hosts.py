# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""One view of several hosts without a shared folder: each in a network namespace of its own, with a private folder."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nodes
import pytest
from harness import COMMAND, JOBS_FOLDER, LIBRARY, wait_until

PORT = 9464
TOKEN = "a-token-of-the-tests"
RANKS = 3
#: A host that does not answer is given up after 5 s; the others are not kept waiting for it.
MOST_WAIT_S = 12

pytestmark = pytest.mark.skipif(bool(nodes.why_not()), reason=nodes.why_not())


class Cluster:
    """A job with a rank on each host, and a `commtap serve` there."""

    def __init__(self, hosts: list[nodes.Node], folder: Path, job: str) -> None:
        self.view, *self.hosts = hosts
        self.folder = folder
        self.token = folder / "token"
        self.token.write_text(TOKEN + "\n")
        self.ranks: list[subprocess.Popen] = []
        self.servers: list[subprocess.Popen] = []
        self.addresses = ",".join(f"{host.address}:{PORT}" for host in self.hosts)
        for rank, host in enumerate(self.hosts):
            self._start(rank, host, job)

    def _start(self, rank: int, host: nodes.Node, job: str) -> None:
        out = self.folder / host.name
        out.mkdir()
        place = {"RANK": rank, "LOCAL_RANK": 0, "WORLD_SIZE": len(self.hosts)}
        network = {"MASTER_ADDR": self.hosts[0].address, "MASTER_PORT": 29500, "GLOO_SOCKET_IFNAME": "eth0"}
        shim = {"LD_PRELOAD": LIBRARY, "COMMTAP_OUT": out, "COMMTAP_RUN_ID": "r", "OMP_NUM_THREADS": 1}
        variables = {name: str(value) for name, value in (place | network | shim).items()}
        assignments = [f"{name}={value}" for name, value in variables.items()]
        with open(out / "stdout", "wb") as stdout, open(out / "stderr", "wb") as stderr:
            self.ranks.append(
                subprocess.Popen(
                    host.command("env", *assignments, sys.executable, JOBS_FOLDER / "hang_zoo.py", job),
                    stdin=subprocess.DEVNULL,
                    stdout=stdout,
                    stderr=stderr,
                )
            )
        serve = [COMMAND, "serve", out, "--listen", f"0.0.0.0:{PORT}", "--token-file", self.token]
        self.servers.append(subprocess.Popen(host.command(*serve), stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

    def run(self, verb: str, *arguments: object, token: bool = True) -> subprocess.CompletedProcess[str]:
        """Runs a command that asks all hosts."""
        with_token = ["--token-file", self.token] if token else []
        command = self.view.command(COMMAND, verb, self.addresses, *with_token, *arguments)
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)

    def why(self) -> tuple[int, dict[str, Any]]:
        answer = self.run("why", "--json", "--after", "2s", "--interval", "0.5s")
        return answer.returncode, json.loads(answer.stdout)

    def is_at_work(self, rank: int) -> bool:
        return "at work" in (self.folder / self.hosts[rank].name / "stdout").read_text()

    def end(self) -> None:
        for process in [*self.ranks, *self.servers]:
            process.send_signal(signal.SIGCONT)
            process.kill()
            process.wait()


@contextlib.contextmanager
def cluster(folder: Path, job: str) -> Iterator[Cluster]:
    with nodes.nodes(RANKS) as hosts:
        made = Cluster(hosts, folder, job)
        try:
            wait_until(lambda: all(made.is_at_work(rank) for rank in range(RANKS)), "the ranks")
            yield made
        finally:
            made.end()


def test_a_job_on_three_hosts(tmp_path: Path) -> None:
    """why, top and merge have the whole job; a host that is slow, dead or cut off is named and not waited for."""
    with cluster(tmp_path, "skip") as job:
        seen: list[tuple[int, dict[str, Any]]] = []

        def is_settled() -> bool:
            seen.append(job.why())
            return seen[-1][1]["status"] == "stuck"

        wait_until(is_settled, "a verdict")
        status, verdict = seen[-1]
        assert status == 1
        assert (verdict["reason"], verdict["cause"], verdict["call"]["module"]) == ("skipped", "1", "Net.b")
        assert {each["host"] for each in verdict["ranks"]} == {host.name for host in job.hosts}
        assert all(each["process"] for each in verdict["ranks"])
        assert verdict["counts"]
        assert verdict["problems"] == []

        top = job.run("top", "--once", "--interval", "0.5")
        assert top.returncode == 0, top.stderr
        assert "3 processes" in top.stdout
        assert "Net.a" in top.stdout
        assert "rank 1 skipped all_gather" in top.stdout

        merged = job.run("export", "--format", "job")
        document = json.loads(merged.stdout)
        assert document["ranks"] == "0-2", merged.stderr
        assert list(Path("/tmp").glob("commtap-hosts-*")) == []

        refused = job.run("why", token=False)
        assert "it asks for a token: add --token-file" in refused.stderr

        job.servers[0].send_signal(signal.SIGSTOP)
        slow = threading.Timer(1, job.servers[0].send_signal, [signal.SIGCONT])
        slow.start()
        start = time.monotonic()
        assert job.why()[1]["cause"] == "1"
        assert time.monotonic() - start > 1
        slow.join()

        job.servers[1].kill()
        job.hosts[2].cut_off()
        start = time.monotonic()
        _, verdict = job.why()
        assert time.monotonic() - start < MOST_WAIT_S
        missing = [f"{host.address}:{PORT}" for host in job.hosts[1:]]
        assert [problem.split(": ")[0] for problem in verdict["problems"]] == missing
        assert {each["rank"] for each in verdict["ranks"] if each["host"]} == {0}
        assert verdict["reason"] not in ("never_came", "killed", "exited")


def test_servers_that_a_run_starts(tmp_path: Path) -> None:
    """`run --serve` answers as long as the command runs, and the command's exit status is its own."""
    token = tmp_path / "token"
    token.write_text(TOKEN + "\n")
    out = tmp_path / "out"
    script = f"curl -sf -H 'Authorization: Bearer {TOKEN}' --retry 50 --retry-connrefused --retry-delay 1"
    command = [COMMAND, "run", "--out", out, "--serve", "127.0.0.1:29464", "--token-file", token, "--"]
    run = subprocess.run(
        [*command, "sh", "-c", f"{script} http://127.0.0.1:29464/host; exit 7"],
        capture_output=True,
        text=True,
        check=False,
        env=dict(os.environ),
        timeout=60,
    )
    assert run.returncode == 7
    assert json.loads(run.stdout.splitlines()[0])["schema"] == "commtap.host/1"
    with pytest.raises(ConnectionRefusedError), socket.create_connection(("127.0.0.1", 29464)):
        pass
