# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Collectives outside of every module: a label says what the job does."""

from catalogue import JOBS
from harness import Job, Runner

FLOAT, WIDTH, SAMPLES = 4, 8, 4
#: Two objects: their sizes, and the numbers as pickle writes them.
OBJECTS = 2 * 8 + 2 * 5

#: Counts and bytes. An object's size and its payload are collectives of their own. A thread distributes a tensor.
EXPECTED = {
    ("distribute_tensor", "scatter"): (2, (WIDTH * WIDTH + WIDTH) * FLOAT),
    ("full_tensor", "all_gather"): (1, WIDTH * WIDTH * FLOAT),
    ("redistribute", "all_gather"): (1, WIDTH * WIDTH * FLOAT),
    ("evaluate", "all_gather"): (1, WIDTH * WIDTH * FLOAT),
    ("loss_parallel", "all_reduce"): (3, 3 * SAMPLES * FLOAT),
    ("clip_grad_norm_", "all_reduce"): (1, 2 * FLOAT),
    ("get_total_norm", "all_reduce"): (1, FLOAT),
    ("all_gather_object", "all_gather"): (2, OBJECTS),
    ("broadcast_object_list", "broadcast"): (2, OBJECTS),
    (None, "all_reduce"): (1, WIDTH * FLOAT),
    ("barrier", "barrier"): (1, 0),
}


def test_functions_of_torch_are_labels(runner: Runner) -> None:
    """Each function of torch that the job calls names its collectives; the job's own of the same name does not.

    The outermost function counts: a checkpoint gathers and scatters its plans as objects. A record_function of the job
    comes first.
    """
    for rank in range(2):
        report = runner.shim(JOBS["outside"]).report(rank)
        counts = report.table("label", "kind", module="Global")
        sizes = report.table("label", "kind", module="Global", field="bytes")
        assert {"gather", "scatter"} <= {kind for label, kind in counts if label == "checkpoint"}
        assert {key: (counts[key], sizes[key]) for key in counts if key[0] != "checkpoint"} == EXPECTED
        assert {row["label"] for row in report.rows(module="Linear")} == {None}


def test_sharding_and_clipping_are_labelled(runner: Runner) -> None:
    """parallelize_module distributes parameters; FSDP1 and FSDP2 clip over all units."""
    sharded = runner.shim(JOBS["mlp"]).report()
    assert sharded.table("label", module="Global") == {"distribute_tensor": 4, "barrier": 1}
    clipped = runner.shim(JOBS["fsdp2_accumulate"]).report()
    assert clipped.table("label", kind="all_reduce") == {"clip_grad_norm_": 2}
    own_method = runner.shim(Job("fsdp1.py", ("--clip",))).report()
    assert own_method.table("label", kind="all_reduce") == {"clip_grad_norm_": 2}
