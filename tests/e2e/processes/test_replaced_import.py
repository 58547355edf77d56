# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""A script of Gloo ranks in which the import of CommDebugMode is replaced: preloaded, and loading by itself."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from harness import PACKAGE, Job, Mode, Run, Runner

#: How many ranks each model has.
MODELS = {"mlp": 4, "transformer": 2}


def job(model: str, *more: str, ranks: int = 0) -> Job:
    """The script with a model; it finds the package on the path."""
    arguments = ("--model", model, *more)
    return Job("context.py", arguments, ranks=ranks or MODELS[model], variables=(("PYTHONPATH", str(PACKAGE)),))


def read(run: Run, name: str) -> Any:
    """A JSON file that each rank wrote; the same on all."""
    assert run.ended_as_meant(), run.outcomes
    first, *others = (json.loads((run.folder / name.format(rank=rank)).read_text()) for rank in range(run.job.ranks))
    assert all(other == first for other in others)
    return first


def own(runner: Runner, model: str) -> Run:
    """PyTorch's own mode, which needs nothing of ours."""
    return runner.bare(Job("context.py", ("--model", model, "--own"), ranks=MODELS[model]))


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("mode", [Mode.SHIM, Mode.BARE])
def test_replacing_the_import_is_enough(runner: Runner, model: str, mode: Mode) -> None:
    """Same counts; the same JSON where PyTorch's hooks put nothing in."""
    run = runner.bare(job(model)) if mode is Mode.BARE else runner.shim(job(model))
    assert read(run, "counts.{rank}") == read(own(runner, model), "counts.{rank}")
    assert read(run, "dump.{rank}.0") == read(own(runner, model), "dump.{rank}.0")
    if model == "mlp":
        for level in (1, 2):
            assert read(run, f"dump.{{rank}}.{level}") == read(own(runner, model), f"dump.{{rank}}.{level}")


def nodes(tree: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """All modules of a dump."""
    yield tree
    for child in tree["children"]:
        yield from nodes(child)


def test_a_context_and_the_report_agree(runner: Runner) -> None:
    """The preloaded tracker's report of the whole job equals the context's counts of training."""
    run = runner.shim(job("transformer"))
    report = run.report()
    for node in nodes(read(run, "dump.{rank}.0")):
        for key, phase in (("collectives_forward", "forward"), ("collectives_backward", "backward")):
            expected = sum(count for _, count in node[key])
            assert report.inclusive(node["fqn"], phase=phase) == expected, (node["fqn"], phase)


def test_without_preload_no_report_is_left(runner: Runner) -> None:
    """A script that only replaced its import leaves the files that it wrote, and none of commtap's."""
    run = runner.bare(job("mlp"))
    assert not run.output_folder.exists()
    assert not (run.folder / "commtap-out").exists()


def test_many_steps(runner: Runner) -> None:
    """Eight steps count eight times; the dump has as many ops as the dump of four steps."""
    few, many = (runner.run(job("mlp", "--steps", steps, ranks=2), Mode.SHIM) for steps in ("4", "8"))
    assert read(many, "counts.{rank}")["total"] == 2 * read(few, "counts.{rank}")["total"] == 8
    assert [len(node["operations_forward"]) for node in nodes(read(many, "dump.{rank}.3"))] == [
        len(node["operations_forward"]) for node in nodes(read(few, "dump.{rank}.3"))
    ]
