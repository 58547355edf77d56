# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The module and phase of collectives that libraries issue outside the module that they are for.

The expected tables follow from the models' shapes and from what each library documents that it does.
"""

from collections import Counter

import pytest
from catalogue import JOBS
from harness import Job, Mode, Runner
from samples_file import SamplesFile

from report import Report

FLOAT = 4
STEPS = 2

#: The Transformer of models.py: width, vocabulary, sequence, samples of a batch; two ranks share a layer or a batch.
DIM, VOCABULARY, LENGTH, BATCH, HALVES = 16, 8, 16, 4, 2
ACTIVATIONS = BATCH * LENGTH * DIM * FLOAT


def below_root(report: Report, *keys: str, field: str = "count", **where: object) -> dict[tuple, float]:
    """Returns a table by the module's name below its root, and further keys."""
    found: Counter = Counter()
    for row in report.rows(**where):
        found[(row["module"].partition(".")[2], *(row[key] for key in keys))] += row[field]
    return dict(found)


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
    """FSDP1's forward runs the wrapped module, so its label encloses everything that the module does."""
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
ROOT = "Transformer"


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


def test_a_unit_of_several_modules_has_these_as_members(runner: Runner) -> None:
    """The gathers of the unit are rows of their own at the root, because the last block prefetches them."""
    for rank in range(2):
        report = runner.shim(JOBS["fsdp2_units"]).report(rank)
        [unit] = [
            i
            for i, row in enumerate(report.collectives)
            if row["issued_in"] == f"{ROOT}.layers.2"
            and (row["module"], row["phase"], row["kind"]) == (ROOT, "forward", "all_gather")
        ]
        members = {member["module"]: member["bytes"] for member in report.members if member["row"] == unit}
        assert members == {f"{ROOT}.norm": STEPS * 2 * DIM * FLOAT, f"{ROOT}.output": STEPS * DIM * VOCABULARY * FLOAT}


def test_gradients_of_norms_belong_to_the_norm(runner: Runner) -> None:
    """On the TP mesh each rank has a part of a norm's gradient.

    FSDP2 adds the parts in its post-backward, one parameter after the other.
    """
    report = runner.shim(JOBS["fsdp2_sp"]).report()
    norms = [f"layers.{layer}.{norm}" for layer in range(2) for norm in ("attention_norm", "ffn_norm")] + ["norm"]
    found = below_root(report, field="bytes", kind="all_reduce", phase="backward")
    assert found == {(norm,): STEPS * 2 * DIM * FLOAT for norm in norms}
    issued = {row["issued_in"] for row in report.rows(kind="all_reduce", phase="backward")}
    assert issued == {ROOT, f"{ROOT}.layers.0", f"{ROOT}.layers.1"}


#: The two layers of an MLPModule, each with a bias, and the whole.
NET1, NET2 = (10 * 16 + 16) * FLOAT, (16 * 10 + 10) * FLOAT
MLP = NET1 + NET2

ALL_KEYS = "module", "phase", "kind", "issued_in"


def test_buckets_by_hand_belong_to_the_model(runner: Runner) -> None:
    """A bucket holds gradients of several modules; the last gradient is of the first layer.

    The last bias is as large as what is reduced, so it is reduced by itself.
    """
    bias = 10 * FLOAT
    for rank in range(2):
        report = runner.shim(JOBS["buckets"]).report(rank)
        assert report.table(*ALL_KEYS, field="bytes", kind="all_reduce") == {
            ("Sequential", "backward", "all_reduce", "Sequential.0.net1"): STEPS * (2 * MLP - bias),
            ("Sequential.1.net2", "backward", "all_reduce", "Sequential.1.net2"): STEPS * bias,
        }


def test_closure_of_an_optimizer_is_a_forward_and_a_backward(runner: Runner) -> None:
    """Only what the step itself does is the optimizer's: one of both reduces a weight and a bias there."""
    outputs, weight, bias = 2 * 4 * FLOAT, 4 * 4 * FLOAT, 4 * FLOAT
    for rank in range(2):
        report = runner.shim(JOBS["closure"]).report(rank)
        assert report.table("module", "phase", field="bytes", kind="all_reduce") == {
            ("Averaged", "forward"): 2 * outputs,
            ("Averaged", "backward"): 2 * weight,
            ("Global", "other"): 2 * FLOAT,
            ("Averaged", "optimizer"): weight + bias,
        }


def test_gradients_that_an_optimizer_reduces_are_their_modules(runner: Runner) -> None:
    """A buffer into which the optimizer copies gradients of several modules is no gradient."""
    embedding, scale, stack = 64 * 16 * FLOAT, 16 * FLOAT, 2 * 16 * 16 * FLOAT
    for rank in range(2):
        report = runner.shim(JOBS["gradients_in_step"]).report(rank)
        found = report.table(*ALL_KEYS, field="bytes", phase="optimizer")
        assert found == {
            ("Net.emb", "optimizer", "reduce_scatter", "Global"): 3 * embedding,
            ("Net.emb", "optimizer", "all_gather", "Global"): 3 * embedding,
            ("Net", "optimizer", "all_reduce", "Global"): 3 * scale,
            ("Global", "optimizer", "all_reduce", "Global"): 3 * stack,
        }
        assert report.table("module", "label", field="bytes", phase="optimizer", module="Global") == {
            ("Global", "Distributed.step"): 3 * stack
        }


#: Bytes per step of calls with several tensors in tensor_lists.py, by module; and of the members of these rows. Layers
#: are of 64 bytes, `d` of 128; None is memory of no parameter. One entry is of all ranks, or each is of its own.
_LAYER = 4 * 4 * FLOAT
_SENT = ({"Net.a": 2 * _LAYER}, {"Net.pair.0": 2 * _LAYER})  # into memory of no parameter
LISTED = {
    "all_gather": [{"Net": 2 * _LAYER, "Net.pair": 2 * _LAYER, "Net.pair.1": 2 * _LAYER} | sent for sent in _SENT],
    "reduce_scatter": [{"Net": 2 * _LAYER, "Net.d": 2 * _LAYER}],
    "coalesced": [{"Net": 4 * _LAYER}],
    "scatter": [{"Net": 2 * _LAYER}, {"Net.pair.0": 2 * _LAYER}],  # the root has the list, the other its own
    "gather": [{"Net.pair": 2 * _LAYER}, {"Net.pair.1": 2 * _LAYER}],
    "hook": [{"Net": 2 * _LAYER}],
}
LISTED_MEMBERS = {
    "all_gather": [
        {
            ("Net", "Net.a"): _LAYER,
            ("Net", "Net.pair.0"): _LAYER,
            ("Net.pair", "Net.pair.0"): _LAYER,
            ("Net.pair", "Net.pair.1"): _LAYER,
            ("Net.pair.1", "Net.pair.1"): _LAYER,
            ("Net.pair.1", None): _LAYER,
        }
    ],
    "reduce_scatter": [{("Net", "Net.a"): _LAYER, ("Net", "Net.pair.0"): _LAYER}],
    "coalesced": [{("Net", "Net.a"): _LAYER, ("Net", "Net.pair.0"): _LAYER, ("Net", "Net.d"): 2 * _LAYER}],
    "scatter": [{("Net", "Net.a"): _LAYER, ("Net", "Net.pair.0"): _LAYER}, {}],
    "gather": [{("Net.pair", "Net.pair.0"): _LAYER, ("Net.pair", "Net.pair.1"): _LAYER}, {}],
    "hook": [{}],  # the memory of gradients is known in an optimizer's step only
}


@pytest.mark.parametrize("kind", LISTED)
def test_a_call_with_several_tensors_is_their_modules_common_ancestors(runner: Runner, kind: str) -> None:
    """On every rank that has the list, whichever tensor of it the rank sends; the members name each with its bytes."""
    for rank in range(2):
        report = runner.shim(Job("tensor_lists.py", (kind,))).report(rank)
        phase = "backward" if kind == "hook" else "optimizer"
        expected, members = (each[kind][rank % len(each[kind])] for each in (LISTED, LISTED_MEMBERS))
        assert report.table("module", field="bytes", phase=phase) == {at: 3 * size for at, size in expected.items()}
        found = {(report.collectives[each["row"]]["module"], each["module"]): each["bytes"] for each in report.members}
        assert found == {pair: 3 * size for pair, size in members.items()}
        assert not any("count" in each for each in report.members)
        assert report.not_seen == []


#: The modules of a weight of two modules (512 bytes) and of one of 256, and the issuing modules, in tied.py.
TIED_WEIGHT, OTHER_WEIGHT = 16 * 8 * FLOAT, 8 * 8 * FLOAT
TIED = {
    "optimizer": {("Net.embed", "optimizer", "Global"): TIED_WEIGHT, ("Net.mix", "optimizer", "Global"): OTHER_WEIGHT},
    "hook": {("Net.embed", "backward", "Net.embed"): TIED_WEIGHT, ("Net.mix", "backward", "Net.mix"): OTHER_WEIGHT},
    "ddp": {("Net", "backward", "Net.embed"): TIED_WEIGHT + OTHER_WEIGHT},
}


@pytest.mark.parametrize("way", TIED)
def test_a_weight_of_two_modules_is_the_first_ones(runner: Runner, way: str) -> None:
    """As in named_parameters(); the output that shares the embedding's weight has no row."""
    for rank in range(2):
        report = runner.shim(Job("tied.py", (way,))).report(rank)
        found = report.table("module", "phase", "issued_in", field="bytes", phase=("backward", "optimizer"))
        assert found == {key: 3 * size for key, size in TIED[way].items()}


def test_a_weight_of_two_modules_is_its_unit_in_fsdp2_and_has_the_first_name_in_samples(runner: Runner) -> None:
    run = runner.run(Job("tied.py", ("fsdp2",), variables=(("COMMTAP_VERIFY", "1"),)), Mode.SHIM)
    for rank in range(2):
        assert set(run.report(rank).table("module", kind=("all_gather", "reduce_scatter"))) == {"Net"}
    for path in sorted(run.output_folder.glob("*.samples")):
        names = {row.parameter["name"] for sample in SamplesFile(path).samples for row in sample.rows}
        assert names == {"Net.embed.weight", "Net.mix.weight"}


def test_parameters_that_have_moved(runner: Runner) -> None:
    """Rank 0 replaces the memory of parameters, rank 1 does not; buffers are made after the first call, or in it."""
    layer = (8 * 8 + 8) * FLOAT
    expected = {}
    for name in ("a", "b", "c"):
        for kind in ("all_reduce", "broadcast"):
            expected[f"Averaged.{name}", "other", kind, "Global"] = 3 * layer
    for net, steps in (("Late", 2), ("Wrapped", 3)):
        expected[f"{net}.a", "optimizer", "broadcast", "Global"] = steps * layer
        expected[net, "optimizer", "broadcast", "Global"] = steps * 2 * layer
    for rank in range(2):
        report = runner.shim(JOBS["moved_parameters"]).report(rank)
        assert report.table(*ALL_KEYS, field="bytes", kind=("all_reduce", "broadcast")) == expected


def test_zero_broadcasts_parameters_of_their_modules(runner: Runner) -> None:
    """After its step each rank sends the parameters that it has updated."""
    root = "MLPStacked"
    expected = {}
    for layer in range(2):
        for name, size in (("net1", NET1), ("net2", NET2)):
            expected[f"{root}.layers.{layer}.{name}", "optimizer", "broadcast", "Global"] = STEPS * size
    for rank in range(2):
        report = runner.shim(JOBS["zero"]).report(rank)
        assert report.table(*ALL_KEYS, field="bytes", phase="optimizer") == expected


def test_fsdp1_synchronizes_each_unit_in_its_constructor(runner: Runner) -> None:
    """The units get their names when the model is called; the rows move with them."""
    for rank in range(2):
        report = runner.shim(JOBS["sync"]).report(rank)
        units = [f"MLPStacked.layers.{layer}" for layer in range(2)]
        assert report.table(*ALL_KEYS, field="bytes", kind="broadcast") == {
            (unit, "other", "broadcast", unit): MLP for unit in units
        }


#: A batch of the jobs of parallelisms.py: tokens of 10 features.
TOKENS, WIDTH = 8, 10


@pytest.mark.parametrize("name", ["ep", "ep_uneven"])
def test_experts(runner: Runner, name: str) -> None:
    """The layer sends its tokens and gets them back, in backward their gradients. The sum is that of what it sends.

    The uneven layer moves 2 of the 4 tokens for the last rank to the first.
    """
    for rank in range(2):
        received = 2 * 4 if name == "ep" else 2 * (6 - 4 * rank)
        size = STEPS * (TOKENS + received) * WIDTH * FLOAT
        report = runner.shim(JOBS[name]).report(rank)
        assert report.table(*ALL_KEYS, field="bytes", kind="all_to_all") == {
            ("Sequential.1", phase, "all_to_all", "Sequential.1"): size for phase in ("forward", "backward")
        }


def test_ring(runner: Runner) -> None:
    """Keys go round within the forward of one module."""
    job = JOBS["cp"]
    size = STEPS * (job.ranks - 1) * TOKENS * WIDTH * FLOAT
    for rank in range(job.ranks):
        report = runner.shim(job).report(rank)
        assert report.table(*ALL_KEYS, field="bytes", kind=("send", "recv")) == {
            ("Ring", "forward", kind, "Ring"): size for kind in ("send", "recv")
        }


@pytest.mark.parametrize("name", ["hsdp", "3d"])
def test_replicated_units(runner: Runner, name: str) -> None:
    """A unit gathers and scatters among the shards and reduces its shard among the replicas.

    With TP a rank has half of each layer, and the whole bias of the second one.
    """
    root = "MLPStacked"
    bias = 10 * FLOAT
    unit_bytes = MLP if name == "hsdp" else (MLP - bias) // 2 + bias
    expected = {}
    for unit, caller in ((f"{root}.layers.0", f"{root}.layers.1"), (f"{root}.layers.1", f"{root}.layers.1")):
        expected[unit, "forward", "all_gather", unit] = STEPS * unit_bytes
        expected[unit, "backward", "all_gather", caller] = STEPS * unit_bytes
        expected[unit, "backward", "reduce_scatter", unit] = STEPS * unit_bytes
        expected[unit, "backward", "all_reduce", unit] = STEPS * unit_bytes // 2
    for rank in range(4):
        report = runner.shim(JOBS[name]).report(rank)
        c10d = ("c10d._allgather_base_", "c10d._reduce_scatter_base_", "c10d.allreduce_")
        assert report.table(*ALL_KEYS, field="bytes", op=c10d) == expected
        activations = STEPS * TOKENS * WIDTH * FLOAT
        tensor_parallel = report.table("module", "phase", field="bytes", op="_c10d_functional.all_reduce")
        assert tensor_parallel == (
            {}
            if name == "hsdp"
            else {
                (f"{root}.layers.0.net2", "forward"): activations,
                (f"{root}.layers.1.net2", "forward"): activations,
                (f"{root}.layers.1.net1", "backward"): activations,
            }
        )
