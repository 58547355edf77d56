# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""`commtap verify --like`: the verdict on pairs of runs of one training, in two layouts, right and wrong."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from harness import COMMAND, Job, Mode, Run, Runner

from report import REPOSITORY, closed

SCHEMA = REPOSITORY / "docs" / "schema" / "commtap-verify-like-1.schema.json"
OK, FOUND = 0, 1


@dataclass(frozen=True)
class Pair:
    """A layout of tests/jobs/layouts.py, its ranks, options of both runs, and the options of the other layout."""

    layout: str
    ranks: int = 2
    options: str = ""
    like: str = "one"
    own: str = ""
    #: Options of `commtap verify`.
    verify: str = ""

    @property
    def name(self) -> str:
        words = [self.layout, str(self.ranks), *self.options.split(), *self.own.split(), *self.like.split()[1:]]
        return "-".join(word.strip("-") for word in words)


@dataclass(frozen=True)
class Wrong:
    """A pair with an error: the status, the class of the first finding, its ratio, and one of its parameters."""

    pair: Pair
    status: str
    what: str
    ratio: float | None
    parameter: str = ""
    step: int = 1


RIGHT = [
    Pair("ddp"),
    Pair("ddp", 4),
    Pair("by_hand"),
    Pair("zero"),
    Pair("fsdp1"),
    Pair("fsdp2"),
    Pair("fsdp2", 4),
    Pair("hsdp", 4),
    Pair("tp"),
    Pair("tp", 4),
    Pair("sp"),
    Pair("sp", 4),
    Pair("fsdp2_tp", 4),
    Pair("pp"),
    Pair("pipelining"),
    Pair("pipelining", options="--repeat"),
    Pair("tp_by_hand"),
    Pair("ep", options="--experts"),
    Pair("cp", options="--mix", verify="--same-data"),
    Pair("ddp", like="one --micro 4"),
    Pair("ddp", own="--micro 2"),
    Pair("fsdp2", own="--micro 2"),
    Pair("ddp", options="--masked"),
    Pair("ddp", options="--sgd"),
    Pair("ddp", options="--dtype bfloat16"),
    Pair("ddp", 4, "--dtype bfloat16"),
    Pair("fsdp2", 4, "--dtype bfloat16"),
    Pair("tp", options="--dtype bfloat16"),
    Pair("tp", 4, "--dtype bfloat16"),
    Pair("sp", options="--dtype bfloat16"),
    Pair("fsdp2_tp", 4, "--dtype bfloat16"),
    Pair("ddp", options="--autocast"),
    Pair("fsdp2", options="--autocast"),
    Pair("tp", options="--sgd"),
    Pair("ddp", options="--clip"),
    Pair("fsdp2", options="--clip"),
]
HEAD = "Net.head.bias"
WRONG = [
    Wrong(Pair("by_hand", own="--wrong sum_for_mean"), "wrong", "scale", 2, HEAD),
    Wrong(Pair("by_hand", 4, own="--wrong sum_for_mean"), "wrong", "scale", 4, HEAD),
    Wrong(Pair("fsdp2", own="--wrong divide_factor"), "wrong", "scale", 2, HEAD),
    Wrong(Pair("sp", own="--wrong norms_averaged"), "wrong", "ratio", 0.5, ".norm.bias"),
    Wrong(Pair("sp", 4, own="--wrong norms_averaged"), "wrong", "ratio", 0.25, ".norm.bias"),
    Wrong(Pair("tp", own="--wrong norms_summed"), "wrong", "ratio", 2, "norm.weight"),
    Wrong(Pair("ddp", own="--wrong head_scaled"), "wrong", "ratio", 1.48, "Net.head.weight"),
    Wrong(Pair("ep", options="--experts", own="--wrong experts_summed"), "wrong", "ratio", 2, "experts."),
    Wrong(Pair("ep", options="--experts", own="--wrong experts_doubled"), "wrong", "ratio", 4, "experts."),
    Wrong(Pair("ddp", own="--wrong only_last_micro_batch --micro 4"), "suspect", "direction", None),
    Wrong(Pair("ddp", own="--wrong last_micro_batch --micro 4"), "suspect", "direction", None),
    Wrong(Pair("ddp", own="--wrong doubles --micro 4"), "suspect", "direction", None, "blocks.1"),
    Wrong(Pair("ddp", options="--masked", own="--wrong own_token_count"), "suspect", "direction", None),
    Wrong(Pair("ddp", own="--wrong uneven_means --micro 2"), "suspect", "direction", None),
    Wrong(Pair("tp_by_hand", own="--wrong bias_on_each_rank"), "suspect", "direction", None),
    Wrong(Pair("cp", options="--mix", own="--wrong cut_backward", verify="--same-data"), "suspect", "direction", None),
    Wrong(Pair("tp_by_hand", own="--wrong own_norm", like="one --wrong own_norm"), "suspect", "direction", None),
    # The root of FSDP2 keeps what a forward between backward and step gathered: the next forward has the old values.
    Wrong(Pair("fsdp2", options="--evaluate"), "suspect", "direction", None, "blocks.1", 2),
    Wrong(Pair("ddp", own="--rate 2e-3"), "suspect", "optimizer", 2, "", 2),
    Wrong(Pair("fsdp2", own="--rate 1.02e-3"), "suspect", "optimizer", 1.02, "", 2),
    Wrong(Pair("tp", options="--sgd", own="--rate 1.1e-3"), "suspect", "optimizer", 1.1, "", 2),
    Wrong(Pair("ddp", options="--dtype bfloat16", own="--rate 1.3e-3"), "suspect", "optimizer", 1.3, "", 2),
]
DAILY = {"ddp-2", "tp-2", "sp-2-wrong-norms_averaged", "by_hand-2-wrong-sum_for_mean"}


def run_of(runner: Runner, ranks: int, *arguments: str) -> Run:
    run = runner.shim(Job("layouts.py", arguments, ranks, variables=(("COMMTAP_VERIFY", "1"),)))
    assert run.ended_as_meant(), run.outcomes
    return run


def compare(runner: Runner, pair: Pair) -> tuple[dict[str, Any], str]:
    """Returns the verdict on a pair as JSON and as text."""
    options = pair.options.split()
    one = run_of(runner, 1, *pair.like.split(), *options)
    other = run_of(runner, pair.ranks, pair.layout, *options, *pair.own.split())
    return verdict(other.output_folder, one.output_folder, *pair.verify.split())


def verdict(run: Path, like: Path, *options: str) -> tuple[dict[str, Any], str]:
    command = [COMMAND, "verify", str(run), "--like", str(like), *options]
    found = subprocess.run([*command, "--json"], capture_output=True, text=True, check=False)
    assert found.stderr == ""
    document = json.loads(found.stdout)
    jsonschema.validate(document, closed(json.loads(SCHEMA.read_text())))
    assert found.returncode == (FOUND if document["status"] == "wrong" else OK)
    strict = subprocess.run([*command, "--strict"], capture_output=True, text=True, check=False)
    assert strict.returncode == (OK if document["status"] == "ok" else FOUND)
    return document, strict.stdout


def daily_or_long(pairs: list[Any], name: Any) -> list[Any]:
    return [pytest.param(each, id=name(each), marks=() if name(each) in DAILY else pytest.mark.long) for each in pairs]


@pytest.mark.parametrize("pair", daily_or_long(RIGHT, lambda pair: pair.name))
def test_a_right_layout_trains_as_one_rank(runner: Runner, pair: Pair) -> None:
    document, text = compare(runner, pair)
    assert document["status"] == "ok", text
    assert document["parameters"] >= 13, text
    assert document["steps"] == [1, 2, 3, 4, 5], text
    assert document["data"] == "same", text
    print(pair.name, f"{document['largest_distance']:.1g}", document["by_norm"])


@pytest.mark.parametrize("wrong", daily_or_long(WRONG, lambda wrong: wrong.pair.name))
def test_an_error_of_a_layout_is_found(runner: Runner, wrong: Wrong) -> None:
    document, text = compare(runner, wrong.pair)
    first = document["findings"][0]
    assert (document["status"], first["class"], first["step"]) == (wrong.status, wrong.what, wrong.step), text
    assert first["ratio"] == (wrong.ratio if wrong.ratio is None else pytest.approx(wrong.ratio, rel=0.01)), text
    assert all(wrong.parameter in each for each in first["parameters"][:1]), text


@pytest.mark.long
def test_statistics_of_a_batch_are_no_error(runner: Runner) -> None:
    document, text = compare(runner, Pair("ddp", options="--batch-norm"))
    assert document["status"] == "suspect", text
    assert {each["class"] for each in document["findings"]} == {"direction"}, text


@pytest.mark.long
def test_a_second_run_of_the_other_layout_leaves_out_what_does_not_reproduce(runner: Runner) -> None:
    one = run_of(runner, 1, "one").output_folder
    again = run_of(runner, 1, "one", "--wrong", "head_scaled").output_folder  # as if it did not reproduce
    two = run_of(runner, 2, "ddp", "--wrong", "head_scaled").output_folder
    document, text = verdict(two, one, "--like", str(again))
    assert document["status"] == "ok", text
    assert "NOT COMPARED: Net.head.weight: the two runs of --like differ in it themselves" in text


@pytest.mark.long
def test_other_starts_other_data_and_dropout_are_not_judged(runner: Runner) -> None:
    one = run_of(runner, 1, "one").output_folder
    document, text = verdict(run_of(runner, 2, "ddp", "--seed", "1").output_folder, one)
    assert document["status"] == "nothing_to_compare"
    assert text.startswith("NOTHING TO COMPARE: the runs start from other parameters (Net.")
    document, text = verdict(run_of(runner, 2, "ddp", "--other-data").output_folder, one)
    assert (document["status"], document["data"]) == ("start_only", "other")
    assert "the runs read other samples" in text
    drawn = [run_of(runner, ranks, how, "--dropout").output_folder for ranks, how in ((2, "ddp"), (1, "one"))]
    document, text = verdict(*drawn)
    assert (document["status"], document["has_draws"]) == ("start_only", True)
    assert "a forward draws random numbers" in text


@pytest.mark.long
def test_two_runs_of_one_layout_are_compared_by_their_bits(runner: Runner) -> None:
    job = Job("layouts.py", ("ddp",), 2, variables=(("COMMTAP_VERIFY", "1"),))
    runs = [runner.run(job, Mode.SHIM).output_folder for _ in range(2)]
    document, text = verdict(*runs)
    assert document["notes"] == []
    assert "bitwise equal on each rank" in text
    other = run_of(runner, 2, "ddp", "--wrong", "head_scaled").output_folder
    document, text = verdict(other, runs[0])
    assert document["notes"][0].startswith(
        "the first bits that differ are in the gradient of Net.head.weight at step 1 on"
    )
    assert "NOTE: the first bits that differ" in text
