# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The one ending for which the harness runs a job again: PyTorch's own abort, which the shim does not make likelier."""

import signal
import subprocess
from pathlib import Path

import pytest
from exact_test import chance_of_as_many
from harness import Job, Mode, Outcome, Run, Runner

#: Meets pytorch/pytorch#190489 in about half of its runs.
JOB = Job("last_tensor.py")
SAID = b"terminate called without an active exception\n"
UNLIKELY = 0.01


def ended(*outcomes: tuple[int, bytes], status: int = 0) -> Run:
    """A run whose ranks have these statuses and stderr."""
    outcome_list = [Outcome(each, b"", stderr) for each, stderr in outcomes]
    return Run(Job("last_tensor.py", status=status), Mode.SHIM, Path(), outcome_list)


def test_only_pytorchs_abort_is_run_again() -> None:
    """Any other ending of any rank fails the test that asked for the run."""
    abort = -signal.SIGABRT
    assert ended((abort, SAID), (0, b"")).ended_by_torch()
    assert ended((abort, SAID), (abort, b"a warning\n" + SAID)).ended_by_torch()
    assert not ended((0, b""), (0, SAID)).ended_by_torch(), "it ended as meant"
    assert not ended((abort, b""), (0, b"")).ended_by_torch(), "another abort"
    assert not ended((-signal.SIGSEGV, SAID), (0, b"")).ended_by_torch(), "another signal"
    assert not ended((abort, SAID), (1, b"")).ended_by_torch(), "the other rank failed"
    assert not ended((abort, SAID), (abort, b""), status=abort).ended_by_torch(), "the job aborts by itself"


def test_exact_test() -> None:
    """Fisher's tea example, and the rates that fifty pairs can distinguish."""
    assert chance_of_as_many(1, 3, 4) == pytest.approx(17 / 70)
    assert chance_of_as_many(0, 0, 50) == 1
    assert chance_of_as_many(0, 6, 50) == pytest.approx(0.0134, abs=1e-4)
    assert chance_of_as_many(0, 7, 50) < UNLIKELY, "a shim that breaks one run in seven"
    assert chance_of_as_many(20, 33, 50) < UNLIKELY < chance_of_as_many(20, 31, 50)


def bare_run(runner: Runner) -> Run:
    """Returns a run that ends. On a busy machine a rank may wait in Gloo for ever for the one that has aborted."""
    try:
        return runner.run(JOB, Mode.BARE)
    except subprocess.TimeoutExpired:
        return runner.run(JOB, Mode.BARE)


def compare(runner: Runner, pairs: int) -> None:
    """Fails if runs under the shim end by the abort more often than bare ones, beyond chance."""
    aborts = dict.fromkeys((Mode.BARE, Mode.SHIM), 0)
    for _ in range(pairs):
        for mode in aborts:
            run = bare_run(runner) if mode is Mode.BARE else runner.run(JOB, mode)
            assert run.ended_as_meant() or run.ended_by_torch(), run.outcomes
            aborts[mode] += run.ended_by_torch()
    chance = chance_of_as_many(aborts[Mode.BARE], aborts[Mode.SHIM], pairs)
    assert chance > UNLIKELY, f"of {pairs} runs each, {aborts} ended by pytorch#190489: p = {chance:.4f}"


def test_no_other_ending(runner: Runner) -> None:
    """A few pairs: no run ends in any other way. They cannot distinguish the rates."""
    compare(runner, pairs=2)


@pytest.mark.long
def test_the_shim_does_not_make_it_likelier(runner: Runner) -> None:
    """Fifty fresh pairs."""
    compare(runner, pairs=50)
