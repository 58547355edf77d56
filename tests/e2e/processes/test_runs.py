# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Several runs in one folder: none loses a report to another, and each is found whole."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

import jsonschema
import pytest
from harness import COMMAND, LIBRARY, TIMEOUT_S, free_port, wait_until

from report import REPOSITORY, Report, closed

LIST_SCHEMA = REPOSITORY / "docs" / "schema" / "commtap-list-1.schema.json"

#: A rank that makes as many all_reduces as its first argument says. It then ends as its second argument says, without
#: the end of the interpreter, at which Gloo may abort: docs/reliability.md names that bug.
RANK = """
import os, pathlib, signal, sys, time, torch, torch.distributed as dist
dist.init_process_group("gloo")
kept = [torch.ones(4) for _ in range(int(sys.argv[1]))]
for each in kept:
    dist.all_reduce(each)
if sys.argv[2] == "fail" and os.environ["TORCHELASTIC_RESTART_COUNT"] == "0":
    os._exit(1)
if sys.argv[2] == "wait":
    pathlib.Path(sys.argv[3], "ready." + os.environ["RANK"]).touch()
    time.sleep(600)
dist.barrier()
os._exit(0)
"""


def environment(**variables: str) -> dict[str, str]:
    """The environment of the tests without a launcher's variables, and with these."""
    unwanted = ("COMMTAP", "LD_PRELOAD", "MASTER_", "RANK", "LOCAL_RANK", "WORLD_SIZE", "SLURM_", "TORCHELASTIC_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(unwanted)}
    return kept | {"OMP_NUM_THREADS": "1"} | variables


def preloaded(out: Path, **variables: str) -> dict[str, str]:
    """The environment of a job without `commtap run`."""
    return environment(LD_PRELOAD=str(LIBRARY), COMMTAP_OUT=str(out), **variables)


def torchrun(folder: Path, *arguments: object, calls: int, end: str = "end") -> list[str]:
    """A job under torchrun."""
    script = folder / "rank.py"
    script.write_text(RANK, encoding="utf-8")
    launcher = [sys.executable, "-m", "torch.distributed.run", *map(str, arguments)]
    return [*launcher, str(script), str(calls), end]


def static(port: int, ranks: int = 2) -> tuple[str, ...]:
    """torchrun's arguments for a rendezvous of one host that every run repeats."""
    return ("--rdzv-backend=static", f"--master-port={port}", f"--nproc-per-node={ranks}")


def run(command: list[str], variables: dict[str, str], status: int = 0) -> subprocess.CompletedProcess[str]:
    """Runs a job to its end."""
    done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=TIMEOUT_S)
    assert done.returncode == status, done.stderr
    return done


def run_all(started: list[subprocess.Popen]) -> None:
    """Waits for the processes of a job."""
    for process in started:
        assert process.wait(timeout=TIMEOUT_S) == 0


def runs_in(out: Path) -> dict[int, list[Report]]:
    """The reports of each run by the number of its calls; a run has one id and one folder of its own."""
    found: dict[int, list[Report]] = defaultdict(list)
    for path in sorted(out.rglob("*.json")):
        report = Report.read(path)
        found[int(report.total(kind="all_reduce"))].append(report)
    ids = {calls: {report.job["run_id"] for report in reports} for calls, reports in found.items()}
    folders = {calls: {path_of_run(out, report) for report in reports} for calls, reports in found.items()}
    assert all(len(each) == 1 for each in (*ids.values(), *folders.values())), (ids, folders)
    assert len(set.union(*ids.values())) == len(set.union(*folders.values())) == len(found)
    assert not list(out.rglob("*.lock"))
    return dict(found)


def path_of_run(out: Path, report: Report) -> Path:
    """The folder of a report's run."""
    folder = report.path.parent
    return folder.parent if folder != out and folder.name.startswith("attempt-") else folder


def ranks_of(reports: list[Report]) -> list[int]:
    return sorted(report.job["rank"] for report in reports)


def is_first(out: Path, reports: list[Report]) -> bool:
    """Whether a run has the folder to itself, with the names that scripts expect."""
    names = sorted(path.name for path in out.iterdir() if path.is_file())
    is_there = path_of_run(out, reports[0]) == out
    return is_there and names == sorted(f"rank-{rank:05}.json" for rank in ranks_of(reports))


def show(out: Path, *arguments: str) -> str:
    return run([str(COMMAND), "show", str(out), *arguments], environment()).stdout


def test_commtap_run_twice(tmp_path: Path) -> None:
    """The first run keeps its reports to the byte; the second has a folder, and its summary is its own."""
    out = tmp_path / "out"
    start = [str(COMMAND), "run", "--out", str(out), "--"]
    run([*start, *torchrun(tmp_path, *static(free_port()), calls=1)], environment())
    first = {path.name: path.read_bytes() for path in out.iterdir()}
    assert sorted(first) == ["rank-00000.json", "rank-00001.json"]
    second = run([*start, *torchrun(tmp_path, *static(free_port()), calls=2)], environment())
    assert {path.name: path.read_bytes() for path in out.iterdir() if path.is_file()} == first
    runs = runs_in(out)
    assert {calls: ranks_of(reports) for calls, reports in runs.items()} == {1: [0, 1], 2: [0, 1]}
    ids = {calls: reports[0].job["run_id"] for calls, reports in runs.items()}
    assert runs[2][0].path.parent == out / ids[2]
    for said in (second.stderr, show(out)):
        assert f"run {ids[2]}, started" in said
        assert "1 other run left out (commtap list, --run ID)" in said
    assert f"run {ids[1]}, started" in show(out, "--run", ids[1])
    listed = json.loads(run([str(COMMAND), "list", "--json"], environment(COMMTAP_OUT=str(out))).stdout)
    jsonschema.validate(listed, closed(json.loads(LIST_SCHEMA.read_text(encoding="utf-8"))))
    assert [(each["run_id"], each["calls"], each["end"]) for each in listed["runs"]] == [
        (ids[2], 2 * 2 + 2, "normal"),
        (ids[1], 2 * 1 + 2, "normal"),
    ]
    unknown = run([str(COMMAND), "show", str(out), "--run", "x"], environment(), status=2)
    assert f'the newest are "{ids[2]}", "{ids[1]}"' in unknown.stderr


def test_one_run_id_twice(tmp_path: Path) -> None:
    """A name that was given twice names two runs: the second has a number, and is what `commtap run` sums up."""
    out = tmp_path / "out"
    start = [str(COMMAND), "run", "--out", str(out), "--run-id", "nightly", "--"]
    said = [
        run([*start, *torchrun(tmp_path, *static(free_port()), calls=calls)], environment()).stderr for calls in (1, 2)
    ]
    runs = runs_in(out)
    assert [runs[calls][0].job["run_id"] for calls in (1, 2)] == ["nightly", "nightly.run-2"]
    assert is_first(out, runs[1])
    assert "run nightly, started" in said[0]
    assert "run nightly.run-2, started" in said[1]
    nothing = run([*start, sys.executable, "-c", "0"], environment()).stderr
    assert "no report was written" in nothing


@pytest.mark.parametrize("out", ["out", "out/%r", "out/%j"])
def test_two_static_rendezvous(tmp_path: Path, out: str) -> None:
    """Two jobs of torchrun with one address and port, one after the other."""
    port = free_port()
    for calls, ranks in ((1, 2), (2, 3)):
        run(torchrun(tmp_path, *static(port, ranks), calls=calls), preloaded(tmp_path / out))
    runs = {}
    for path in sorted((tmp_path / "out").rglob("*.json")):
        report = Report.read(path)
        runs.setdefault(report.job["run_id"], []).append(report)
    assert sorted((len(reports), int(reports[0].total(kind="all_reduce"))) for reports in runs.values()) == [
        (2, 1),
        (3, 2),
    ]
    if out == "out":
        assert is_first(tmp_path / out, runs_in(tmp_path / out)[1])


def test_two_jobs_at_once(tmp_path: Path) -> None:
    """One of them takes the folder, and the other a folder in it."""
    out = tmp_path / "out"
    run_all(
        [
            subprocess.Popen(torchrun(tmp_path, *static(free_port()), calls=calls), env=preloaded(out))
            for calls in (1, 2)
        ]
    )
    runs = runs_in(out)
    assert {calls: ranks_of(reports) for calls, reports in runs.items()} == {1: [0, 1], 2: [0, 1]}
    assert [is_first(out, reports) for reports in runs.values()].count(True) == 1


def by_hand(tmp_path: Path, out: Path, port: int, calls: int, ranks: int, end: str = "end") -> list[subprocess.Popen]:
    """Starts ranks with plain variables, each in a session of its own."""
    place = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "WORLD_SIZE": str(ranks)}
    command = [sys.executable, "-c", RANK, str(calls), end, str(tmp_path)]
    return [
        subprocess.Popen(command, env=preloaded(out, RANK=str(rank), **place), start_new_session=True)
        for rank in range(ranks)
    ]


def test_ranks_by_hand(tmp_path: Path) -> None:
    """Ranks without a launcher have one id, and so has each of three runs; no world is like the one before."""
    out = tmp_path / "out"
    port = free_port()
    for calls, ranks in ((1, 2), (2, 3), (3, 1)):
        run_all(by_hand(tmp_path, out, port, calls, ranks))
    runs = runs_in(out)
    assert {calls: ranks_of(reports) for calls, reports in runs.items()} == {1: [0, 1], 2: [0, 1, 2], 3: [0]}
    assert is_first(out, runs[1])
    address = f"127.0.0.1:{port}"
    ids = [runs[calls][0].job["run_id"] for calls in (1, 2, 3)]
    assert ids == [address, f"{address}.run-2", f"{address}.run-3"]


def test_rerun_after_a_crash(tmp_path: Path) -> None:
    """The ledgers of killed ranks stay those of their run."""
    out = tmp_path / "out"
    port = free_port()
    killed = by_hand(tmp_path, out, port, 1, 2, "wait")
    wait_until(lambda: all((tmp_path / f"ready.{rank}").exists() for rank in range(2)), "both ranks")
    for process in killed:
        process.kill()
        assert process.wait() == -signal.SIGKILL
    assert len(list(out.glob("*.ledger"))) == 2
    run_all(by_hand(tmp_path, out, port, 2, 2))
    run([str(COMMAND), "list", str(out)], environment())
    runs = runs_in(out)
    assert {calls: ranks_of(reports) for calls, reports in runs.items()} == {1: [0, 1], 2: [0, 1]}
    assert is_first(out, runs[1])
    assert {report.job["exit"] for report in runs[1]} == {"killed"}


def test_restarts_stay_in_their_run(tmp_path: Path) -> None:
    """Both attempts of a run are in its folder, also if the run is the second of its name."""
    out = tmp_path / "out"
    rendezvous = ("--rdzv-backend=c10d", "--rdzv-endpoint=127.0.0.1:0", "--rdzv-id=again", "--nproc-per-node=2")
    apart = {"TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1"}
    for calls in (1, 2):
        command = torchrun(tmp_path, *rendezvous, "--max-restarts=1", calls=calls, end="fail")
        run(command, preloaded(out, **apart))
    runs = runs_in(out)
    for reports in runs.values():
        assert sorted((report.job["attempt"], report.job["rank"]) for report in reports) == [
            (0, 0),
            (0, 1),
            (1, 0),
            (1, 1),
        ]
    assert [runs[calls][0].job["run_id"] for calls in (1, 2)] == ["again", "again.run-2"]
    assert not list(out.rglob("*.ledger"))


def host(number: int, command: list[str]) -> list[str]:
    """The command on a host with a name of its own, if this user can make one."""
    named = ["unshare", "--uts", "sh", "-c", f'hostname node{number} && exec "$@"', "sh"]
    can_name = subprocess.run([*named, "true"], capture_output=True).returncode == 0
    return [*named, *command] if can_name else command


def test_two_hosts(tmp_path: Path) -> None:
    """A torchrun on each of two hosts is one run, and the next two are another."""
    out = tmp_path / "out"
    port = free_port()
    rendezvous = ("--rdzv-backend=static", f"--master-port={port}", "--nnodes=2", "--nproc-per-node=1")
    for calls in (1, 2):
        commands = [
            host(node, torchrun(tmp_path, *rendezvous, f"--node-rank={node}", "--master-addr=127.0.0.1", calls=calls))
            for node in range(2)
        ]
        run_all([subprocess.Popen(command, env=preloaded(out)) for command in commands])
        time.sleep(1.1)  # within a second a run cannot be known from the one before: the clocks of hosts may differ
    runs = runs_in(out)
    assert {calls: ranks_of(reports) for calls, reports in runs.items()} == {1: [0, 1], 2: [0, 1]}
    assert is_first(out, runs[1])
    ids = [runs[calls][0].job["run_id"] for calls in (1, 2)]
    assert ids == [f"127.0.0.1:{port}", f"127.0.0.1:{port}.run-2"]
    assert "\n2 of 2 ranks: 0-1\n" in show(out)
