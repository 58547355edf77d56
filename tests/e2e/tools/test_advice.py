# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""`commtap advise` on every job: what it says was judged by hand, and nothing else is said."""

import json
import subprocess
from typing import Any

import pytest
from catalogue import JOBS, WITH_REPORTS
from harness import COMMAND, Job, Run, Runner

#: By rule, the modules of the rows that prove it.
Found = dict[str, set[str]]


def _layers(model: str, count: int, rule: str = "gathered_twice") -> Found:
    return {rule: {f"{model}.layers.{i}" for i in range(count)}}


#: What is right of each job of the catalogue: nothing of those that are not here. FSDP's units gather their parameters
#: for the forward and again for the backward, except the root's, which are kept.
RIGHT: dict[str, Found] = {
    "checkpoint_compile": {"recomputed": {"CheckpointedStack.layers.0.net2"}},
    "checkpoint_reentrant": {"recomputed": {f"CheckpointedStack.layers.{i}.net2" for i in range(2)}},
    "checkpoint_reentrant_compile": {"recomputed": {"CheckpointedStack.layers.0.net2"}},
    "transformer_checkpoint": {
        "recomputed": {
            f"Transformer.layers.{i}.{part}"
            for i in range(2)
            for part in ("attention", "attention.wo", "feed_forward.w1")
        }
    },
    "fsdp1": _layers("Sequential.0", 2, "gathered_twice_fsdp1"),
    "fsdp1_compile": _layers("Sequential.0", 2, "gathered_twice_fsdp1"),
    "fsdp1_tp": _layers("Transformer", 2, "gathered_twice_fsdp1"),
    "fsdp1_sp": _layers("Transformer", 2, "gathered_twice_fsdp1"),
    "sync": _layers("MLPStacked", 2, "gathered_twice_fsdp1"),
    "fsdp2": _layers("Transformer", 3),
    "fsdp2_accumulate": _layers("Transformer", 3),
    "fsdp2_compile": _layers("Transformer", 3),
    # Its unit of two modules has its rows at their common ancestor.
    "fsdp2_units": {"gathered_twice": {"Transformer", *_layers("Transformer", 3)["gathered_twice"]}},
    "fsdp2_tp": _layers("Transformer", 2),
    "fsdp2_sp": _layers("Transformer", 2),
    "fsdp2_sp_compile": _layers("Transformer", 2),
    "hsdp": _layers("MLPStacked", 2),
    # They reduce their losses.
    "optimizer_sharded": {"number_reduced_in_step": {"Global"}},
    "optimizer_own": {"number_reduced_in_step": {"Global"}},
    "optimizer_in_backward": {"number_reduced_in_step": {"Global"}},
    "3d": _layers("MLPStacked", 2),
    # Rank 0 gets twice as many tokens in each call.
    "ep_uneven": {"uneven_all_to_all": {"Sequential.1"}},
    # The ranks send 37, 41 and 30 tokens.
    "splits": {"uneven_all_to_all": {"Experts"}},
    "splits_compile": {"uneven_all_to_all": {"Experts"}},
}


def advice_on(run: Run) -> list[dict[str, Any]]:
    if run.ledgers:
        run.recover()
    command = [COMMAND, "advise", run.output_folder, "--json"]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    return json.loads(said.stdout)["advice"]


def found(advice: list[dict[str, Any]]) -> Found:
    return {each["rule"]: {row["module"] for row in each["rows"]} for each in advice}


@pytest.mark.parametrize("name", WITH_REPORTS)
def test_each_job_gets_the_advice_that_is_right(runner: Runner, name: str) -> None:
    """Exactly the rules, and the modules, that were judged by hand."""
    assert found(advice_on(runner.shim(JOBS[name]))) == RIGHT.get(name, {})


def test_a_recomputation_that_prefetches_is_told_from_what_the_backward_needs(runner: Runner) -> None:
    """Blocks 1 and 2 are gathered three times per step; the block before issues the third, in its recomputation."""
    advice = {each["rule"]: each for each in advice_on(runner.shim(Job("advised.py", ("prefetched",))))}
    assert advice.keys() == {"prefetched_in_recompute", "gathered_twice"}
    extra = advice["prefetched_in_recompute"]
    rows = {(row["module"], row["phase"], row["issued_in"], row["count"]) for row in extra["rows"]}
    assert rows == {("Stack.1", "recompute", "Stack.0", 6), ("Stack.2", "recompute", "Stack.1", 6)}
    assert extra["calls_per_step"] == 2
    assert "use_reentrant=False" in extra["text"]
    again = advice["gathered_twice"]
    assert {row["module"] for row in again["rows"]} == {"Stack.0", "Stack.1", "Stack.2"}
    assert again["calls_per_step"] == 3


def test_units_of_fsdp1_that_a_recomputation_gathers_as_well(runner: Runner) -> None:
    """FSDP1 has options of its own."""
    advice = advice_on(runner.shim(Job("advised.py", ("recomputed",))))
    units = {"Stack.0", "Stack.1", "Stack.2"}
    assert found(advice) == {"gathered_in_recompute": units, "gathered_twice_fsdp1": units}
    assert [each["calls_per_step"] for each in advice] == [3, 3]
    assert not any("reshard_after_forward" in each["text"] for each in advice)


def test_sequence_parallelism_by_hand_is_not_fsdp(runner: Runner) -> None:
    """It gathers in the forward and in the backward, and scatters in the backward, as FSDP does."""
    run = runner.shim(Job("advised.py", ("by_hand",)))
    assert run.report().total("count", module="Sequential.0", kind="all_gather", phase="backward") == 3
    assert advice_on(run) == []


def test_parameters_that_each_step_gathers_whole(runner: Runner) -> None:
    """Six parameters in each step, in addition to FSDP2's own gathers."""
    (whole,) = (
        each
        for each in advice_on(runner.shim(Job("advised.py", ("full_tensor",))))
        if each["rule"] == "full_tensor_in_step"
    )
    assert whole["calls_per_step"] == 6
    assert [(row["module"], row["label"]) for row in whole["rows"]] == [("Global", "full_tensor")]


def test_stages_of_a_pipeline_are_not_added_up(runner: Runner) -> None:
    """Each rank gathers its two units again in each step, and reduces their gradients in float32: half of the bytes are
    at stake, and no call. The evaluations, barriers and objects before the training are in no training step."""
    advice = {each["rule"]: each for each in advice_on(runner.shim(Job("advised.py", ("stages",), ranks=4)))}
    assert advice.keys() == {"gathered_twice", "wide_gradients"}
    unit = 20 * 20
    again, wide = advice["gathered_twice"], advice["wide_gradients"]
    assert (again["calls_per_step"], again["bytes_per_step"]) == (2, 2 * unit * 2)
    assert (wide["calls_per_step"], wide["bytes_per_step"]) == (0, 2 * unit * 4 / 2)
    assert {row["module"] for row in wide["rows"]} == {
        f"{stage}.{i}" for stage in ("Stage", "LaterStage") for i in (0, 1)
    }


#: The value in tests/jobs/advised.py.
MICRO_BATCHES = 4

#: By job of advised.py: its number of ranks, and by rule the modules of its rows and the calls and bytes that would go.
SAVINGS: dict[str, tuple[int, dict[str, tuple[set[str], float, float]]]] = {
    "called_twice": (2, {}),  # what the advice to keep parameters says is set
    "checkpointed_units": (4, {"gathered_twice": ({"Sequential.0", "Sequential.1"}, 2, 2 * (420 + 10) * 4)}),
    "micro_batches": (
        2,
        {
            "gathered_twice": ({f"Sequential.{i}" for i in range(3)}, 12, 12 * 420 * 4),
            "reduced_each_backward": ({f"Sequential.{i}" for i in range(3)}, 9, 9 * 420 * 4),
        },
    ),
    "deferred": (2, {"gathered_twice": ({f"Sequential.{i}" for i in range(3)}, 12, 12 * 420 * 4)}),
    "replica_micro_batches": (
        2,
        {"reduced_each_backward_ddp": ({"Sequential"}, (MICRO_BATCHES - 1), (MICRO_BATCHES - 1) * 3 * 400 * 4)},
    ),
    "replica_deferred": (2, {}),
    "replica_closure": (2, {}),  # an optimizer that calls its closure again adds up nothing
    # Rank 0 sends or receives six tokens in each of four calls, the forward's and the backward's; the mean is four.
    "exchanged": (2, {"uneven_all_to_all": ({"Sequential.0"}, 0, 4 * 2 * 20 * 4)}),
    "logged": (2, {"number_reduced_in_step": ({"Global"}, pytest.approx(0.9), pytest.approx(3.6))}),
    "after_backward": (2, {"small_collectives": ({"Global"}, 59, 0)}),
    "zero1": (2, {"gradients_reduced_whole": ({f"Sequential.{i}" for i in range(3)}, 0, 3 * 400 * 4 / 2)}),
    "buffers": (2, {"buffers_broadcast": ({"Sequential"}, 1, 20 * 4)}),
    "buffers_static": (2, {"buffers_broadcast": ({"Sequential"}, 2, 20 * 4 + 20)}),
    "buffers_long": (2, {"buffers_broadcast": ({"Sequential"}, 3, 20 + 20 * 8 + 20 * 4)}),
    "buffers_twice": (2, {"buffers_broadcast": ({"Pair.0", "Pair.1"}, 2, 20 * 4 + 20)}),
    "buffers_evaluated": (2, {"buffers_broadcast": ({"Sequential"}, 1, 20 * 4)}),
    "buffers_kept": (2, {}),
    "buffers_replaced": (2, {}),
    "buffers_of_rank_0": (2, {}),  # its mask alone is constant, and the option leaves out all
    "own_statistics": (2, {}),
    "statistics": (2, {}),  # the broadcast makes the statistics equal
    "all_used": (2, {"unused_sought": ({"Sequential"}, 1, 3 * 4)}),
    "some_unused": (2, {}),  # else the next forward would fail
}


@pytest.mark.parametrize("name", SAVINGS)
def test_an_advice_says_the_calls_and_bytes_that_would_go(runner: Runner, name: str) -> None:
    ranks, right = SAVINGS[name]
    advice = advice_on(runner.shim(Job("advised.py", (name,), ranks=ranks)))
    modules = found(advice)
    assert {
        each["rule"]: (modules[each["rule"]], each["calls_per_step"], each["bytes_per_step"]) for each in advice
    } == right


def test_partial_gradients_that_the_optimizer_reduces_again(runner: Runner) -> None:
    """Three gradients that clipping has reduced: AdamW's ops reduce each of them three times more."""
    (again,) = advice_on(runner.shim(Job("advised.py", ("partial",))))
    assert again["rule"] == "gradients_reduced_again"
    assert again["calls_per_step"] == 9
    assert [(row["phase"], row["count"]) for row in again["rows"]] == [("optimizer", 2 * 3 * 9)]
