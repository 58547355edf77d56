# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""`commtap verify`: the verdict on each job of the zoo of trainings, right and wrong."""

import json
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from catalogue import JOBS, WITH_REPORTS
from harness import COMMAND, Job, Run, Runner
from html_page import open_page
from playwright.sync_api import Browser, expect

from report import REPOSITORY, closed

SCHEMA = REPOSITORY / "docs" / "schema" / "commtap-verify-1.schema.json"

OK, FOUND, NO_SAMPLES = 0, 1, 2


@dataclass(frozen=True)
class Right:
    """A job of tests/jobs/verify_right.py, and the findings that it may have."""

    name: str
    ranks: int = 2
    status: str = "ok"
    findings: frozenset[tuple[str, str]] = field(default_factory=frozenset)


@dataclass(frozen=True)
class Wrong:
    """A job of tests/jobs/verify_wrong.py: the first finding, a parameter of it, the sampled steps before and with it.

    `also`: the findings after it. `first`: the parameter that it names. `text`: what its lines contain.
    """

    name: str
    severity: str
    what: str
    parameter: str
    steps: tuple[int | None, int | None] = (1, 2)
    ranks: int = 2
    also: frozenset[tuple[str, str]] = field(default_factory=frozenset)
    first: str = ""
    text: str = ""


def only(severity: str, what: str) -> frozenset[tuple[str, str]]:
    return frozenset({(severity, what)})


NOTHING = "nothing_to_compare"
RIGHT = [
    Right("ddp"),
    Right("ddp", 4),
    Right("ddp_by_hand"),
    Right("ddp_accumulates"),
    Right("ddp_clips"),
    Right("ddp_warms_up"),
    Right("ddp_lora", findings=only("note", "no_gradient")),
    Right("ddp_unused", findings=only("note", "no_gradient")),
    Right("ddp_ema"),
    Right("ddp_ema_on_one_rank", findings=only("note", "rank_copy")),
    Right("ddp_ema_on_one_rank_from_the_start", findings=only("note", "rank_copy")),
    Right("ddp_in_bfloat16"),
    Right("ddp_and_two_optimizers"),
    Right("ddp_batch_norm", findings=only("note", "buffers")),
    Right("ddp_dropout"),
    Right("ddp_power_sgd"),
    Right("ddp_masters"),
    Right("ddp_gan"),
    Right("ddp_join", findings=only("note", "fewer_steps")),
    Right("ddp_closure"),
    Right("ddp_scaler"),
    Right("ddp_tied"),
    Right("ddp_own_optimizer"),
    Right("post_local_sgd", findings=only("note", "periodic")),
    Right("local_sgd", findings=only("note", "periodic")),
    Right("own_head", status="suspect", findings=only("warning", "unproven")),
    Right("zero"),
    Right("zero_by_hand"),
    Right("zero_by_hand", 4),
    Right("fsdp1"),
    Right("fsdp1_with_original_parameters"),
    Right("fsdp1_hybrid", 4),
    Right("fsdp2"),
    Right("fsdp2_clips"),
    Right("hsdp", 4),
    Right("fsdp2_and_tp", 4),
    Right("tp"),
    Right("sp"),
    Right("tp_by_hand"),
    Right("tp_by_hand", 4),
    Right("tp_by_hand_with_attributes"),
    Right("tp_by_hand_with_attributes", 4),
    Right("tp_with_head_norms"),
    Right("tp_rounds", findings=only("note", "rounding")),
    Right("ring"),
    Right("ring", 4),
    Right("pp", status=NOTHING),
    Right("pp_tied"),
    Right("pp_with_replicas", 4),
    Right("ep"),
    Right("ep", 4),
    Right("ep_same_seed", findings=only("note", "experts")),
    Right("ep_with_replicas", 4),
    Right("right_silent_once", findings=only("note", "no_contribution")),
    Right("right_bucket"),
    Right("right_accumulated_shards"),
    Right("right_reduced_in_each_backward"),
    Right("right_static_graph"),
    Right("right_compressed"),
    Right("right_uneven_batches"),
    Right("right_padded"),
    Right("right_one_input"),
    Right("right_evaluates"),
    Right("right_flat_averages"),
    Right("right_statistics"),
    Right("right_two_groups", 4),
    Right("right_skips_bad_batches", findings=only("note", "source_of_nan")),
]
UP = "Net.layers.0.up.weight"
NORM = "SplitNet.layers.0.norm.weight"
FEWER = only("note", "fewer_steps")
WRONG = [
    Wrong("reduction_stops", "error", "drift", UP, (4, 5)),
    Wrong("layer_replaced", "warning", "unproven", "Net.head.weight"),
    Wrong("inner_forward", "warning", "separate", "layers.0.up.weight"),
    Wrong("no_sync_at_the_wrong_step", "error", "declared", UP),
    Wrong("a_copy_is_reduced", "warning", "separate", UP),
    Wrong("biases_not_reduced", "warning", "unproven", "Net.layers.0.up.bias"),
    Wrong("zero_skips_the_linear_layers", "error", "same_gradient", UP),
    Wrong("bfloat16_zero_skips_the_linear_layers", "warning", "unproven", UP),
    Wrong("half_the_rate_in_bfloat16", "error", "same_gradient", UP),
    Wrong("held_by_nobody", "warning", "stuck", "Net.head.weight", (None, None)),
    Wrong("unfrozen_late_on_one_rank", "error", "same_gradient", UP, (4, 5)),
    Wrong("sequence_ranks_not_reduced", "warning", "separate", "Heads.qkv.weight", ranks=4),
    Wrong("other_seeds", "error", "never_equal", UP, (None, 1)),
    Wrong("drawn_after_wrapping", "error", "never_equal", UP, (None, 1)),
    Wrong("checkpoint_without_the_head", "error", "never_equal", "Net.head.weight", (None, 1)),
    Wrong("other_weight_decay", "error", "same_gradient", UP),
    Wrong("other_rate", "error", "same_gradient", UP, (3, 4)),
    Wrong("own_rounding", "error", "same_gradient", UP),
    Wrong("own_noise", "error", "declared", UP),
    Wrong("older_checkpoint", "error", "same_gradient", UP, (4, 5)),
    Wrong("lost_moments", "error", "same_gradient", UP, (4, 5)),
    Wrong("skipped_step", "error", "skipped_step", UP, (2, 3), also=FEWER),
    Wrong("skipped_step_between_samples", "error", "skipped_step", UP, (9, 17)),
    Wrong("scaler_skips_on_one_rank", "error", "skipped_step", NORM, (2, 3), also=FEWER),
    Wrong("frozen_on_one_rank", "warning", "unproven", "Net.head.weight"),
    Wrong("not_a_number_on_one_rank", "error", "non_finite", "Net.head.weight", (5, 9)),
    Wrong("infinite_gradient_on_one_rank", "error", "non_finite_gradient", "Net.head.weight", (4, 5)),
    Wrong("wrong_groups", "warning", "separate", UP, ranks=4),
    Wrong("norms_not_summed", "error", "declared", NORM),
    Wrong(
        "norms_not_summed_without_attributes",
        "error",
        "drift",
        "SplitNet.head.weight",
        (2, 3),
        also=only("warning", "unproven"),
    ),
    Wrong("head_norms_not_summed", "error", "declared", "SplitNet.layers.0.heads.weight"),
    Wrong("own_dropout", "error", "declared", NORM),
    Wrong("own_clipping", "error", "declared", "SplitNet.head.weight"),
    Wrong("tied_sum_forgotten", "warning", "unproven", "Stage.word.weight"),
    Wrong("stage_not_reduced", "warning", "separate", "Stage.block.up.weight", ranks=4),
    Wrong("router_not_reduced", "warning", "unproven", "MoeNet.moe.router.weight"),
    Wrong("experts_not_reduced", "warning", "unproven", "MoeNet.moe.expert.up.weight", ranks=4),
    Wrong("twin_shards", "warning", "twin_shards", "Sequential.0.weight", (None, None)),
    Wrong("hybrid_over_one_rank", "error", "declared", "flat_param", also=only("note", "lone_reductions")),
    Wrong("gathered_without_autograd", "note", "one_way", "", (None, None)),
    Wrong(
        "hsdp_without_all_reduce",
        "warning",
        "no_gradient",
        "layers.0.up.weight",
        (None, None),
        4,
        also=only("warning", "no_gradient") | only("note", "unused_dimension"),
    ),
    Wrong("replicate_of_other_values", "error", "never_equal", "Net.layers.0.norm.weight", (None, 1)),
    Wrong(
        "sync_left_off",
        "warning",
        "no_gradient",
        "layers.0.up.weight",
        (None, None),
        also=only("warning", "no_gradient"),
    ),
    Wrong("sync_turned_off", "warning", "reductions_stop", "", (4, 5)),
    Wrong("detached", "note", "no_gradient", "Detached.layers.0.up.weight", (None, None)),
    Wrong("same_data", "warning", "same_data", "", (None, 1)),
    Wrong("same_data", "warning", "same_data", "", (None, 1), ranks=4),
    Wrong("same_data_in_shards", "warning", "same_data", "", (None, 1)),
    Wrong("same_data_in_flat_parameters", "warning", "same_data", "", (None, 1)),
    Wrong("same_data_by_hand", "warning", "same_data", "", (None, 1)),
    Wrong("same_data_per_pair", "warning", "same_data", "", (None, 1), ranks=4),
    Wrong("same_data_in_objects", "warning", "same_data", "", (None, 1)),
    Wrong("same_data_in_sharded_objects", "warning", "same_data", "", (None, 1)),
    Wrong("most_data_shared", "warning", "same_data", "", (None, 1)),
    Wrong("some_data_shared", "note", "same_data", "", (None, 1)),
    Wrong("reduced_twice", "warning", "reduced_twice", UP, (None, 1)),
    Wrong("reduced_twice", "warning", "reduced_twice", UP, (None, 1), ranks=4),
    Wrong("reduced_twice_by_hand", "warning", "reduced_twice", UP, (None, 1)),
    Wrong("bucket_reduced_twice", "warning", "reduced_twice", "", (None, 1)),
    Wrong("not_a_number_before_the_reduction", "error", "source_of_nan", "Net.layers.0.down.bias", (3, 4)),
    Wrong("not_a_number_in_shards", "error", "source_of_nan", "", (3, 4)),
    Wrong("not_a_number_by_hand", "error", "source_of_nan", "Net.layers.0.down.bias", (3, 4)),
    Wrong("not_a_number_in_a_batch", "error", "source_of_nan", "", (2, 3)),
    Wrong("silent_rank", "warning", "no_contribution", "", (None, 1)),
    Wrong("silent_rank_of_shards", "warning", "no_contribution", "", (None, 1)),
    Wrong("silent_rank_by_hand", "warning", "no_contribution", "", (None, 1)),
    Wrong("loud_rank", "note", "other_size", "", (None, 1)),
    Wrong("loud_rank_of_shards", "note", "other_size", "", (None, 1)),
]


#: Jobs of tests/jobs/verify_pairs.py, which are right with --right.
PAIRS = [
    Wrong(
        "tied_names", "warning", "tied", "Stage.head", text="Stage.embed and Stage.head started equal on ranks 0 and 1"
    ),
    Wrong("one_layer_not_summed", "error", "drift", "layers", (2, 3), first="SplitNet.layers.1.norm.bias"),
    Wrong("own_rounding_in_bfloat16", "error", "same_gradient", UP, text="rounded by chance"),
    Wrong("rarely_averaged", "warning", "drift", UP, (4, 5), text="step 5 reduces next, so sample the one after it"),
    Wrong("new_wrapper_each_epoch", "warning", "periodic", "layers.0.up.weight", text="An average does not explain it"),
    Wrong("shard_lost_once", "warning", "periodic", UP, (4, 5), text="An average does not explain it"),
    Wrong("reduced_over_one_rank", "warning", "lone_reductions", "qkv.weight"),
    Wrong("frozen_layer_lost", "warning", "never_equal", UP, (None, 1), text="Frozen"),
    Wrong("own_adapters", "note", "never_equal", "0.weight", (None, 1)),
    Wrong("held_by_nobody_in_shards", "note", "stuck", "head.weight", (None, None)),
    Wrong("never_cleared", "note", "growing_gradient", "", (None, 1)),
    Wrong("own_bias_of_a_router", "warning", "buffers", "Biased.bias"),
    Wrong("mesh_dimension_unused", "warning", "separate", UP, ranks=4, also=only("note", "unused_dimension")),
]
AVERAGED = {"rarely_averaged": only("note", "periodic")}
RIGHT += [Right(f"{pair.name} --right", pair.ranks, findings=AVERAGED.get(pair.name, frozenset())) for pair in PAIRS]
WRONG += PAIRS

DAILY = {"ddp-2", "tp_by_hand-2", "reduction_stops-2", "norms_not_summed-2", "skipped_step-2"}


def daily_or_long(jobs: Sequence[Right | Wrong]) -> list[Any]:
    """The jobs as parameters of a test; a dozen processes are enough for each day."""
    named = [(f"{job.name}-{job.ranks}", job) for job in jobs]
    return [pytest.param(job, id=name, marks=() if name in DAILY else pytest.mark.long) for name, job in named]


def run_of(runner: Runner, name: str, ranks: int) -> Run:
    return runner.shim(Job("verify_zoo.py", tuple(name.split()), ranks, variables=(("COMMTAP_VERIFY", "1"),)))


def verify(run: Run, *options: str) -> subprocess.CompletedProcess[str]:
    command = [COMMAND, "verify", str(run.output_folder), *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def verdict(run: Run) -> dict[str, Any]:
    found = verify(run, "--json")
    assert found.stderr == ""
    document = json.loads(found.stdout)
    jsonschema.validate(document, closed(json.loads(SCHEMA.read_text())))
    assert found.returncode == (FOUND if document["status"] == "wrong" else OK)
    strict = verify(run, "--strict").returncode
    assert strict == (FOUND if document["status"] in {"wrong", "suspect"} else OK)
    if document["status"] != NOTHING:
        assert counted_in(verify(run).stdout) == document["parameters"]
    return document


def counted_in(text: str) -> int:
    """The sum of the numbers of parameters in the last line: those with replicas, and all others."""
    [line] = re.findall(r"^(?:OK: )?((?:no|\d+) parameters? .*)$", text, re.MULTILINE)
    patterns = (
        r"(\d+) parameters? ha(?:s|ve) replicas",
        r"(\d+) started equal and went",
        r"(\d+) (?:is a shard|are shards)",
        r"of (\d+) more",
    )
    return sum(int(number) for pattern in patterns for number in re.findall(pattern, line))


@pytest.mark.parametrize("job", daily_or_long(RIGHT))
def test_a_right_training_has_no_error(runner: Runner, job: Right) -> None:
    run = run_of(runner, job.name, job.ranks)
    assert run.ended_as_meant(), run.outcomes
    document = verdict(run)
    found = {(each["severity"], each["class"]) for each in document["findings"]}
    assert found == job.findings, verify(run).stdout
    assert document["status"] == job.status, verify(run).stdout


@pytest.mark.parametrize("job", daily_or_long(WRONG))
def test_a_wrong_training_is_found(runner: Runner, job: Wrong) -> None:
    run = run_of(runner, job.name, job.ranks)
    assert run.ended_as_meant(), run.outcomes
    document = verdict(run)
    first, *others = document["findings"]
    text = verify(run).stdout
    checked = subprocess.run(
        [COMMAND, "check", run.output_folder, "--verify"], capture_output=True, text=True, check=False
    )
    assert checked.returncode == (FOUND if job.severity == "error" else OK), checked.stdout
    assert (f"note: commtap verify: {document['line']}\n" in checked.stdout) == (document["status"] == "suspect")
    assert (first["severity"], first["class"]) == (job.severity, job.what), text
    assert (first["before"], first["step"]) == job.steps, text
    assert not job.parameter or any(job.parameter in name for name in first["parameters"]), text
    assert {(each["severity"], each["class"]) for each in others} == job.also, text
    assert not job.first or first["parameters"][0] == job.first, text
    assert job.text in " ".join(first["lines"]), text


def test_the_page_of_a_wrong_training_begins_with_it(runner: Runner, browser: Browser, tmp_path: Path) -> None:
    run = run_of(runner, "reduction_stops", 2)
    first = verdict(run)["line"]
    page = tmp_path / "page.html"
    subprocess.run([COMMAND, "html", str(run.output_folder), "-o", page], check=True)
    with open_page(browser, page) as opened:
        expect(opened.page.locator("#facts")).to_contain_text(f"Verify{first}")
        finding = opened.page.locator("#findings details").first
        expect(finding.locator("summary")).to_have_text(f"Problem The training: {first}")
        finding.locator("summary").click()
        expect(finding).to_contain_text("equal at step 4, different at step 5")


@pytest.mark.long
def test_the_step_that_a_finding_names_shows_the_average(runner: Runner) -> None:
    job = Job("verify_zoo.py", ("rarely_averaged",), 2, variables=(("COMMTAP_VERIFY", "1,2,6"),))
    assert verdict(runner.shim(job))["status"] == "ok"


@pytest.mark.long
@pytest.mark.parametrize("name", WITH_REPORTS)
def test_no_job_of_the_catalogue_is_called_wrong(runner: Runner, name: str) -> None:
    job = JOBS[name]
    run = runner.shim(replace(job, variables=(*job.variables, ("COMMTAP_VERIFY", "1"))))
    assert verify(run).returncode in {OK, NO_SAMPLES}, verify(run).stdout


def test_a_run_without_samples_says_how_to_take_them(runner: Runner) -> None:
    run = runner.shim(Job("ddp.py", ranks=2))
    found = verify(run)
    assert found.returncode == NO_SAMPLES
    assert "COMMTAP_VERIFY=1" in found.stderr
