# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""`commtap serve`, scraped by a real Prometheus server while jobs run, end, are killed and restart."""

import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness import COMMAND, Job, Mode, Processes, Runner, wait_until
from openmetrics import families
from prometheus import Prometheus
from server import Server

from report import REPOSITORY

RULES = REPOSITORY / "docs" / "dashboards" / "commtap.rules.yml"


@pytest.fixture
def servers() -> Iterator[list]:
    """Collects the servers of a test and stops them, also after a failure."""
    started: list = []
    yield started
    for each in started:
        if each.process.poll() is None:
            each.stop()


@pytest.fixture
def jobs(tmp_path: Path) -> Iterator[Runner]:
    """Returns a runner of jobs in this test's own folder, which the server serves. Jobs end with the test."""
    yield Runner(tmp_path / "jobs")
    (tmp_path / "until").touch()


def start_job(jobs: Runner, until: Path) -> Processes:
    """Starts a job of two ranks that runs until the file `until` exists."""
    return jobs.start(Job("steady.py", (str(until),)), Mode.SHIM)


def test_a_job_from_its_start_to_its_next_start(jobs: Runner, tmp_path: Path, servers: list) -> None:
    """Prometheus sees a job run and end without losing a number, and sees the next job run and be killed."""
    until = tmp_path / "until"
    server = Server(jobs.folder)
    servers.append(server)
    assert "the folder does not exist yet" in server.said
    prometheus = Prometheus(tmp_path / "prometheus", [server.address], RULES)
    servers.append(prometheus)
    wait_until(lambda: prometheus.value("up") == 1, "the first scrape")
    assert prometheus.query("commtap_process_running") == []

    job = start_job(jobs, until)
    calls = 'sum(commtap_collectives_total{module="MLPModule.net2",kind="all_reduce"})'
    wait_until(lambda: (prometheus.value(calls) or 0) >= 2, "the job's first collectives")
    before = prometheus.value(calls)
    wait_until(lambda: prometheus.value(calls) > before + 4, "more collectives")
    assert prometheus.value("sum(commtap_process_running)") == 2
    runs_since = time.monotonic()
    assert prometheus.value("commtap_ranks") == prometheus.value("commtap_world_size") == 2
    wait_until(lambda: (prometheus.value("sum(rate(commtap_payload_bytes_total[10s]))") or 0) > 0, "a rate")
    wait_until(lambda: (prometheus.value("sum(run_id:commtap_payload_bytes:rate1m)") or 0) > 0, "a recording rule")

    until.touch()
    first = job.wait()
    assert first.ended_as_meant()
    wait_until(lambda: prometheus.value("sum(commtap_process_running)") == 0, "the job's end")
    assert prometheus.value('sum(commtap_process_exit{exit="normal"})') == 2
    reports = first.reports
    assert len(reports) == 2
    assert prometheus.value("sum(commtap_collectives_total)") == sum(report.total() for report in reports)
    assert prometheus.value("sum(commtap_payload_bytes_total)") == sum(report.total("bytes") for report in reports)
    window = f"[{int(time.monotonic() - runs_since)}s:1s]"
    info = prometheus.query(f"commtap_process_info{window}")
    assert prometheus.value(f"min_over_time(sum(commtap_process_info){window})") == 2, f"a gap: {info}"

    until.unlink()
    second = start_job(jobs, until)
    wait_until(lambda: prometheus.value("sum(commtap_process_running)") == 2, "the second job")
    run_id = prometheus.query("commtap_process_running == 1")[0]["metric"]["run_id"]
    assert run_id != reports[0].job["run_id"]
    second.kill(1)
    wait_until(lambda: prometheus.value('sum(commtap_process_exit{exit="killed"})') == 1, "the kill")
    wait_until(lambda: "CommtapRankKilled" in prometheus.alerts(), "the alert")
    assert prometheus.query('commtap_process_exit{exit="killed"}')[0]["metric"]["rank"] == "1"
    until.touch()
    second.wait()

    assert prometheus.value("min_over_time(up[5m])") == 1
    metadata = prometheus.metadata()
    assert metadata["commtap_payload_bytes"][0]["type"] == "counter"
    assert metadata["commtap_payload_bytes"][0]["unit"] == "bytes"


def test_the_server_itself_restarts(jobs: Runner, tmp_path: Path, servers: list) -> None:
    """A server restarted on the same port continues the same series; counters never decrease."""
    until = tmp_path / "until"
    server = Server(jobs.folder)
    servers.append(server)
    prometheus = Prometheus(tmp_path / "prometheus", [server.address])
    servers.append(prometheus)
    job = start_job(jobs, until)
    total = "sum(commtap_collectives_total)"
    wait_until(lambda: (prometheus.value(total) or 0) >= 20, "some collectives")
    assert server.stop() == 0
    wait_until(lambda: prometheus.value("up") == 0, "the server to be missed")
    again = Server(jobs.folder, server.address)
    servers.append(again)
    wait_until(lambda: prometheus.value("up") == 1 and prometheus.value(total) is not None, "the server's return")
    assert prometheus.value("max(resets(commtap_collectives_total[5m]))") == 0
    until.touch()
    assert job.wait().ended_as_meant()


def test_a_sudden_change_of_steps_is_told(jobs: Runner, tmp_path: Path, servers: list) -> None:
    """Once, for the value that changed, as a line and as metrics."""
    until, grow = tmp_path / "until", tmp_path / "grow"
    job = jobs.start(Job("steady.py", (str(until), "--pause", "0.01", "--grow", str(grow))), Mode.SHIM)
    server = Server(jobs.folder)
    servers.append(server)

    def value(name: str, what: str) -> float:
        found = families(server.get()[1]).get(name)
        return sum(sample.value for sample in found.samples if sample.labels["what"] == what) if found else 0

    def steps() -> float:
        found = families(server.get()[1]).get("commtap_steps")
        return min(sample.value for sample in found.samples) if found else 0

    wait_until(lambda: steps() > 60, "steady steps")
    assert value("commtap_step_changes", "bytes") == 0
    grow.touch()
    wait_until(lambda: value("commtap_step_changes", "bytes") == 2, "the change on both ranks")
    assert value("commtap_step_changes", "collectives") == 2
    assert value("commtap_step_change_ratio", "bytes") > 2 * 1.1
    told = r"from step \d+ on, bytes per step went from .* to .* \(rank [01]"
    lines = (server.process.stderr.readline() for _ in range(6))  # on a busy machine their time changes, too
    assert any(re.search(told, line) for line in lines)
    now = steps()
    wait_until(lambda: steps() > now + 30, "more steps")
    assert value("commtap_step_changes", "bytes") == 2
    until.touch()
    assert job.wait().ended_as_meant()


def test_a_rank_that_is_late_in_each_step(jobs: Runner, tmp_path: Path, servers: list) -> None:
    """`top` names it, with one look at the ledgers; `serve` says it once, and has a metric for as long as it is so."""
    until = tmp_path / "until"
    job = jobs.start(Job("steady.py", (str(until), "--pause", "0.1", "--late", "0.2")), Mode.SHIM)
    server = Server(jobs.folder)
    servers.append(server)

    def late() -> list[tuple[str, str, float]]:
        found = families(server.get()[1]).get("commtap_late_rank_wait_ratio")
        samples = found.samples if found else []
        return [(sample.labels["rank"], sample.labels["group"], sample.value) for sample in samples]

    wait_until(late, "the late rank")
    [(rank, group, ratio)] = late()
    assert (rank, group) == ("1", "default_pg")
    assert 0.3 < ratio < 0.9
    told = (
        r"run \S+: rank 1 comes late: others wait for it for \S+ ms of each step \(\S+ ms\), most at \S+ of \S+ \[0-1\]"
    )
    lines = (server.process.stderr.readline() for _ in range(6))  # on a busy machine the steps change, too
    assert any(re.match(told, line.removeprefix("commtap: ")) for line in lines)
    shown = subprocess.run([COMMAND, "top", jobs.folder, "--once"], capture_output=True, text=True, check=True).stdout
    [line] = [line for line in shown.splitlines() if " comes late: " in line]
    assert line.startswith("rank 1 comes late: others wait for it for ")
    healthy = subprocess.run([COMMAND, "why", jobs.folder], capture_output=True, text=True, check=True).stdout
    assert healthy.startswith("healthy: ")
    assert "\nrank 1 comes late: others wait for it for " in healthy
    assert late()
    until.touch()
    assert job.wait().ended_as_meant()
    assert late() == []


def test_what_is_said_while_a_job_runs(jobs: Runner, tmp_path: Path, servers: list) -> None:
    """The server answers with both formats, by Accept header, and with the page, and with nothing else."""
    until = tmp_path / "until"
    job = start_job(jobs, until)
    wait_until(lambda: len(list(jobs.folder.rglob("*.ledger"))) == 2, "the ledgers")
    server = Server(jobs.folder)
    servers.append(server)
    # Wait for a collective: the module's call is counted before its first collective.
    collective = re.compile(r'^commtap_collectives_total\{[^}]*module="MLPModule.net2"', re.MULTILINE)
    wait_until(lambda: collective.search(server.get()[1]) is not None, "the first step")
    content_type, text = server.get()
    assert content_type == "application/openmetrics-text; version=1.0.0; charset=utf-8"
    running = families(text)["commtap_process_running"].samples
    assert [sample.value for sample in running] == [1, 1]
    content_type, text = server.get(accept="text/plain")
    assert content_type == "text/plain; version=0.0.4; charset=utf-8"
    assert "# TYPE commtap_collectives_total counter\n" in text
    content_type, page = server.get("/", "text/html")
    assert content_type == "text/html; charset=utf-8"
    assert "\nMLPModule.net2 " in page
    assert "ranks 0-1: still running" in page
    assert "<td>running<" in page
    assert "<script" not in page
    with pytest.raises(OSError, match="404"):
        server.get("/etc/passwd")
    until.touch()
    assert job.wait().ended_as_meant()
    assert server.stop(signal.SIGINT) == 0


def test_the_runs_of_a_folder_in_which_nothing_runs(jobs: Runner, servers: list) -> None:
    """The page lists the runs as `commtap list` does, the newest first, with how they ended and their commands."""
    for name in ("ddp.py", "fsdp2.py"):
        assert jobs.start(Job(name), Mode.SHIM).wait().ended_as_meant()
    server = Server(jobs.folder)
    servers.append(server)
    newest, oldest = re.findall(r"<tr><td>.*", server.get("/", "text/html")[1])
    assert "<td>normal<" in newest
    assert "<td>normal<" in oldest
    assert ("fsdp2.py" in newest, "ddp.py" in oldest) == (True, True)


def test_an_address_that_is_taken(tmp_path: Path, servers: list) -> None:
    """A taken address gives one line and status 1; the running server is not disturbed."""
    server = Server(tmp_path)
    servers.append(server)
    second = subprocess.run(
        [COMMAND, "serve", tmp_path, "--listen", server.address],
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert second.returncode == 1
    assert second.stderr == f"commtap: cannot listen on {server.address}: Address already in use\n"
    assert server.get()[1].endswith("# EOF\n")
