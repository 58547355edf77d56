# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""DistributedDataParallel, FSDP1 and FSDP2.

CommDebugMode attributes a collective in backward to the last module whose backward began, so it is no oracle for
modules here. The expected tables are derived by hand from the models' shapes. test_every_job.py checks the totals
against a dispatch mode.
"""

import pytest
from catalogue import JOBS
from harness import Job, Runner

from report import Report, Row

FLOAT = 4


def training(report: Report, *keys: str, field: str = "count") -> dict:
    """Returns a table of the rows of forward and backward."""
    return report.table(*keys, field=field, phase=("forward", "backward"))


WIDTH = 512
NET1, NORM, HIDDEN, NET4 = 8 * WIDTH + WIDTH, 2 * WIDTH, WIDTH * WIDTH + WIDTH, WIDTH * 4 + 4


@pytest.mark.parametrize("name", ["ddp", "ddp_accumulate"])
def test_ddp_buckets(runner: Runner, name: str) -> None:
    """In the first of three steps DDP has one bucket of all gradients, because it does not know their order yet.

    Then it builds three buckets of at least 1 MiB, from the last layer on: net4 and net3, net2, the rest. With
    accumulation the micro-batches under no_sync add nothing.
    """
    for rank in range(2):
        report = runner.shim(JOBS[name]).report(rank)
        rows = report.rows(kind="all_reduce")
        assert {(row["module"], row["phase"], row["op"], row["reduce_op"]) for row in rows} == {
            ("Net", "backward", "c10d.allreduce_", "sum")
        }
        assert sum(row["count"] for row in rows) == 1 + 3 + 3
        assert sum(row["bytes"] for row in rows) == 3 * (NET1 + NORM + 2 * HIDDEN + NET4) * FLOAT


def test_ddp_buckets_are_issued_where_their_last_gradient_is(runner: Runner) -> None:
    """The backward of the layer that completes a bucket issues it; in the first step, that of net1."""
    rows = runner.shim(JOBS["ddp"]).report().rows(kind="all_reduce")
    assert {row["issued_in"]: (row["count"], row["bytes"]) for row in rows} == {
        "Net.net3": (2, 2 * (NET4 + HIDDEN) * FLOAT),
        "Net.net2": (2, 2 * HIDDEN * FLOAT),
        "Net.net1": (3, (3 * (NET1 + NORM) + 2 * HIDDEN + NET4) * FLOAT),
    }


def test_ddp_with_a_static_graph(runner: Runner) -> None:
    """The first backward reduces all gradients and the map of its four parameters when it ends, in no module."""
    gradients, used = (10 * 16 + 16 + 16 * 10 + 10) * FLOAT, 4 * 4
    for rank in range(2):
        report = runner.shim(JOBS["ddp_static_graph"]).report(rank)
        keys = "module", "phase", "issued_in"
        assert report.table(*keys, field="bytes", kind="all_reduce") == {
            ("MLPModule", "backward", "Global"): gradients + used,
            ("MLPModule", "backward", "MLPModule.net1"): 2 * gradients,
        }
        counts = [
            sum(amount["count"] for amount in step["collectives"] if amount["kind"] == "all_reduce")
            for step in report.steps
        ]
        assert counts == [2, 1, 1]


#: Two layers of a matrix each, which are one bucket.
BUCKET = 2 * 64 * 64 * FLOAT


def test_ddp_joins(runner: Runner) -> None:
    """A rank without more input makes the calls of the others' step for its DDP module, in their phases.

    Of the others' forward that is: whether gradients are reduced, 4 bytes. The others also report to Join that they
    have input, which Join itself answers on the first rank. Then Join asks which rank has the final model, and
    broadcasts it.
    """
    job = runner.shim(Job("ddp_outside.py", ("join",)))
    first, last = (job.report(rank) for rank in range(2))
    tables = [each.table("module", "issued_in", "phase", "kind") for each in (first, last)]
    shadow = {("Net", "Global", "forward", "all_reduce"): 1, ("Net", "Global", "backward", "all_reduce"): 1}
    common = {
        ("Net", "Net", "other", "all_gather"): 1,
        ("Net", "Net", "other", "broadcast"): 2,
        ("Net", "Global", "other", "all_reduce"): 1,
        ("Net", "Global", "other", "broadcast"): 1,
        ("Net", "Net", "forward", "broadcast"): 2,
        ("Global", "Global", "other", "barrier"): 1,
    }
    assert tables[0] == common | shadow | {
        ("Net", "Net", "forward", "all_reduce"): 2 * 3,
        ("Net", "Net.0", "backward", "all_reduce"): 3,
        ("Global", "Global", "other", "all_reduce"): 2,
    }
    assert tables[1] == common | {
        ("Net", "Net", "forward", "all_reduce"): 2 * 4,
        ("Net", "Net.0", "backward", "all_reduce"): 4,
        ("Global", "Global", "other", "all_reduce"): 1,
    }
    assert {row["label"] for row in first.rows(module="Global", kind="all_reduce")} == {"Join"}
    assert [len(each.steps) for each in (first, last)] == [4, 4]
    assert [each.not_seen for each in (first, last)] == [[], []]


def test_ddp_with_power_sgd(runner: Runner) -> None:
    """Two steps reduce the bucket. In two more the hook reduces what it does not compress, which is nothing, and its
    callbacks reduce P and Q, of one column or row for each matrix."""
    job = runner.shim(Job("ddp_outside.py", ("power",)))
    for rank in range(2):
        report = job.report(rank)
        keys = "module", "phase", "issued_in"
        assert report.table(*keys, kind="all_reduce") == {
            ("Net", "backward", "Net.0"): 2 + 2,
            ("Net", "backward", "Global"): 2 * 2,
        }
        assert report.table(*keys, field="bytes", kind="all_reduce") == {
            ("Net", "backward", "Net.0"): 2 * BUCKET,
            ("Net", "backward", "Global"): 2 * 2 * (2 * 64) * FLOAT,
        }
        assert report.not_seen == []


def test_two_ddps_without_a_sign_whose_a_callback_is(runner: Runner) -> None:
    """A callback that runs inside the backward, as what it waits for is complete already, is that DDP's."""
    report = runner.shim(Job("ddp_outside.py", ("power", "--two"))).report()
    rows = report.rows(phase="backward", issued_in="Global")
    assert sum(row["count"] for row in rows) == 2 * 2
    assert {(row["module"], row["label"]) for row in rows} <= {("Net", None), ("Global", "powerSGD_hook")}
    unknown = sum(row["count"] for row in rows if row["module"] == "Global")
    assert sum(each["count"] for each in report.not_seen if each["reason"] == "unknown_owner") == unknown


@pytest.mark.parametrize("name", ["ddp", "ddp_accumulate", "ddp_compile"])
def test_ddp_forward_broadcasts_buffers(runner: Runner, name: str) -> None:
    """Every synchronised forward broadcasts the running mean and variance as float and the batch counter as int64.

    When DDP rebuilds the buckets, it broadcasts their 11 indices and 3 sizes once, as int32.
    """
    report = runner.shim(JOBS[name]).report()
    broadcasts = report.rows(kind="broadcast", phase="forward")
    assert {row["module"] for row in broadcasts} == {"Net"}
    assert {row["dtype"]: (row["count"], row["bytes"]) for row in broadcasts} == {
        "float32": (3, 3 * 2 * WIDTH * FLOAT),
        "int64": (3, 3 * 8),
        "int32": (2, 11 * 4 + 3 * 4),
    }


def buffers_of(report: Report) -> tuple[dict[int, Row], list[Row]]:
    """Returns the rows of DDP's broadcasts of buffers by their positions, and their members."""
    rows = {i: row for i, row in enumerate(report.collectives) if row["label"] == "broadcast_buffers"}
    return rows, [each for each in report.members if each["row"] in rows]


@pytest.mark.parametrize("name", ["buffers_kept", "replica_deferred"])
def test_a_model_without_buffers_to_broadcast_has_no_such_row(runner: Runner, name: str) -> None:
    """Its buffers are not broadcast, or it has none."""
    assert buffers_of(runner.shim(Job("advised.py", (name,))).report()) == ({}, [])


@pytest.mark.parametrize("name", ["ddp", "ddp_compile"])
def test_broadcasts_of_buffers_name_the_modules_that_have_them(runner: Runner, name: str) -> None:
    """The statistics may change with each look, in forwards 1 and 2: whether torch counts it or not."""
    report = runner.shim(JOBS[name]).report()
    rows, members = buffers_of(report)
    assert {row["dtype"] for row in rows.values()} == {"float32", "int64"}
    assert {each["row"] for each in members} == rows.keys()
    assert all(each["module"] == "Net.norm" and each["bytes"] == rows[each["row"]]["bytes"] for each in members)
    assert all(each["changes"] > 0 for each in members)


def test_buffers_of_two_models_that_do_not_change(runner: Runner) -> None:
    """The first has a table of floats, the second a mask."""
    rows, members = buffers_of(runner.shim(Job("advised.py", ("buffers_twice",))).report())
    assert {(rows[each["row"]]["module"], each["module"], each["bytes"]) for each in members} == {
        ("Pair.0", "Pair.0.0", 3 * 20 * FLOAT),
        ("Pair.1", "Pair.1.0", 3 * 20),
    }
    assert not any("changes" in each for each in members)


def test_ddp_set_up_is_the_constructors(runner: Runner) -> None:
    """It compares the parameters' shapes and broadcasts rank 0's parameters and buffers."""
    report = runner.shim(JOBS["ddp"]).report()
    assert report.table("module", "kind", "dtype", phase="other") == {
        ("Net", "all_gather", "int64"): 1,
        ("Net", "broadcast", "int64"): 2,
        ("Net", "broadcast", "float32"): 1,
        ("Global", "barrier", None): 1,
    }
    [state] = report.rows(phase="other", dtype="float32")
    assert state["bytes"] == (NET1 + NORM + 2 * HIDDEN + NET4 + 2 * WIDTH) * FLOAT


def test_ddp_names(runner: Runner) -> None:
    """Only the raw name has DDP's own component."""
    report = runner.shim(JOBS["ddp"]).report()
    assert report.raw_names()[:4] == [
        "Global",
        "DistributedDataParallel",
        "DistributedDataParallel.module",
        "DistributedDataParallel.module.net1",
    ]
    assert report.names()[:4] == [
        "Global",
        "Net",
        "Net",
        "Net.net1",
    ]


def test_compiled_ddp_reduces_all_gradients(runner: Runner) -> None:
    """DDP's optimizer splits the graph at its buckets; gradients and buckets come in another order."""
    report = runner.shim(JOBS["ddp_compile"]).report()
    assert report.table("module", "phase", kind="all_reduce") == {("Net", "backward"): 7}
    assert report.total("bytes", kind="all_reduce") == 3 * (NET1 + NORM + 2 * HIDDEN + NET4) * FLOAT


#: The flat parameters of an MLPModule and of the linear layer after the stack, each a multiple of 2.
UNIT_BYTES, ROOT_BYTES = (10 * 16 + 16 + 16 * 10 + 10) * FLOAT, (10 * 4 + 4) * FLOAT
FSDP1 = "Sequential"


def test_fsdp1_full_shard(runner: Runner) -> None:
    """Every unit gathers in forward and scatters in backward; the root keeps its parameters.

    The other two units gather again, each prefetched in the previous backward: layers.1 in the root's, layers.0 in
    layers.1's.
    """
    for rank in range(2):
        report = runner.shim(JOBS["fsdp1"]).report(rank)
        units = {f"{FSDP1}.0.layers.0": UNIT_BYTES, f"{FSDP1}.0.layers.1": UNIT_BYTES, FSDP1: ROOT_BYTES}
        expected = {}
        for unit, size in units.items():
            expected[unit, "forward", "all_gather", unit] = 2 * size
            expected[unit, "backward", "reduce_scatter", unit] = 2 * size
        expected[f"{FSDP1}.0.layers.1", "backward", "all_gather", FSDP1] = 2 * UNIT_BYTES
        expected[f"{FSDP1}.0.layers.0", "backward", "all_gather", f"{FSDP1}.0.layers.1"] = 2 * UNIT_BYTES
        assert training(report, "module", "phase", "kind", "issued_in", field="bytes") == expected
        assert set(training(report, "module", "phase", "kind", "issued_in").values()) == {2}


def test_fsdp1_shard_grad_op(runner: Runner) -> None:
    """Parameters stay gathered from forward to backward."""
    report = runner.shim(JOBS["fsdp1_orig_params"]).report()
    units = f"{FSDP1}.0.layers.0", f"{FSDP1}.0.layers.1", FSDP1
    assert training(report, "module", "phase", "kind") == {
        (unit, phase, kind): 2
        for unit in units
        for phase, kind in (("forward", "all_gather"), ("backward", "reduce_scatter"))
    }


def test_compiled_fsdp1(runner: Runner) -> None:
    """FSDP's own calls are not traced: all three units gather in forward and scatter in backward.

    All units except the root gather again in backward.
    """
    report = runner.shim(JOBS["fsdp1_compile"]).report()
    assert training(report, "phase", "kind") == {
        ("forward", "all_gather"): 6,
        ("backward", "all_gather"): 4,
        ("backward", "reduce_scatter"): 6,
    }
    assert training(report, "phase", "kind", field="bytes") == {
        ("forward", "all_gather"): 2 * (2 * UNIT_BYTES + ROOT_BYTES),
        ("backward", "all_gather"): 2 * 2 * UNIT_BYTES,
        ("backward", "reduce_scatter"): 2 * (2 * UNIT_BYTES + ROOT_BYTES),
    }


DIM, VOCABULARY, LENGTH = 16, 8, 16
#: Two norms, four projections without a bias, and an MLP of four times the width.
BLOCK_BYTES = (2 * 2 * DIM + 4 * DIM * DIM + 2 * 4 * DIM * DIM + 4 * DIM + DIM) * FLOAT
#: Token and position embeddings, the last norm and the output layer.
REST_BYTES = (VOCABULARY * DIM + LENGTH * DIM + 2 * DIM + DIM * VOCABULARY) * FLOAT
FSDP2 = "Transformer"


def fsdp2_table(forwards: int, backwards: int, syncs: int, layers: int) -> dict[tuple[str, str, str, str], int]:
    """Returns {(module, phase, kind, issued_in): count}, for blocks as units and the root as the unit of the rest.

    A unit gathers in its own forward. The root is not resharded after forward; its backward prefetches the last
    block, and each block's backward the previous block. A synchronising backward scatters every unit's gradients.
    """
    table = {}
    units = [FSDP2, *(f"{FSDP2}.layers.{layer}" for layer in range(layers))]
    for unit in units:
        table[unit, "forward", "all_gather", unit] = forwards
        table[unit, "backward", "reduce_scatter", unit] = syncs
    issuers = [FSDP2, *reversed(units[1:])]
    for unit, issuer in zip(reversed(units[1:]), issuers, strict=False):
        table[unit, "backward", "all_gather", issuer] = backwards
    return table


@pytest.mark.parametrize(
    ("name", "passes", "syncs"), [("fsdp2", 2, 2), ("fsdp2_accumulate", 4, 2), ("fsdp2_compile", 2, 2)]
)
def test_fsdp2_units_and_prefetch(runner: Runner, name: str, passes: int, syncs: int) -> None:
    """A prefetched gather is attributed to the gathered unit; its issuing module is the one whose backward runs."""
    for rank in range(2):
        report = runner.shim(JOBS[name]).report(rank)
        expected = fsdp2_table(passes, passes, syncs, layers=3)
        assert training(report, "module", "phase", "kind", "issued_in") == expected
        for (module, phase, kind, _), count in expected.items():
            size = REST_BYTES if module == FSDP2 else BLOCK_BYTES
            assert report.total("bytes", module=module, phase=phase, kind=kind) == count * size


def test_fsdp2_gradients_are_averaged(runner: Runner) -> None:
    """reduce_op names the reduction."""
    rows = runner.shim(JOBS["fsdp2"]).report().rows(kind="reduce_scatter")
    assert {row["reduce_op"] for row in rows} == {"avg"}


def test_clipping_is_outside_every_module(runner: Runner) -> None:
    """Clipping all 41 parameters' gradients makes one all-reduce of their norms per step."""
    report = runner.shim(JOBS["fsdp2_accumulate"]).report()
    [row] = report.rows(kind="all_reduce")
    assert (row["module"], row["phase"], row["count"]) == ("Global", "other", 2)
    assert row["bytes"] == 2 * (3 * 12 + 5) * FLOAT


@pytest.mark.parametrize("name", ["fsdp2_tp", "fsdp2_sp_compile"])
def test_fsdp2_over_tensor_parallelism(runner: Runner, name: str) -> None:
    """On a 2-D mesh FSDP's collectives use dp and TP's use tp; a unit's bytes are those of its TP shard."""
    for rank in range(4):
        report = runner.shim(JOBS[name]).report(rank)
        groups = {group["desc"]: group for group in report.groups}
        dp, tp = groups["mesh_dp"], groups["mesh_tp"]
        assert dp["ranks"] == [rank % 2, rank % 2 + 2]
        assert tp["ranks"] == [rank - rank % 2, rank - rank % 2 + 1]
        found = report.table(
            "module", "phase", "kind", "issued_in", op=("c10d._allgather_base_", "c10d._reduce_scatter_base_")
        )
        assert found == fsdp2_table(2, 2, 2, layers=2)
        assert {row["group"] for row in report.rows(op="c10d._allgather_base_")} == {dp["name"]}
        functional = [row for row in report.collectives if row["op"].startswith("_c10d_functional.")]
        assert {row["group"] for row in functional} == {tp["name"]}
        # TP splits every parameter except the norms and the bias of the MLP's second layer.
        whole = (2 * 2 * DIM + DIM) * FLOAT
        shard = whole + (BLOCK_BYTES - whole) // 2
        assert report.total("bytes", op="c10d._reduce_scatter_base_", module=f"{FSDP2}.layers.0") == 2 * shard
