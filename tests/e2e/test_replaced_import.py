# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""A script on four Gloo ranks with CommDebugMode's import replaced, with and without the preload."""

import functools
import json
from collections.abc import Iterator
from typing import Any

import pytest
from harness import Job, Mode, Run, Runner

from report import REPOSITORY

MODELS = ("mlp", "transformer")


def job(model: str, *more: str) -> Job:
    """Returns the script as a job; it finds the package as a user of the checkout does."""
    path = str(REPOSITORY / "tracker" / "python")
    return Job("context.py", ("--model", model, *more), ranks=4, variables=(("PYTHONPATH", path),))


def read(run: Run, name: str) -> Any:
    """Returns the JSON that each rank wrote, equal on all ranks."""
    assert run.ended_as_meant(), run.outcomes
    first, *others = (json.loads((run.folder / name.format(rank=rank)).read_text()) for rank in range(run.job.ranks))
    assert all(other == first for other in others)
    return first


@functools.cache
def own(runner: Runner, model: str) -> Run:
    """Runs the script with PyTorch's own mode."""
    return runner.run(job(model, "--own"), Mode.BARE)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("mode", [Mode.SHIM, Mode.BARE])
def test_replacing_the_import_is_enough(runner: Runner, model: str, mode: Mode) -> None:
    """Counts are equal; the JSON is equal where PyTorch's hooks add no ops."""
    run = runner.pair(job(model))[0 if mode is Mode.BARE else 1]
    assert read(run, "counts.{rank}") == read(own(runner, model), "counts.{rank}")
    assert read(run, "dump.{rank}.0") == read(own(runner, model), "dump.{rank}.0")
    if model == "mlp":
        for level in (1, 2):
            assert read(run, f"dump.{{rank}}.{level}") == read(own(runner, model), f"dump.{{rank}}.{level}")


def nodes(tree: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yields all modules of a dump."""
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
    """A script that only replaces its import leaves its own files and no commtap files."""
    run = runner.bare(job("mlp"))
    assert not run.output_folder.exists()
    assert not (run.folder / "commtap-out").exists()


def test_many_steps(runner: Runner) -> None:
    """Eight steps count eight times; their dump has as many ops as that of four steps."""
    few, many = (runner.run(job("mlp", "--steps", steps), Mode.SHIM) for steps in ("4", "8"))
    assert read(many, "counts.{rank}")["total"] == 2 * read(few, "counts.{rank}")["total"] == 8
    assert [len(node["operations_forward"]) for node in nodes(read(many, "dump.{rank}.3"))] == [
        len(node["operations_forward"]) for node in nodes(read(few, "dump.{rank}.3"))
    ]
