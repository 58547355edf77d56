# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Names and counts of modules called twice, of two models of one class, and of models on several threads."""

from catalogue import JOBS
from harness import Runner

#: 8 samples of 10 features: an MLP's output, and the gradient of its input.
OUTPUT_BYTES = 8 * 10 * 4
STEPS = 3


def test_module_called_twice_and_two_models_of_one_class(runner: Runner) -> None:
    """The teacher, called first, is `Twice`; the student is `Twice#2`.

    Each calls its MLP twice per step: two all-reduces in net2 per forward. The teacher has no backward. The student's
    backward makes one all-reduce per step, for the second call's input. The first call's input is the batch, which
    needs no gradient.
    """
    for rank in range(2):
        report = runner.shim(JOBS["reuse"]).report(rank)
        assert report.table("module", "phase", kind="all_reduce") == {
            ("Twice.layers.0.net2", "forward"): 2 * STEPS,
            ("Twice#2.layers.0.net2", "forward"): 2 * STEPS,
            ("Twice#2.layers.0.net1", "backward"): STEPS,
        }
        assert report.total("bytes", kind="all_reduce") == 5 * STEPS * OUTPUT_BYTES
        for root in ("Twice", "Twice#2"):
            assert report.module(root)["parent"] == 0
            assert report.module(root)["calls"] == {"forward": STEPS}
            assert report.module(f"{root}.layers.0")["calls"] == {"forward": 2 * STEPS}


def test_threads(runner: Runner) -> None:
    """Four concurrent threads each have a model and a group.

    In each of five steps a model's forward and backward all-reduce use one group. So does the thread's all-reduce of
    the loss.
    """
    for rank in range(2):
        report = runner.shim(JOBS["threads"]).report(rank)
        groups = {group["name"]: group["desc"] for group in report.groups if group["desc"].startswith("thread ")}
        assert sorted(groups.values()) == [f"thread {i}" for i in range(4)]
        losses = report.table("group", module="Global", kind="all_reduce", phase="other")
        assert losses == dict.fromkeys(groups, 5)
        of_group = {}
        for root in ("MLPModule", "MLPModule#2", "MLPModule#3", "MLPModule#4"):
            [forward] = report.rows(module=f"{root}.net2", kind="all_reduce")
            [backward] = report.rows(module=f"{root}.net1", kind="all_reduce")
            assert (forward["phase"], forward["count"], forward["bytes"]) == ("forward", 5, 5 * OUTPUT_BYTES)
            assert (backward["phase"], backward["count"], backward["bytes"]) == ("backward", 5, 5 * OUTPUT_BYTES)
            assert forward["group"] == backward["group"]
            of_group[root] = forward["group"]
        assert sorted(of_group.values()) == sorted(groups)


def test_groups(runner: Runner) -> None:
    """Names, descriptions and ranks are those that PyTorch reports to the job."""
    for rank, outcome in enumerate(runner.shim(JOBS["groups"]).outcomes):
        report = runner.shim(JOBS["groups"]).report(rank)
        found = {group["name"]: group for group in report.groups}
        lines = [line.split(" ", 5) for line in outcome.stdout.decode().splitlines() if line.startswith("rank")]
        assert len(lines) == 5
        for _, _, _, name, desc, ranks in lines:
            group = found[name]
            assert group["desc"] == desc
            assert str(group["ranks"]) == ranks
            assert group["size"] == len(group["ranks"])
            assert group["backend"] == "gloo"
        assert set(found) == {line[3] for line in lines}


def test_collectives_by_group(runner: Runner) -> None:
    """The mesh's tp dimension is the whole world, for which PyTorch uses the default group.

    A group of one moves no bytes over any link.
    """
    for rank in range(2):
        report = runner.shim(JOBS["groups"]).report(rank)
        desc = {group["name"]: group["desc"] for group in report.groups}
        rows = {desc[row["group"]]: row for row in report.rows(kind="all_reduce")}
        assert {name: (row["count"], row["bytes"], row["bus_bytes"]) for name, row in rows.items()} == {
            "default_pg": (1 + 4, 5 * 16, 5 * 16),
            "everyone": (2, 2 * 8, 2 * 8),
            f"only_{rank}": (3, 3 * 4, 0),
            "mesh_dp": (1, 16, 0),
        }


def test_own_cost(runner: Runner) -> None:
    """Every report has commtap's own cost: all parts, and less than the process's total."""
    cost = runner.shim(JOBS["reuse"]).report().own_cost
    assert cost is not None
    parts = ("start_ns", "collectives_ns", "module_calls_ns", "other_ns", "end_ns")
    assert all(cost[part] > 0 for part in parts), cost
    assert sum(cost[part] for part in parts) < 2e9, cost
    assert 2**12 < cost["ledger_bytes"] < cost["memory_bytes"] < 2**23, cost
