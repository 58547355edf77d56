# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""COMMTAP_LABELS: the chosen labels become modules; torch's own labels keep their meaning at every value."""

import pytest
from harness import Job, Runner

#: Weight and bias in each of two steps, by a hook that torch calls inside its label of the step.
GRADIENTS = 4


def all_reduces(runner: Runner, labels: str | None) -> dict[tuple[str, str], int]:
    job = Job("labels.py", variables=() if labels is None else (("COMMTAP_LABELS", labels),))
    report = runner.shim(job).report()
    return {(row["module"], row["phase"]): row["count"] for row in report.collectives if row["kind"] == "all_reduce"}


@pytest.mark.parametrize("labels", [None, "auto", "off"])
def test_in_python_the_modules_are_the_hierarchy(runner: Runner, labels: str | None) -> None:
    counts = all_reduces(runner, labels)
    assert counts["Mixer", "forward"] == 2 * 2
    assert {module for module, _ in counts} == {"Global", "Mixer", "Mixer.layer"}
    assert counts["Mixer.layer", "optimizer"] == GRADIENTS


def test_labels_are_modules_where_they_are_asked_for(runner: Runner) -> None:
    counts = all_reduces(runner, "scopes")
    assert counts["Mixer.mix", "forward"] == 2
    assert counts["Mixer", "forward"] == 2
    assert counts["evaluate", "forward"] == 1
    assert counts["Mixer.layer", "optimizer"] == GRADIENTS
    assert not [module for module, _ in counts if "Optimizer" in module]
