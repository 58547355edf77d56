# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""How uneven the calls of experts are. The job sends, in tokens from rank to rank:

    step 0: 6 1 2    step 1: 3 3 3
            0 9 0            3 3 3
            4 4 1            3 3 3

and all of it back. What follows from this is written down by hand.
"""

import json
import subprocess

import pytest
from catalogue import JOBS
from harness import COMMAND, Runner

TOKEN = 4 * 4  # bytes

#: By rank, of each phase: the mean imbalance, its maximum, the tokens by peer, the parts without tokens, and the tokens
#: that a call receives beyond those that it sends.
EXPECTED = {
    # 6 of 9 to one of three: 2. It receives 6, 0 and 4, which is 1.8.
    0: (1.5, 2, [18, 7, 12], 1, 10 - 9),
    # 9 of 9 to one of three: 3. It receives 1, 9 and 4.
    1: (2, 3, [7, 24, 10], 2, 14 - 9),
    # It sends 4, 4 and 1, which is 1.33, and receives 2, 0 and 1: 2. The outputs come back to it in another call.
    2: (1.5, 2, [12, 10, 8], 1, 9 - 3),
}
EXTREMES = {0: (0, 1), 1: (1, 0), 2: (0, 2)}


@pytest.mark.parametrize("rank", EXPECTED)
@pytest.mark.parametrize("phase", ["forward", "backward"])
@pytest.mark.parametrize("name", ["splits", "splits_compile"])
def test_dispatch_and_combine(runner: Runner, name: str, phase: str, rank: int) -> None:
    [row] = runner.shim(JOBS[name]).report(rank).rows(op="_c10d_functional.all_to_all_single", phase=phase)
    mean, most, tokens, zeros, more = EXPECTED[rank]
    hottest, coldest = EXTREMES[rank]
    assert row["splits"] == {
        "calls": 4,
        "imbalance": {"mean": mean, "max": most},
        "hottest_peer": hottest,
        "coldest_peer": coldest,
        "zero_peers": zeros,
        "peers": {str(peer): count * TOKEN for peer, count in enumerate(tokens)},
        "received_more": more * TOKEN,
    }
    assert sum(row["splits"]["peers"].values()) == row["bytes"]
    assert row.get("compiled", False) == (name == "splits_compile")


@pytest.mark.parametrize("rank", EXPECTED)
def test_lists(runner: Runner, rank: int) -> None:
    """The lists of an all_to_all are its sizes. Without sizes, and with even lists of another kind, there are none."""
    report = runner.shim(JOBS["splits"]).report(rank)
    [row] = report.rows(op="c10d.alltoall_")
    assert row["splits"] == {
        "calls": 1,
        "imbalance": {"mean": 1, "max": 1},
        "hottest_peer": None,
        "coldest_peer": None,
        "zero_peers": 0,
        "peers": {str(peer): 3 * TOKEN for peer in range(3)},
    }
    for op in ("c10d.alltoall_base_", "c10d.allgather_"):
        [plain] = report.rows(op=op)
        assert "splits" not in plain


def test_merged(runner: Runner) -> None:
    """The calls of all ranks: tokens by peer are the sums of the tables above."""
    run = runner.shim(JOBS["splits"])
    command = [COMMAND, "export", run.output_folder, "--format", "job"]
    job = json.loads(subprocess.run(command, capture_output=True, check=True, timeout=60).stdout)
    [row] = (
        row
        for row in job["collectives"]
        if (row["op"], row["phase"]) == ("_c10d_functional.all_to_all_single", "forward")
    )
    assert row["splits"].pop("imbalance") == {"mean": pytest.approx(5 / 3), "max": 3}
    assert row["splits"] == {
        "calls": 12,
        "hottest_peer": 1,
        "coldest_peer": 2,
        "zero_peers": 4,
        "peers": {"0": 37 * TOKEN, "1": 41 * TOKEN, "2": 30 * TOKEN},
        "received_more": (1 + 5 + 6) * TOKEN,
    }
    # Rank 1 receives 14 tokens and sends them back, in two calls; each rank sends nine in the mean.
    assert row["uneven_bytes"] == 3 * 2 * (14 - 9) * TOKEN


def test_show(runner: Runner) -> None:
    run = runner.shim(JOBS["splits"])
    command = [COMMAND, "show", "--tree", run.output_folder]
    text = subprocess.run(command, capture_output=True, check=True, timeout=60, text=True).stdout
    assert "Split sizes" in text
    assert any(line.split()[-6:] == ["12", "1.67x", "3.00x", "1", "2", "4"] for line in text.splitlines())
