# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""README.md shows the names that a run of its example has today."""

import json
import os
import re
import subprocess
import sys

import pytest
from harness import COMMAND

from report import REPOSITORY

DOCS = REPOSITORY / "docs"
MODULE = re.compile(r"\bTransformer(?:\.\w+)*")


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Returns the names of the modules of one step of docs/examples/train.py."""
    folder = tmp_path_factory.mktemp("readme")
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=4"]
    job = [*launcher, DOCS / "examples" / "train.py", "--steps", "1"]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    subprocess.run([COMMAND, "run", "--out", "out", "--", *job], cwd=folder, env=environment, check=True, timeout=120)
    merge = [COMMAND, "merge", "out", "--format", "json"]
    merged = subprocess.run(merge, cwd=folder, check=True, capture_output=True, text=True)
    return {module["name"] for module in json.loads(merged.stdout)["modules"]}


def test_the_names_of_the_picture(names: set[str]) -> None:
    """`./dev screenshots` wrote them with the picture, without the names of their parents."""
    shown = (DOCS / "images" / "readme.txt").read_text(encoding="utf-8").splitlines()
    assert len(shown) > 1
    assert [each for each in shown if not any(f".{name}".endswith(f".{each}") for name in names)] == []


def test_the_names_of_the_answer(names: set[str]) -> None:
    """`Transformer.layers.*` is the name of several modules."""
    shown = set(MODULE.findall((DOCS / "examples" / "train-diff.txt").read_text(encoding="utf-8")))
    assert shown
    assert all(any(name == known or known.startswith(f"{name}.") for known in names) for name in shown)
