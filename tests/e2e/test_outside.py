# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Collectives outside of every module: a label says what the job does."""

from catalogue import JOBS
from harness import Job, Runner

#: Each size and payload of an object is a collective of its own. A thread distributes one of the tensors.
EXPECTED = {
    ("distribute_tensor", "scatter"): 2,
    ("full_tensor", "all_gather"): 1,
    ("redistribute", "all_gather"): 1,
    ("evaluate", "all_gather"): 1,
    ("loss_parallel", "all_reduce"): 3,
    ("clip_grad_norm_", "all_reduce"): 1,
    ("get_total_norm", "all_reduce"): 1,
    ("all_gather_object", "all_gather"): 2,
    ("broadcast_object_list", "broadcast"): 2,
    (None, "all_reduce"): 1,
    ("barrier", "barrier"): 1,
}


def test_functions_of_torch_are_labels(runner: Runner) -> None:
    """Each function of torch that the job calls names its collectives; the job's own of the same name does not.

    The outermost function counts: a checkpoint gathers and scatters its plans as objects. A record_function of the job
    comes first.
    """
    for rank in range(2):
        report = runner.shim(JOBS["outside"]).report(rank)
        found = report.table("label", "kind", module="Global")
        checkpoint = {kind for label, kind in found if label == "checkpoint"}
        assert {"gather", "scatter"} <= checkpoint
        assert {key: count for key, count in found.items() if key[0] != "checkpoint"} == EXPECTED
        assert {row["label"] for row in report.rows(module="Linear")} == {None}


def test_sharding_and_clipping_are_labelled(runner: Runner) -> None:
    """parallelize_module distributes parameters; FSDP1 and FSDP2 clip over all units."""
    sharded = runner.shim(JOBS["mlp"]).report()
    assert sharded.table("label", module="Global") == {"distribute_tensor": 4, "barrier": 1}
    clipped = runner.shim(JOBS["fsdp2_accumulate"]).report()
    assert clipped.table("label", kind="all_reduce") == {"clip_grad_norm_": 2}
    own_method = runner.shim(Job("fsdp1.py", ("--clip",))).report()
    assert own_method.table("label", kind="all_reduce") == {"clip_grad_norm_": 2}
