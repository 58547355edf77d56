# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""`commtap top` and `commtap show --last`: for a hanging job, the rank that blocks it and its module."""

import contextlib
import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness import COMMAND, Job, Mode, Processes, Runner, wait_until

from report import document_of

#: The collectives that rank 1 has issued when it stops: 3 scatters and a broadcast of set-up, 4 in forwards.
BEFORE = 8


def commtap(*arguments: object) -> subprocess.CompletedProcess:
    return subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True, check=False)


@contextlib.contextmanager
def started(folder: Path, *arguments: str) -> Iterator[Processes]:
    """Yields the job once rank 1 has stopped."""
    job = Runner(folder).start(Job("hangs.py", arguments), Mode.SHIM)
    try:
        wait_until(lambda: (job.run.folder / "stdout.1").read_text() == "stops\n", "the hang")
        yield job
    finally:
        for rank in (0, 1):
            job.kill(rank)
        job.wait()


@pytest.fixture
def hanging(tmp_path: Path) -> Iterator[Processes]:
    """Yields a job in which rank 0 waits for rank 1."""
    with started(tmp_path) as job:
        yield job


def test_the_rank_that_holds_up_the_others(hanging: Processes) -> None:
    folder = hanging.run.output_folder
    wait_until(lambda: "has not entered" in commtap("top", folder).stdout, "three quiet seconds")
    wait_until(lambda: "stuck only if" in commtap("top", folder).stdout, "five quiet seconds")
    shown = commtap("top", folder, "--once", "--interval", "0.2")
    assert shown.returncode == 0
    assert shown.stderr == ""
    call = f"all_reduce #{BEFORE + 1} of default_pg [0-1] (320 B for MLPModule.net2, forward)"
    assert f"rank 1 has not entered {call}: it is blocked outside of communication (sleeps)" in shown.stdout
    assert "; stuck only if it lasts 30 s (--after)\n" in shown.stdout
    assert f"  cause   rank 1 blocked (sleeps), last call all_reduce #{BEFORE} of default_pg [0-1]" in shown.stdout
    assert f"  victim  rank 0 waits in barrier #{BEFORE + 2} of default_pg [0-1]" in shown.stdout
    document = document_of(commtap("top", folder, "--json", "--interval", "0.2").stdout)
    [verdict] = document["verdicts"]
    assert (document["processes"], verdict["cause"], verdict["call"]["sequence"]) == (2, "1", BEFORE + 1)
    assert {rate["name"] for rate in document["by_kind"]} == {"all_reduce", "barrier", "broadcast", "scatter"}
    impatient = commtap("top", folder, "--once", "--interval", "0.2", "--after", "1s").stdout
    assert f"\nstuck: rank 1 has not entered {call}" in impatient


def test_a_small_terminal_and_its_q_key(hanging: Processes) -> None:
    """On 40 x 10 the alarm comes first, and nothing is wider or longer. ? explains the keys, q ends top."""
    folder = hanging.run.output_folder
    wait_until(lambda: "has not entered" in commtap("top", folder).stdout, "three quiet seconds")
    assert re.search(r"\((sleeps|runs)\).*; pid \d+ on \S+", commtap("top", folder).stdout)
    main, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 10, 40, 0, 0))
    environment = os.environ | {"TERM": "dumb"}
    top = subprocess.Popen(
        ["setsid", "--ctty", COMMAND, "top", folder, "--interval", "0.2"],
        stdin=other,
        stdout=other,
        stderr=other,
        env=environment,
    )
    os.close(other)
    shown = b""
    while shown.count(b"\x1b[J") < 2:
        shown += os.read(main, 4096)
    os.write(main, b"?")
    explained = b""
    while b"keys: q quits" not in explained:
        explained += os.read(main, 4096)
    os.write(main, b"xq")
    assert top.wait(timeout=10) == 0
    os.close(main)
    frame = shown.split(b"\x1b[J")[1].split(b"\x1b[H")[0].decode().split("\r\n")
    assert len(frame) <= 10
    assert max(map(len, frame)) <= 40
    assert "rank 1 has not entered" in " ".join(frame)


def test_the_last_collectives_of_killed_ranks(hanging: Processes) -> None:
    """`show --last` reads the ledgers of killed ranks."""
    folder = hanging.run.output_folder
    wait_until(lambda: re.search("barrier .* waiting", commtap("show", folder, "--last").stdout), "rank 0's barrier")
    for rank in (0, 1):
        hanging.kill(rank)
    run = hanging.wait()
    shown = commtap("show", run.output_folder, "--last").stdout
    *_, last = [line.split() for line in shown.splitlines() if line.split()[:1] == ["0"]]
    assert last[2:4] == [str(BEFORE + 2), "barrier"]
    assert last[4:7] == ["may", "be", "waiting"]
    *_, last = [line.split() for line in shown.splitlines() if line.split()[:1] == ["1"]]
    assert last[2:4] == [str(BEFORE), "all_reduce"]
    assert last[4] == "returned"  # the others have gone on: this rank does not wait for them
    assert "MLPModule.net2" in last


def test_killed_ranks_of_one_sequence(hanging: Processes) -> None:
    """`show --ranks` distinguishes ranks killed after 10 and 8 calls from diverged ones; `check` fails."""
    folder = hanging.run.output_folder
    wait_until(lambda: "barrier" in commtap("show", folder, "--last").stdout, "rank 0's barrier")
    for rank in (0, 1):
        hanging.kill(rank)
    hanging.wait()
    merged = commtap("export", folder, "--format", "job")
    assert {each["what"] for each in json.loads(merged.stdout)["disagreements"]} == {"stopped"}
    assert merged.returncode == 0
    assert "RANKS DISAGREE" not in commtap("show", "--ranks", folder).stdout
    checked = commtap("check", folder)
    assert checked.returncode == 1
    assert "ranks 0-1: crashed or killed" in checked.stdout
    assert commtap("check", folder, "--allow", "killed").returncode == 0


def test_ranks_that_wait_for_different_collectives(tmp_path: Path) -> None:
    """The ranks have issued equally many collectives, so counts alone show nothing."""
    with started(tmp_path, "--differ") as job:
        folder = job.run.output_folder
        wait_until(lambda: "different collectives" in commtap("top", folder).stdout, "both collectives")
        shown = commtap("show", folder, "--last").stdout
        assert f"ranks have issued different collectives as number {BEFORE + 1}\n" in shown
        assert "  rank 0: all_reduce of 16 B for Global (other), float32, sum\n" in shown
        assert "  rank 1: broadcast of 16 B for Global (other), float32, root 0\n" in shown
        top = commtap("top", folder).stdout
        assert top.count("different collectives") == 1
        assert (
            f": ranks issued different collectives as #{BEFORE + 1} of default_pg [0-1]: "
            "rank 0: all_reduce of 16 B for Global, other; rank 1: broadcast of 16 B for Global, other\n"
        ) in top
        assert top.splitlines()[2].startswith(("wrong: ", "stuck: "))


def test_show_names_the_number_at_which_ranks_part(tmp_path: Path) -> None:
    """`show --ranks` names the number from hanging ranks' ledgers, and from their reports after they were killed."""
    with started(tmp_path, "--differ") as job:
        folder = job.run.output_folder
        wait_until(lambda: "different collectives" in commtap("top", folder).stdout, "both collectives")
        of_ledgers = commtap("show", "--ranks", folder)
    of_reports = commtap("show", "--ranks", job.run.output_folder)
    for merged in (of_ledgers, of_reports):
        assert merged.returncode == 1
        assert f"different collectives as number {BEFORE + 1} on default_pg of ranks 0-1: " in merged.stdout
        assert "all_reduce of 16 B in Global, float32, sum on rank 0" in merged.stdout
        assert "broadcast of 16 B in Global, float32, root 0 on rank 1" in merged.stdout
    [first, *_] = json.loads(commtap("export", job.run.output_folder, "--format", "job").stdout)["disagreements"]
    assert first["what"] == "order"
    assert first["sequence"] == BEFORE + 1


def test_how_long_ranks_are_blocked(tmp_path: Path) -> None:
    """The columns appear only if durations are known; a line then has at most 80 columns."""
    until = tmp_path / "until"
    for timing, titles in (("host", {"EXPOSED", "BUSBW"}), ("sample:2", {"BUSBW"}), ("off", set())):
        job = Runner(tmp_path / timing).start(
            Job("steady.py", (str(until),), variables=(("COMMTAP_TIMING", timing),)), Mode.SHIM
        )
        folder = job.run.output_folder
        try:
            wait_until(lambda folder=folder: "all_reduce" in commtap("top", folder, "--once").stdout, "collectives")
            tables = commtap("top", folder, "--once", "--interval", "2").stdout.split("\n\n")
        finally:
            until.touch()
            job.wait()
            until.unlink()
        [kinds, *_] = rates = [table.splitlines() for table in tables if "PAYLOAD/S" in table]
        assert len(rates) == 3
        assert set(kinds[0].split()) - {"KIND", "CALLS/S", "PAYLOAD/S", "COUNT", "PAYLOAD"} == titles
        reduced = next(line for line in kinds if line.startswith("all_reduce"))
        assert ("/s" in reduced) == ("BUSBW" in titles)
        assert (" % " in reduced) == ("EXPOSED" in titles)
        if titles:
            assert max(len(line) for table in rates for line in table) <= 80


def test_nothing_runs(tmp_path: Path) -> None:
    empty = commtap("top", tmp_path)
    assert empty.returncode == 1
    assert "no running job was found on this machine" in empty.stderr
    assert commtap("top", tmp_path / "nowhere").returncode == 2
