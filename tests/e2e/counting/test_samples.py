# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""COMMTAP_VERIFY: the samples are what the job has at these steps, and the job is as it is without them."""

import json
import math
from collections.abc import Iterable
from typing import Any

import pytest
from harness import Job, Mode, Run, Runner
from mounts import namespaces_refused
from samples_file import (
    GRADIENT_CONSTANT,
    IS_PARTIAL,
    SUMS,
    UNKNOWN,
    Digest,
    Row,
    SamplesFile,
    digest_of,
    places_of,
)

WAYS = {
    "ddp": 2,
    "by_hand": 2,
    "bucket": 2,
    "fsdp1": 2,
    "fsdp1_originals": 2,
    "fsdp2": 2,
    "fsdp2_tp": 4,
    "lora": 2,
    "tp": 2,
    "sp": 2,
    "two": 2,
    "scaler": 2,
    "closure": 2,
    "compiled": 2,
}
#: The names that the job cannot give: FSDP1's flat parameter.
NAMED = [how for how in WAYS if how not in {"fsdp1", "compiled"}]
DAILY = {"ddp", "fsdp2", "by_hand"}


def daily_or_long(ways: Iterable[str]) -> list[Any]:
    return [pytest.param(how, marks=() if how in DAILY else pytest.mark.long) for how in ways]


def job(how: str, verify: str = "1", *arguments: str) -> Job:
    variables = (("COMMTAP_VERIFY", verify),) if verify else ()
    return Job("sampled.py", (how, *arguments), WAYS[how], variables=variables)


def samples_of(run: Run) -> list[SamplesFile]:
    return [SamplesFile(path) for path in sorted(run.output_folder.glob("*.samples"))]


def not_seen(run: Run) -> dict[str, str]:
    return {entry["reason"]: entry["detail"] for report in run.reports for entry in report.not_seen}


def is_close(found: Digest, wanted: Digest) -> bool:
    near = 1e-5 * math.sqrt(wanted.squares) + 1e-30
    return (
        found.bits == wanted.bits
        and math.isclose(found.squares, wanted.squares, rel_tol=1e-5)
        and all(abs(a - b) <= near for a, b in zip(found.sums, wanted.sums, strict=True))
        and found.is_constant == wanted.is_constant
    )


def is_unknown(how: str, step: int, parameter: dict[str, Any]) -> bool:
    """Whether no module was called yet: a closure calls the model inside the first step."""
    return how == "closure" and step == 1 and not parameter.get("model_name", True)


@pytest.mark.parametrize("how", daily_or_long(WAYS))
def test_the_job_is_as_it_is_without_samples(runner: Runner, how: str) -> None:
    bare, run = runner.bare(job(how, "")), runner.shim(job(how))
    assert bare.ended_as_meant(), bare.outcomes
    assert run.ended_as_meant(), run.outcomes
    for rank in range(WAYS[how]):
        assert b"rank" in bare.outcomes[rank].stdout
        assert run.outcomes[rank].stdout == bare.outcomes[rank].stdout
        assert b"commtap" not in run.outcomes[rank].stderr


@pytest.mark.parametrize("how", daily_or_long(NAMED))
def test_samples_are_what_the_job_has(runner: Runner, how: str) -> None:
    run = runner.shim(job(how))
    files = samples_of(run)
    assert len(files) == WAYS[how]
    for rank, file in enumerate(files):
        assert file.job["rank"] == rank
        values = json.loads((run.folder / f"values.{rank}.json").read_text())
        assert [sample.optimizer for sample in file.samples] == [each["optimizer"] for each in values]
        for sample, wanted in zip(file.samples, values, strict=True):
            trained = [row for row in sample.rows if row.parameter.get("in_optimizer", True)]
            for row, (name, (value, gradient)) in zip(trained, wanted["rows"].items(), strict=True):
                assert row.parameter["name"] == name or is_unknown(how, sample.step, row.parameter)
                places = places_of(row.parameter)
                assert is_close(row.value, digest_of(value, places)), (name, sample.step)
                assert (row.gradient is None) == (gradient is None), (name, sample.step)
                if gradient is not None:
                    assert is_close(row.gradient, digest_of(gradient, places)), (name, sample.step)
    assert "unsampled_parameters" not in not_seen(run)


@pytest.mark.parametrize("how", daily_or_long(["by_hand", "bucket"]))
def test_inputs_of_reductions_are_what_the_job_puts_in(runner: Runner, how: str) -> None:
    run = runner.shim(job(how))
    for rank, file in enumerate(samples_of(run)):
        values = json.loads((run.folder / f"values.{rank}.json").read_text())
        for sample, wanted in zip(file.samples, values, strict=True):
            assert len(sample.reductions) == len(wanted["inputs"])
            for reduction, tensor in zip(sample.reductions, wanted["inputs"], strict=True):
                assert reduction.elements == len(tensor)
                assert is_close(reduction.input, digest_of(tensor)), sample.step
                assert reduction.is_gradient == (how == "by_hand")
            assert sample.gaps == {}


@pytest.mark.parametrize("how", daily_or_long(["ddp", "fsdp1", "fsdp2", "scaler", "two"]))
def test_ranks_put_other_gradients_of_other_data_into_the_same_reductions(runner: Runner, how: str) -> None:
    files = samples_of(runner.shim(job(how)))
    pairs = list(zip(*(file.samples for file in files), strict=True))
    assert sum(len(one.reductions) for one, _ in pairs) >= len(pairs) // 2
    for one, other in pairs:
        for a, b in zip(one.reductions, other.reductions, strict=True):
            assert a.is_gradient
            assert b.is_gradient
            assert (a.group, a.sequence, a.part, a.module, a.elements) == (
                b.group,
                b.sequence,
                b.part,
                b.module,
                b.elements,
            )
            assert a.input.bits != b.input.bits
        assert (one.data_rows, other.data_rows) in {(4, 4), (0, 0)}
        assert not set(one.hashes) & set(other.hashes)


@pytest.mark.long
@pytest.mark.parametrize("how", ["tp", "sp"])
def test_activations_are_not_sampled(runner: Runner, how: str) -> None:
    for file in samples_of(runner.shim(job(how))):
        assert all(sample.reductions == [] and sample.gaps == {} for sample in file.samples)


@pytest.mark.long
def test_steps_are_numbered_by_optimizer(runner: Runner) -> None:
    file = samples_of(runner.shim(job("two")))[0]
    found = [(sample.optimizer, sample.step) for sample in file.samples]
    assert found == [(optimizer, step) for step in (1, 2, 3, 4) for optimizer in (0, 1)]


def test_ranks_of_ddp_are_declared_and_equal(runner: Runner) -> None:
    files = samples_of(runner.shim(job("ddp")))
    for file in files:
        assert all(each["ddp"] == [0, 1] for each in file.parameters)
        assert {each["name"] for each in file.parameters} >= {"Net.layers.0.norm.weight", "Net.head.bias"}
    for one, other in zip(*(file.samples for file in files), strict=True):
        assert [row.value for row in one.rows] == [row.value for row in other.rows]
        assert [row.gradient for row in one.rows] == [row.gradient for row in other.rows]
        assert one.groups == other.groups
        assert sum(one.groups.values()) > 0


@pytest.mark.long
def test_dtensors_have_their_mesh_and_place(runner: Runner) -> None:
    for rank, file in enumerate(samples_of(runner.shim(job("fsdp2_tp")))):
        by_name = {each["name"]: each for each in file.parameters}
        up = by_name["Net.layers.0.up.weight"]
        assert up["mesh"] == {"dim_names": ["dp", "tp"], "shape": [2, 2], "ranks": [0, 1, 2, 3]}
        assert up["coordinate"] == [rank // 2, rank % 2]
        assert up["shape"] == [16, 8]
        assert up["local_shape"] == [4, 8]
        assert len(up["placements"]) == 2
        head = by_name["Net.head.weight"]
        assert head["mesh"] == {"dim_names": ["dp"], "shape": [2], "ranks": [rank % 2, rank % 2 + 2]}
        assert head["coordinate"] == [rank // 2]


@pytest.mark.long
def test_gradients_that_are_yet_to_be_summed_say_so(runner: Runner) -> None:
    file = samples_of(runner.shim(job("sp")))[0]
    partial = {row.parameter["name"] for row in file.samples[0].rows if row.flags & IS_PARTIAL}
    assert partial == {f"Net.layers.{i}.norm.{name}" for i in (0, 1) for name in ("weight", "bias")}


@pytest.mark.long
def test_frozen_parameters_are_sampled_too(runner: Runner) -> None:
    file = samples_of(runner.shim(job("lora")))[0]
    for sample in file.samples:
        frozen = [row for row in sample.rows if not row.parameter.get("in_optimizer", True)]
        assert {row.parameter["name"] for row in frozen} >= {"Net.layers.0.up.base.weight", "Net.head.weight"}
        assert all(row.gradient is None and not row.flags & UNKNOWN for row in frozen)
        assert not any(row.parameter.get("requires_grad", True) for row in frozen)


@pytest.mark.long
def test_fsdp1_has_flat_parameters(runner: Runner) -> None:
    file = samples_of(runner.shim(job("fsdp1")))[0]
    assert [each.get("fsdp1_flat") for each in file.parameters] == [True]
    assert len(file.samples) == 4
    assert all(row.gradient is not None and not row.flags & GRADIENT_CONSTANT for row in file.samples[1].rows)


@pytest.mark.long
def test_original_parameters_of_fsdp1_are_declared_as_parts(runner: Runner) -> None:
    files = samples_of(runner.shim(job("fsdp1_originals")))
    for file in files:
        assert {each["name"] for each in file.parameters} >= {"Net.layers.0.norm.weight", "Net.head.bias"}
        assert all(each.get("fsdp1_flat") for each in file.parameters)
    assert files[0].parameters != files[1].parameters


@pytest.mark.long
def test_parts_of_tensors_add_up_to_the_whole(runner: Runner) -> None:
    """Each placement of DTensors: every part is where torch says, and their sums are those of the whole."""
    run = runner.shim(Job("placed.py", (), 4, variables=(("COMMTAP_VERIFY", "1"),)))
    assert run.ended_as_meant(), run.outcomes
    whole = json.loads((run.folder / "whole.json").read_text())
    rows: dict[str, list[Row]] = {name: [] for name in whole}
    for rank, file in enumerate(samples_of(run)):
        of_torch = json.loads((run.folder / f"part.{rank}.json").read_text())
        for row in file.samples[0].rows:
            name, places = row.parameter["name"], places_of(row.parameter)
            rows[name].append(row)
            shape, offset = of_torch[name]
            assert row.parameter.get("local_shape", row.parameter["shape"]) == shape
            assert row.parameter.get("has_place", True)
            assert row.has_gradient_place
            if places:
                strides = [math.prod(row.parameter["shape"][dim + 1 :]) for dim in range(len(shape))]
                first = sum(start * stride for start, stride in zip(offset, strides, strict=True))
                assert name.startswith("Sharded") or places[0] == first
    for name, values in whole.items():
        parts = {json.dumps(row.parameter.get("part")): row for row in rows[name]}
        for is_gradient, wanted in enumerate(digest_of(each) for each in values):
            digests = [row.gradient if is_gradient else row.value for row in parts.values()]
            sums = [sum(each.sums[j] for each in digests if each is not None) for j in range(SUMS)]
            near = 1e-5 * math.sqrt(wanted.squares)
            assert all(abs(a - b) <= near for a, b in zip(sums, wanted.sums, strict=True)), name


def test_named_steps_alone_are_sampled(runner: Runner) -> None:
    files = samples_of(runner.shim(job("ddp", "2,4")))
    assert [[sample.step for sample in file.samples] for file in files] == [[2, 4]] * 2


def test_without_the_option_there_is_no_file(runner: Runner) -> None:
    run = runner.shim(job("ddp", ""))
    assert sorted(path.name for path in run.output_folder.iterdir()) == ["rank-00000.json", "rank-00001.json"]


def test_a_killed_rank_leaves_its_samples(runner: Runner) -> None:
    killed = Job("sampled.py", ("ddp", "--at", "3", "--do", "kill"), 2, status=-9, variables=(("COMMTAP_VERIFY", "1"),))
    run = runner.run(killed, Mode.SHIM)
    assert [outcome.status for outcome in run.outcomes] == [-9, -9]
    assert [[sample.step for sample in file.samples] for file in samples_of(run)] == [[1, 2, 3]] * 2
    run.recover()
    assert len(run.reports) == 2


@pytest.mark.long
@pytest.mark.parametrize(("how", "what"), [("cut", "changed"), ("delete", "deleted")])
def test_samples_that_another_program_spoils(runner: Runner, how: str, what: str) -> None:
    arguments = ("--at", "2", "--do", how)
    bare, run = runner.bare(job("ddp", "", *arguments)), runner.shim(job("ddp", "1", *arguments))
    assert run.ended_as_meant(), run.outcomes
    for rank in range(2):
        assert run.outcomes[rank].stdout == bare.outcomes[rank].stdout
        assert run.outcomes[rank].stderr.count(b"no more samples are taken") == 1
        lost = [entry for entry in run.report(rank).not_seen if entry["reason"] == "samples_lost"]
        assert [entry["count"] for entry in lost] == [2]
        assert lost[0]["detail"].endswith(f"another program has {what} it")
    sizes = [path.stat().st_size for path in run.output_folder.glob("*.samples")]
    assert sizes == ([100, 100] if how == "cut" else [])


#: Gives the reports a disk of 2 MiB in a mount namespace, runs its arguments, and saves what the disk has then.
ON_SMALL_DISK = """
mkdir -p reports saved && mount -t tmpfs -o size=2m small reports || exit 99
"$@"
status=$?
cp reports/* saved && umount reports && cp saved/* reports
exit $status
"""


@pytest.mark.long
def test_a_disk_that_becomes_full(runner: Runner) -> None:
    """The job goes on; the file has the samples that fit."""
    if reason := namespaces_refused():
        pytest.skip(f"no file system can be mounted here: {reason}")
    arguments = ("ddp", "--steps", "6", "--at", "2", "--do", "fill")
    wrapper = ("unshare", "-m", "sh", "-c", ON_SMALL_DISK, "sh")
    run = runner.run(Job("sampled.py", arguments, 1, wrapper=wrapper, variables=(("COMMTAP_VERIFY", "1"),)), Mode.SHIM)
    assert run.ended_as_meant(), run.outcomes
    bare = runner.bare(Job("sampled.py", arguments, 1))
    assert run.outcomes[0].stdout == bare.outcomes[0].stdout
    assert run.outcomes[0].stderr.count(b"no more samples are taken") == 1
    assert not_seen(run)["samples_lost"].endswith("No space left on device")
    [file] = samples_of(run)
    assert 2 <= len(file.samples) < 5
    assert [sample.step for sample in file.samples] == list(range(1, len(file.samples) + 1))


@pytest.mark.long
def test_steps_that_are_not_seen_are_named(runner: Runner) -> None:
    compiled = Job("steps.py", ("--compile-step",), variables=(("COMMTAP_VERIFY", "1"),))
    run = runner.shim(compiled)
    assert samples_of(run) == []
    assert "compiled" in not_seen(run)["samples_lost"]
