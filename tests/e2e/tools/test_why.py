# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""`commtap why`: the verdict on each job of the zoo of hangs, the watch, and what top shows of it."""

import contextlib
import datetime
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hangs import CANNOT_TELL, FOUND, OK, PATIENCE_S, settled, wait_for_work, why
from harness import COMMAND, Job, Mode, Processes, Runner, free_port, wait_until

WORLD = "default_pg"


@dataclass(frozen=True)
class Hang:
    """A job of tests/jobs/hang_zoo.py and what its verdict must say."""

    name: str
    ranks: int
    reason: str
    cause: str
    kind: str | None = None
    group: str | None = WORLD
    module: str | None = None
    #: Calls that differ are reported before the job is quiet.
    status: tuple[str, ...] = ("stuck", "wrong")
    #: The module whose rows the ranks count differently.
    counted: str | None = None


HANGS = [
    Hang("skip", 3, "skipped", "1", "all_gather", WORLD, "Net.b"),
    Hang("extra", 3, "op", "1", "all_gather", WORLD, "Net.b"),
    Hang("order", 3, "skipped", "1", "all_reduce", WORLD, "Net.a"),
    Hang("data_branch", 3, "skipped", "1", "all_reduce", WORLD, "Net.a"),
    Hang("size", 3, "size", "1", "all_reduce", WORLD, "Net.c"),
    Hang("dtype", 3, "dtype", "1", "all_reduce", WORLD, "Net.c"),
    Hang("reduce_op", 3, "reduce_op", "1", "all_reduce", WORLD, "Net.c", ("wrong",)),
    Hang("root", 3, "root", "1", "broadcast", WORLD, "Block"),
    Hang("own_root", 3, "root", "1", "broadcast", WORLD, "Block"),
    Hang("short_batch", 3, "size", "1", "all_gather", WORLD, "Block"),
    Hang("gather_on_main", 3, "op", "0", "all_gather", WORLD, "Global"),
    Hang("layer_left_out", 3, "skipped", "1", "all_gather", WORLD, "Layered.layers.1"),
    Hang("replica_left_out", 4, "skipped", "2-3", "all_reduce", "dp02", "Block#2"),
    Hang("evaluation_break", 3, "skipped", "2", "send", WORLD, "Global"),
    Hang("early_exit", 2, "exited", "1", "all_reduce", WORLD, "Net.a"),
    Hang("exception", 2, "exited", "1", "all_reduce", WORLD, "Net.a"),
    Hang("killed", 2, "killed", "1", "all_reduce", WORLD, "Net.a"),
    Hang("stopped", 2, "stopped", "1", "all_reduce", WORLD, "Net.a"),
    Hang("uneven", 3, "op", "1", "barrier", WORLD, "Global"),
    Hang("evaluation", 3, "op", "0", "all_reduce", WORLD, "Net.a"),
    Hang("lone_group", 3, "making_group", "0", "all_reduce", WORLD, "Net.a"),
    Hang("two_groups", 2, "cycle", "0-1", "all_reduce", "first", "Pair.first"),
    Hang("three_groups", 3, "cycle", "0-2", "all_reduce", "pair01", "Block"),
    Hang("wrong_group", 4, "cycle", "2-3", "all_reduce", "node", "Net.a"),
    Hang("subset_barrier", 3, "op", "0", "barrier", WORLD, "Global"),
    Hang("micro_batch", 2, "cycle", "0-1", "barrier", WORLD, "Global"),
    Hang("both_receive", 2, "cycle", "0-1", "recv", WORLD, "Global"),
    Hang("wrong_peer", 3, "cycle", "0,2", "send", WORLD, "Global"),
    Hang("message_size", 2, "unmatched", "0-1", "recv", WORLD, "Global"),
    Hang("data_loader", 2, "blocked", "1", "all_reduce", WORLD, "Net.a"),
    Hang("checkpoint", 2, "blocked", "0", "barrier", WORLD, "Global"),
    Hang("lock", 2, "blocked", "1", "all_reduce", WORLD, "Net.a"),
    Hang("absent_root", 3, "blocked", "0", "broadcast", WORLD, "Block"),
    Hang("unused_parameters", 2, "blocked", "1", "all_reduce", WORLD, "Branching"),
    Hang("compiled", 3, "op", "1", "all_reduce", WORLD, "Compiled"),
    Hang("long_ago", 2, "diverged", "0-1", "all_reduce", WORLD, "Net.a", ("stuck",), "Net.c"),
]
#: No hangs, or unknown from outside: never an alarm.
NO_HANGS = [
    ("slow_rank", 2, OK, "healthy"),
    ("slow_checkpoints", 2, OK, "healthy"),
    ("computing", 2, CANNOT_TELL, "computing"),
    ("lone_evaluation", 2, CANNOT_TELL, "computing"),
    ("busy_child", 2, CANNOT_TELL, "computing"),
    ("join", 2, OK, "healthy"),
    ("never_came", 2, CANNOT_TELL, "not_joined"),
    ("all_elsewhere", 2, CANNOT_TELL, "not_completed"),
]
#: These run in every session: one per reason. The others run in `./dev test all`.
DAILY = {"skip", "killed", "lone_group", "two_groups", "micro_batch", "lock", "slow_rank"}


@contextlib.contextmanager
def started(folder: Path, name: str, ranks: int) -> Iterator[Processes]:
    """Yields a job of the zoo that has been started, and ends it."""
    job = Runner(folder).start(Job("hang_zoo.py", (name,), ranks=ranks), Mode.SHIM)
    job.run.output_folder.mkdir(exist_ok=True)
    try:
        yield job
    finally:
        for rank in range(ranks):
            job.kill(rank)
        job.wait()


def verdict_on(job: Processes, statuses: tuple[str, ...]) -> tuple[int, dict[str, Any]]:
    """Returns the verdict once it is the same in two looks at ranks that have all begun what they are for."""
    wait_for_work(job)
    return settled(lambda: why(job.run.output_folder), statuses)


def daily_or_long(name: str) -> Any:
    return () if name in DAILY else pytest.mark.long


@pytest.mark.parametrize("hang", [pytest.param(each, id=each.name, marks=daily_or_long(each.name)) for each in HANGS])
def test_the_verdict_on_a_hang(hang: Hang, tmp_path: Path) -> None:
    """The verdict names reason, ranks, collective, group and module."""
    with started(tmp_path, hang.name, hang.ranks) as job:
        status, verdict = verdict_on(job, hang.status)
        text = subprocess.run([COMMAND, "why", "--after", f"{PATIENCE_S}s", job.run.output_folder], capture_output=True)
    print(verdict["line"])
    assert (verdict["reason"], verdict["cause"]) == (hang.reason, hang.cause), verdict["line"]
    assert status == FOUND
    assert text.returncode == FOUND
    call = verdict["call"]
    assert (call["kind"], call["group"], call["module"]) == (hang.kind, hang.group, hang.module), verdict["line"]
    for rank in verdict["cause"].replace("-", ",").split(","):
        assert rank in verdict["line"]
    if hang.counted:
        assert hang.counted in {each["module"] for each in verdict["counts"]}
    assert {each["rank"] for each in verdict["ranks"]} == set(range(hang.ranks))


@pytest.mark.long
def test_ranks_that_make_other_groups(tmp_path: Path) -> None:
    """The ranks in new_group are the cause, and the line says which group they make."""
    with started(tmp_path, "other_groups", 4) as job:
        _, verdict = verdict_on(job, ("stuck",))
    assert (verdict["reason"], verdict["cause"]) == ("making_group", "0-1"), verdict["line"]
    assert "ranks 0-1 are in new_group of ranks 0-2, ranks 2-3 are in none, for " in verdict["line"]


@pytest.mark.parametrize(
    ("name", "ranks", "status", "reason"),
    [pytest.param(*each, id=each[0], marks=daily_or_long(each[0])) for each in NO_HANGS],
)
def test_no_alarm(name: str, ranks: int, status: int, reason: str, tmp_path: Path) -> None:
    """A slow job is healthy in every look, and one without a verdict is no hang."""
    with started(tmp_path, name, ranks) as job:
        folder = job.run.output_folder
        if name != "never_came":
            wait_for_work(job)
        end = time.monotonic() + 3 * PATIENCE_S
        seen = []
        while time.monotonic() < end:
            seen.append(why(folder))
            assert seen[-1][0] != FOUND, seen[-1][1]["line"]
    assert seen[-1][0] == status, seen[-1][1]["line"]
    assert seen[-1][1]["reason"] == reason or status == OK


def test_a_job_that_ended_well(tmp_path: Path) -> None:
    """Its reports are healthy; a folder without a job is unknown, one that does not exist is wrong usage."""
    run = Runner(tmp_path).run(Job("hang_zoo.py", ("healthy",)), Mode.SHIM)
    status, verdict = why(run.output_folder)
    assert (status, verdict["status"], verdict["cause"]) == (OK, "healthy", "")
    # What the ranks are compared by.
    [first, second] = [run.report(rank).groups[0]["stretches"] for rank in (0, 1)]
    assert first == second
    assert len(first) == 1
    assert first[0] > 0
    assert {row["reduce_op"] for row in run.report(0).last if row["kind"] == "all_reduce"} == {"sum"}
    assert {row["root"] for row in run.report(0).last if row["kind"] == "broadcast"} == {1}
    (tmp_path / "empty").mkdir()
    assert why(tmp_path / "empty")[0] == CANNOT_TELL
    assert subprocess.run([COMMAND, "why", tmp_path / "nowhere"], capture_output=True).returncode == CANNOT_TELL


def test_a_rendezvous_that_does_not_complete(tmp_path: Path) -> None:
    """The rank that waits for the others is named: before the folder exists, and when an older run has ended well."""
    script = "import torch.distributed as dist; dist.init_process_group('gloo')"
    out = tmp_path / "out"
    variables = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()), "RANK": "0"}

    def command(code: str) -> list[Any]:
        return [COMMAND, "run", "--out", out, "--", sys.executable, "-c", code]

    def answer() -> dict[str, Any]:
        done = subprocess.run([COMMAND, "why", "--json", out], capture_output=True, text=True)
        return {"exit_status": done.returncode, "reason": "", **json.loads(done.stdout or "{}")}

    def waits_in_rendezvous() -> None:
        environment = {**os.environ, **variables, "WORLD_SIZE": "2"}
        with subprocess.Popen(command(script), env=environment, stderr=subprocess.DEVNULL) as job:
            try:
                wait_until(lambda: answer()["reason"] == "not_joined", "the rank to start")
                found = answer()
                assert found["exit_status"] == CANNOT_TELL
                assert (found["status"], found["cause"]) == ("unknown", "0")
                assert found["line"].startswith("cannot tell: rank 0 (python"), found["line"]
            finally:
                job.terminate()

    waits_in_rendezvous()
    one = {**os.environ, **variables, "WORLD_SIZE": "1"}
    ended = script + "; dist.barrier()"
    subprocess.run(command(ended), env=one, stderr=subprocess.DEVNULL, check=True)
    assert (answer()["exit_status"], answer()["status"]) == (0, "healthy")
    waits_in_rendezvous()
    assert (answer()["exit_status"], answer()["status"]) == (0, "healthy")


class Hook(BaseHTTPRequestHandler):
    """Keeps what is posted."""

    bodies: ClassVar[list[dict[str, Any]]] = []

    def do_POST(self) -> None:
        Hook.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def test_a_watch_reports_each_hang_once(tmp_path: Path) -> None:
    """The command and the webhook get the verdict, once; the stacks come from py-spy; the watch ends with the job."""
    server = HTTPServer(("127.0.0.1", 0), Hook)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "py-spy").write_text('#!/bin/sh\necho "stack of $4"\n')
    (tools / "py-spy").chmod(0o755)
    with started(tmp_path / "job", "lock", 2) as job:
        command = [COMMAND, "why", "--watch", "--stacks", "--after", f"{PATIENCE_S}s", "--interval", "0.3s"]
        command += ["--exec", f"cat >>{tmp_path}/told; echo >>{tmp_path}/told"]
        command += ["--webhook", f"http://127.0.0.1:{server.server_port}/hook", str(job.run.output_folder)]
        environment = {"PATH": f"{tools}:/usr/bin:/bin"}
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as watch:
            try:
                wait_until(lambda: bool(Hook.bodies), "the webhook")
                shown = subprocess.run(
                    [COMMAND, "top", "--once", job.run.output_folder], capture_output=True, text=True
                )
                time.sleep(2)
            finally:
                for rank in (0, 1):
                    job.kill(rank)
            assert watch.wait(timeout=30) == OK
            out, errors = watch.communicate()
    server.shutdown()
    assert shown.returncode == OK
    lines = [line for line in (tmp_path / "told").read_text().splitlines() if line]
    told = [json.loads(line) for line in lines]
    assert [each["cause"] for each in told][:1] == ["1"]
    assert [each["reason"] for each in told].count("blocked") == 1
    assert Hook.bodies == told
    assert told[0]["stacks"][0]["text"].startswith("stack of ")
    assert b"stuck: rank 1 has not entered all_reduce #13 of default_pg [0-1]" in out
    assert errors == b""


def test_a_rank_that_does_not_return_from_nccl(tmp_path: Path) -> None:
    """The cause is in its call to NCCL, not outside of communication, and the ledger keeps since when."""
    began = time.time()
    job = Runner(tmp_path).start(Job("nccl_groups", ("hang",), ranks=2), Mode.SHIM)
    job.run.output_folder.mkdir(exist_ok=True)
    seen: list[dict[str, Any]] = []

    def is_settled() -> bool:
        seen.append(why(job.run.output_folder)[1])
        return bool(seen[-1]["status"] == "stuck")

    try:
        wait_until(is_settled, "a verdict")
    finally:
        for rank in (0, 1):
            job.kill(rank)
        job.wait()
    verdict = seen[-1]
    assert (verdict["reason"], verdict["cause"]) == ("in_nccl", "1"), verdict["line"]
    assert verdict["call"]["sequence"] == 4
    assert "it is in ncclAllReduce, which has not returned for" in verdict["line"]
    [cause] = [rank for rank in verdict["ranks"] if rank["rank"] == 1]
    assert cause["open_call"] == "ncclAllReduce"
    entered = datetime.datetime.fromisoformat(cause["open_since"]).timestamp()
    assert began - 1 < entered < time.time() - PATIENCE_S + 1
    job.run.recover()
    [open_call] = job.run.report(1).open_calls
    assert (open_call["function"], open_call["group"]) == ("ncclAllReduce", "0")
    assert open_call["entered_at"] == cause["open_since"]
    assert not job.run.report(0).open_calls
