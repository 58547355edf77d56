# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Each model under Inductor has the table of its eager run, with graphs that it compiles and with those of a cache."""

import subprocess
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from harness import COMMAND, Job, Mode, Runner

from report import Report

#: Each model that compiles: its job, and how it is compiled.
MODELS: dict[str, tuple[Job, str]] = {
    "tp_mlp": (Job("mlp_tp.py", ("--stacked", "--steps", "2")), "function"),
    "tp_transformer": (Job("transformer_tp.py"), "function"),
    "sp_transformer": (Job("transformer_tp.py", ("--seq-parallel", "--untied")), "fullgraph"),
    "fsdp2": (Job("fsdp2.py"), "method"),
    "fsdp2_tp": (Job("fsdp2_tp.py", ranks=4), "method"),
    "fsdp2_sp": (Job("fsdp2_tp.py", ("--seq-parallel",), ranks=4), "method"),
    "fsdp1": (Job("fsdp1.py", ("--use-orig-params",)), "function"),
    "ddp": (Job("ddp.py"), "function"),
    "ddp_one_graph": (Job("ddp.py", ("--one-graph",)), "function"),
    "ep": (Job("parallelisms.py", ("ep",)), "function"),
    "ep_uneven": (Job("parallelisms.py", ("ep_uneven",)), "method"),
    "checkpointed": (Job("checkpointing.py"), "fullgraph"),
    "checkpointed_reentrant": (Job("checkpointing.py", ("--kind", "reentrant")), "function"),
    "checkpointed_by_hand": (Job("compiled.py", ("model", "--recompute")), "method"),
    "pipeline": (Job("pipeline.py"), "method"),
}


PHASES = ("forward", "backward", "recompute")

#: Compiled, they repeat less of the forward than in eager mode.
REPEATS_LESS = ("checkpointed_reentrant",)


def table(report: Report, field: str, *phases: str) -> Counter:
    """Sums over the rows of some phases."""
    return Counter(report.table("module", "phase", "kind", "group", field=field, phase=phases))


@pytest.mark.long
@pytest.mark.parametrize("name", MODELS)
def test_table_is_that_of_the_eager_run(runner: Runner, tmp_path: Path, name: str) -> None:
    """Modules, phases, kinds and groups of every rank, with their counts and bytes."""
    job, way = MODELS[name]
    eager = runner.shim(job)
    compiled = replace(
        job,
        arguments=(*job.arguments, "--compile", way, "--backend", "inductor"),
        variables=(("TORCHINDUCTOR_CACHE_DIR", str(tmp_path)),),
    )
    for run in (runner.run(compiled, Mode.SHIM) for _ in ("cold", "from the cache")):
        for rank in range(job.ranks):
            assert run.outcomes[rank].status == 0, run.outcomes[rank]
            assert run.report(rank).not_seen == []
            for field in ("count", "bytes"):
                within, without = (table(each.report(rank), field, *PHASES) for each in (run, eager))
                if name in REPEATS_LESS:
                    repeated = Counter({key: number for key, number in without.items() if key[1] == "recompute"})
                    assert within >= without - repeated
                    assert within <= without
                else:
                    assert within == without


#: With these, Inductor also makes buckets, moves collectives, and makes regions: whatever a comment can say.
OTHERS: dict[str, tuple[Job, str]] = {
    "buckets": (Job("gathered.py", ("--buckets",)), "method"),
    "moved": (Job("gathered.py", ("--reorder",)), "method"),
    "regions": (Job("compiled.py", ("model", "--layers", "4", "--regions", "nested")), "method"),
    "experts": (Job("compiled.py", ("model",)), "method"),
}


@pytest.mark.long
@pytest.mark.parametrize("name", [*MODELS, *OTHERS])
def test_without_side_files_no_module_has_more_than_in_the_eager_run(runner: Runner, tmp_path: Path, name: str) -> None:
    """A cache that was filled without commtap: what is more at the compiled module is in `not_seen`."""
    job, way = {**MODELS, **OTHERS}[name]
    compiled = replace(
        job,
        arguments=(*job.arguments, "--compile", way, "--backend", "inductor"),
        variables=(("TORCHINDUCTOR_CACHE_DIR", str(tmp_path)),),
    )
    runner.run(compiled, Mode.BARE)
    eager, run = runner.shim(job), runner.run(compiled, Mode.SHIM)
    for rank in range(job.ranks):
        assert run.outcomes[rank].status == 0, run.outcomes[rank]
        report = run.report(rank)
        surplus = table(report, "count", *PHASES) - table(eager.report(rank), "count", *PHASES)
        entries = {row["issued_in"] for row in report.collectives if row.get("compiled")}
        assert {module for module, *_ in surplus} <= entries
        missed = sum(entry["count"] for entry in report.not_seen)
        assert surplus.total() <= missed
        assert {entry["reason"] for entry in report.not_seen} <= {"compiled_unattributed"}


def members_of(report: Report, field: str) -> Counter:
    """Returns the calls behind a bucketed run's rows."""
    rows = report.collectives
    sums: Counter = Counter()
    for member in report.members:
        row = rows[member["row"]]
        sums[member["module"], row["phase"], row["kind"], row["group"]] += member[field]
    return sums


def test_a_bucket_stands_for_its_members(runner: Runner, tmp_path: Path) -> None:
    """Inductor's pass merges all gathers, and all scatters. Each is one row at the root, and the members of these rows
    are the table of the eager run; also with the graphs of a cache.
    """
    eager = runner.shim(Job("gathered.py"))
    compiled = Job(
        "gathered.py",
        ("--buckets", "--compile", "method", "--backend", "inductor"),
        variables=(("TORCHINDUCTOR_CACHE_DIR", str(tmp_path)),),
    )
    runs = [runner.run(compiled, Mode.SHIM) for _ in ("cold", "from the cache")]
    for run in runs:
        for rank in range(2):
            report = run.report(rank)
            assert report.not_seen == []
            assert table(report, "count", "forward", "backward") == {
                ("Model", "forward", "all_gather", "0"): 2,
                ("Model", "backward", "reduce_scatter", "0"): 2,
            }
            for field in ("count", "bytes"):
                assert members_of(report, field) == table(eager.report(rank), field, "forward", "backward")
    difference = subprocess.run(
        [COMMAND, "diff", eager.output_folder, runs[0].output_folder], capture_output=True, text=True, check=True
    )
    assert difference.stdout.startswith("the same, except for 2 bucketed rows\n")
    shown = subprocess.run(
        [COMMAND, "show", "--tree", runs[0].output_folder], capture_output=True, text=True, check=True
    )
    assert "\nBucketed (" in shown.stdout
    assert "  Model.layers.0.a" in shown.stdout


@pytest.mark.long
def test_collectives_that_a_pass_moves(runner: Runner, tmp_path: Path) -> None:
    """Inductor starts them earlier, so that they overlap with compute: they are at the same modules."""
    job = Job(
        "gathered.py",
        ("--reorder", "--compile", "method", "--backend", "inductor"),
        variables=(("TORCHINDUCTOR_CACHE_DIR", str(tmp_path)),),
    )
    eager, moved = runner.shim(Job("gathered.py")), runner.run(job, Mode.SHIM)
    for rank in range(2):
        assert moved.report(rank).not_seen == []
        for field in ("count", "bytes"):
            expected = table(eager.report(rank), field, "forward", "backward")
            assert table(moved.report(rank), field, "forward", "backward") == expected


def phase_tables(report: Report) -> dict[str, Counter]:
    """The tables of forward and backward, with the name "Model" for any root."""
    tables: dict[str, Counter] = {"forward": Counter(), "backward": Counter()}
    for row in report.rows(phase=tuple(tables)):
        module = row["module"].replace("GraphModule", "Model", 1)
        tables[row["phase"]][module, row["kind"], row["group"]] += row["count"]
    return tables


#: Ways of tests/jobs/compiled_otherwise.py, and in which phases each collective is at its module. Those of the other
#: phase are counted in `not_seen`; an exported graph has no backward.
OTHERWISE = {
    "whole_step": ("forward", "backward"),
    "compiled_autograd": ("forward",),
    "exported": ("forward",),
    "interpreted": ("forward",),
    "annotated": ("forward",),
}


@pytest.mark.long
@pytest.mark.parametrize("way", OTHERWISE)
def test_other_ways_to_run_a_graph(runner: Runner, way: str) -> None:
    """Each has the eager run's table, or says of which collectives it does not know the module."""
    eager, within = (runner.shim(Job("compiled_otherwise.py", (each,))) for each in ("eager", way))
    for rank in range(2):
        assert within.outcomes[rank].status == 0, within.outcomes[rank]
        report = within.report(rank)
        found, expected = phase_tables(report), phase_tables(eager.report(rank))
        for phase in OTHERWISE[way]:
            assert found[phase] == expected[phase]
        elsewhere = sum(found[phase].total() for phase in found if phase not in OTHERWISE[way])
        unknown = {entry["reason"]: entry["count"] for entry in report.not_seen}
        assert unknown == ({"compiled_unattributed": elsewhere} if elsewhere else {})


@pytest.mark.parametrize("backend", ["aot_eager", pytest.param("inductor", marks=pytest.mark.long)])
@pytest.mark.parametrize("way", ["function", "operator", "twice", "wrapped", "step", "parametrized"])
def test_models_as_people_write_them(runner: Runner, way: str, backend: str) -> None:
    """A backward of the job's own, one module in two places, checkpoint wrappers below a compiled block, gradients that
    a compiled step sums, and parameters that are gathered when they are read: each has the rows of the eager run.
    """
    eager = runner.shim(Job("compiled_as_written.py", (way,)))
    run = runner.run(Job("compiled_as_written.py", (way, "--backend", backend)), Mode.SHIM)
    phases = ("forward", "backward", "recompute", "other")
    for rank in range(2):
        report = run.report(rank)
        assert report.not_seen == []
        for field in ("count", "bytes"):
            assert table(report, field, *phases) == table(eager.report(rank), field, *phases)


def test_parameters_that_are_gathered_when_they_are_read(runner: Runner) -> None:
    """Each gather, and the reduction of its gradient, belongs to the module whose parameter is read: 2 parameters, 2
    steps. The module that computes them has no row.
    """
    run = runner.shim(Job("compiled_as_written.py", ("parametrized",)))
    for rank in range(2):
        counts = run.report(rank).table("module", "phase", "kind", phase=("forward", "backward"))
        assert counts == {
            (module, phase, kind): 4
            for module in ("Model.layers.0", "Model.layers.1.layers.0")
            for phase, kind in (("forward", "all_gather"), ("backward", "reduce_scatter"))
        }


#: Ways of tests/jobs/compiled_parts.py, and what compiles them. Without a module there is a function alone.
PARTS = [
    ("operator", "aot_eager"),
    ("exported", "export"),
    ("eager_graph", "eager"),
    ("region", "aot_eager"),
    ("function", "aot_eager"),
    pytest.param("region", "inductor", marks=pytest.mark.long),
    pytest.param("function", "inductor", marks=pytest.mark.long),
]


@pytest.mark.parametrize(("way", "backend"), PARTS)
def test_code_that_a_compiler_does_not_look_into(runner: Runner, tmp_path: Path, way: str, backend: str) -> None:
    """Each collective is where the eager run has it, and nothing is missing."""
    cache = (("TORCHINDUCTOR_CACHE_DIR", str(tmp_path)),)
    run = runner.run(Job("compiled_parts.py", (way, "--backend", backend), variables=cache), Mode.SHIM)
    modules = {
        "function": {("Global", "other"): 3, ("Global", "backward"): 3},
        "exported": {(f"GraphModule.{name}", phase): 3 for name in "ab" for phase in ("forward", "backward")},
    }.get(way, {(f"Net.{name}", phase): 3 for name in "ab" for phase in ("forward", "backward")})
    for rank in range(2):
        report = run.report(rank)
        assert report.table("module", "phase", kind=("all_gather", "reduce_scatter")) == modules
        assert {row["phase"] for row in report.rows(kind="reduce_scatter")} == {"backward"}
        assert report.not_seen == []
        roots = {name.partition(".")[0] for name in report.names()} - {"Global", "Wrapper"}  # torch.export calls one
        assert roots == {"exported": {"GraphModule"}, "function": set()}.get(way, {"Net"})


@pytest.mark.parametrize("backend", ["eager code", "aot_eager", pytest.param("inductor", marks=pytest.mark.long)])
def test_a_function_that_communicates_in_the_backward_alone(runner: Runner, tmp_path: Path, backend: str) -> None:
    """The job has no module there, so none is missing."""
    cache = (("TORCHINDUCTOR_CACHE_DIR", str(tmp_path)),)
    run = runner.run(Job("compiled_parts.py", ("backward", "--backend", backend), variables=cache), Mode.SHIM)
    for rank in range(2):
        report = run.report(rank)
        assert report.table("module", "phase", kind="all_reduce") == {("Global", "backward"): 3}
        assert report.not_seen == []


@pytest.mark.long
def test_an_operator_of_the_job_under_inductor(runner: Runner, tmp_path: Path) -> None:
    """Nothing that a compiler traces communicates, so its files are watched only if Inductor was loaded before. Else
    the comments name the forward only, and what is not known of the backward is noted.
    """
    cache = (("TORCHINDUCTOR_CACHE_DIR", str(tmp_path)),)
    run = runner.run(Job("compiled_parts.py", ("operator", "--backend", "inductor"), variables=cache), Mode.SHIM)
    for rank in range(2):
        report = run.report(rank)
        assert report.table("module", kind="all_gather") == {"Net.a": 3, "Net.b": 3}
        missed = [(each["reason"], each["count"]) for each in report.not_seen]
        known = {"Net": 6} if missed else {"Net.a": 3, "Net.b": 3}
        assert report.table("module", kind="reduce_scatter") == known
        assert missed in ([], [("compiled_unattributed", 6)])
