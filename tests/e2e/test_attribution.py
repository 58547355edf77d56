# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The module and phase of collectives that libraries issue outside the module that they are for.

The expected tables follow from the models' shapes and from what each library documents that it does.
"""

import pytest
from catalogue import JOBS
from harness import Runner

from report import Report

FLOAT = 4
STEPS = 2

#: The Transformer of models.py: width, vocabulary, sequence, samples of a batch; two ranks share a layer or a batch.
DIM, VOCABULARY, LENGTH, BATCH, HALVES = 16, 8, 16, 4, 2
ACTIVATIONS = BATCH * LENGTH * DIM * FLOAT


def below_root(report: Report, *keys: str, field: str = "count", **where: object) -> dict[tuple, float]:
    """Returns a table by the module's name below its root, and further keys."""
    table = report.table("module", *keys, field=field, **where)
    return {(key[0].partition(".")[2], *key[1:]): value for key, value in table.items()}


def tensor_parallel_forward(seq_parallel: bool) -> dict[tuple[str, str], int]:
    """Returns {(module, kind): bytes} of one forward of the Transformer on the TP mesh.

    A column-parallel layer gathers a sequence, a row-parallel one reduces it, or scatters the sum.
    """
    reduce = "reduce_scatter" if seq_parallel else "all_reduce"
    table = {("tok_embeddings", reduce): ACTIVATIONS, ("pos_embeddings", reduce): LENGTH * DIM * FLOAT}
    for layer in range(2):
        table[f"layers.{layer}.attention.wo", reduce] = ACTIVATIONS
        table[f"layers.{layer}.feed_forward.w2", reduce] = ACTIVATIONS
        if seq_parallel:
            table[f"layers.{layer}.attention", "all_gather"] = ACTIVATIONS
            table[f"layers.{layer}.feed_forward.w1", "all_gather"] = ACTIVATIONS
    logits = BATCH * LENGTH * VOCABULARY * FLOAT
    table["output", "all_gather"] = logits + (ACTIVATIONS if seq_parallel else 0)
    return table


@pytest.mark.parametrize("name", ["fsdp1_tp", "fsdp2_tp", "fsdp1_sp", "fsdp2_sp"])
def test_tensor_parallelism_is_the_layers_own_under_fsdp(runner: Runner, name: str) -> None:
    """FSDP1's forward runs the wrapped module, so its label is around all that the module does itself."""
    for rank in range(4):
        report = runner.shim(JOBS[name]).report(rank)
        [tp] = [group["name"] for group in report.groups if group["desc"] == "mesh_tp"]
        found = below_root(report, "kind", field="bytes", phase="forward", group=tp)
        once = tensor_parallel_forward(seq_parallel="_sp" in name)
        assert found == {key: STEPS * size for key, size in once.items()}


#: Blocks, the unit of the last norm and the output layer, and the root's own embeddings, in bytes.
UNITS = {
    "layers.0": (2 * 2 * DIM + 4 * DIM * DIM + 2 * 4 * DIM * DIM + 4 * DIM + DIM) * FLOAT,
    "head": (2 * DIM + DIM * VOCABULARY) * FLOAT,
    "root": (VOCABULARY * DIM + LENGTH * DIM) * FLOAT,
}
ROOT = "FSDPTransformer"


def test_units_of_fsdp2(runner: Runner) -> None:
    """Every unit prefetches the next one, and is the module in which that gather is issued.

    The unit of `norm` and `output` is their common ancestor, the root. The root's own parameters were gathered before
    the first forward, outside of every module; later it is the first to gather. It keeps them until its backward ends.
    """
    block, head, root = UNITS["layers.0"], UNITS["head"], UNITS["root"]
    layers = [f"{ROOT}.layers.{layer}" for layer in range(3)]
    expected = {
        (ROOT, "other", "all_gather", "Global"): root,
        (ROOT, "forward", "all_gather", ROOT): (STEPS - 1) * root,
        (ROOT, "forward", "all_gather", layers[2]): STEPS * head,
        (ROOT, "backward", "all_gather", ROOT): STEPS * head,
        (ROOT, "backward", "reduce_scatter", ROOT): STEPS * (head + root),
    }
    for layer, before, after in zip(layers, [ROOT, *layers], [*layers[1:], ROOT], strict=False):
        expected[layer, "forward", "all_gather", before] = STEPS * block
        expected[layer, "backward", "all_gather", after] = STEPS * block
        expected[layer, "backward", "reduce_scatter", layer] = STEPS * block
    for rank in range(2):
        report = runner.shim(JOBS["fsdp2_units"]).report(rank)
        keys = "module", "phase", "kind", "issued_in"
        assert report.table(*keys, field="bytes", kind=("all_gather", "reduce_scatter")) == expected
