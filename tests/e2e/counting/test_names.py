# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""A model has the same clean names whatever wraps it or swaps its class, so its variants can be compared."""

import json
import subprocess

import pytest
from harness import COMMAND, TIMEOUT_S, Job, Run, Runner

CLEAN = {
    "Global",
    "Model",
    "Model.layers.0",
    "Model.layers.0.up",
    "Model.layers.0.down",
    "Model.layers.1",
    "Model.layers.1.up",
    "Model.layers.1.down",
    "Model.head",
}
DDP = "DistributedDataParallel"
FSDP1 = "FullyShardedDataParallel"
#: By variant: the raw name of the root, and the wrappers of the model.
ROOTS: dict[str, tuple[str, list[str]]] = {
    "plain": ("Model", []),
    "ddp": (DDP, [DDP]),
    "fsdp1": (FSDP1, [FSDP1]),
    "fsdp2": ("FSDPModel", ["FSDPModule"]),
    "compiled": ("OptimizedModule", ["OptimizedModule"]),
    "compile_called": ("OptimizedModule", ["OptimizedModule"]),
    "compiled_ddp": ("OptimizedModule", ["OptimizedModule", DDP]),
    "checkpoint": (DDP, [DDP]),
    "parametrize": (DDP, [DDP]),
    "float16": (DDP, [DDP, "Float16Module"]),
    "dmp": ("DistributedModelParallel", ["DistributedModelParallel", DDP]),
    "fabric": ("Fabric", ["Fabric", DDP]),
    "forwarder": ("Forwarder", ["Forwarder", DDP]),
}


def variant(runner: Runner, name: str) -> Run:
    """The run of one variant."""
    run = runner.shim(Job("variants.py", (name,)))
    assert run.ended_as_meant(), run.outcomes
    return run


def commtap(*arguments: object) -> subprocess.CompletedProcess:
    """The command's result."""
    return subprocess.run([COMMAND, *arguments], capture_output=True, text=True, timeout=TIMEOUT_S, check=False)


#: Wrappers that are found as another variant is.
LONG = ("compile_called", "float16", "fabric", "forwarder")


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.long if name in LONG else ()) for name in ROOTS])
def test_clean_names_do_not_depend_on_wrappers(runner: Runner, name: str) -> None:
    """Clean names begin with the user's class; raw names and `wrappers` show what is around it."""
    root, wrappers = ROOTS[name]
    for rank in range(2):
        report = variant(runner, name).report(rank)
        added = ("Model.layers.0.up.",) if name == "parametrize" else ()
        assert {module["name"] for module in report.modules if not module["name"].startswith(added)} == CLEAN
        assert root in {module["raw_name"] for module in report.modules if module["parent"] == 0}
        [innermost] = [module for module in report.modules if (module["name"], module["class"]) == ("Model", "Model")]
        assert innermost["wrappers"] == wrappers
        assert {row["module"] for row in report.collectives} <= CLEAN


def test_swapped_classes_are_wrappers_too(runner: Runner) -> None:
    """A layer has the class that the user wrote, or torch's own."""
    layer = variant(runner, "fsdp2").report().module("Model.layers.0")
    assert (layer["class"], layer["wrappers"]) == ("Block", ["FSDPModule"])
    linear = variant(runner, "parametrize").report().module("Model.layers.0.up")
    assert (linear["class"], linear["wrappers"]) == ("Linear", ["parametrize"])
    [block] = [
        module
        for module in variant(runner, "checkpoint").report().modules
        if module["name"] == "Model.layers.0" and module["class"] == "Block"
    ]
    assert block["wrappers"] == ["CheckpointWrapper"]


@pytest.mark.parametrize(("before", "after"), [("ddp", "fsdp2"), ("plain", "compiled"), ("fsdp1", "fsdp2")])
def test_variants_are_compared_row_by_row(runner: Runner, before: str, after: str) -> None:
    """`diff` of two variants has one tree."""
    folders = [variant(runner, name).output_folder for name in (before, after)]
    done = commtap("diff", "--json", *folders)
    changed = {module for change in json.loads(done.stdout)["changes"] for module in change["modules"]}
    assert changed <= CLEAN
    if before == "plain":
        assert changed == set()
    if before == "ddp":
        assert changed == {"Model", "Model.layers.0", "Model.layers.1"}
    assert not {DDP, FSDP1, "FSDPModel", "OptimizedModule"} & set(done.stdout.split('"'))


def test_labels_tell_what_is_outside_of_modules(runner: Runner) -> None:
    """The loss's all_reduce has the user's label, the barrier its own; module rows have none."""
    report = variant(runner, "ddp").report()
    labels = report.table("label", "kind", module="Global", phase="other")
    assert labels["mean loss", "all_reduce"] == 2
    assert labels["barrier", "barrier"] == 1
    assert {row["label"] for row in report.rows(module="Model")} == {None}


def test_modules_whose_root_is_never_called_hang_below_it(runner: Runner) -> None:
    """The names are those that the modules would have if their root had been called; a module of no root is one."""
    for rank in range(2):
        report = runner.shim(Job("direct_calls.py")).report(rank)
        assert report.table("module", kind="all_reduce") == {
            "Model.layers.0": 1,
            "Model.layers.1": 1,
            "Autoencoder.encoder.0": 1,
            "Autoencoder.decoder": 1,
            "Pipelined.layers.0": 1,
            "Pipelined.layers.1": 1,
            "Tower.block": 2,  # of two models, one after the other
            "Reduce": 1,
        }
        roots = {module["name"] for module in report.modules if module["parent"] == 0}
        assert roots == {"Model", "Autoencoder", "Pipelined", "Tower", "Reduce"}
        assert report.not_seen == []


@pytest.mark.parametrize(
    ("name", "covered"), [("ddp", {"Model"}), ("fsdp2", {"Model", "Model.layers.0", "Model.layers.1"})]
)
def test_members_of_a_row_add_up_to_it(runner: Runner, name: str, covered: set[str]) -> None:
    """One DDP bucket covers all layers, a unit of FSDP2 its own: their parameters are the whole payload."""
    report = variant(runner, name).report()
    kinds = ("all_reduce",) if name == "ddp" else ("all_gather", "reduce_scatter")
    assert {report.collectives[member["row"]]["module"] for member in report.members} == covered
    for i, row in enumerate(report.collectives):
        members = [member for member in report.members if member["row"] == i]
        is_covered = row["module"] != "Global" and row["kind"] in kinds
        assert sum(member["bytes"] for member in members) == (row["bytes"] if is_covered else 0)
