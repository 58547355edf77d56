# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""README.md shows the names that a run of its example has today, and the workflow of docs/check.md runs as it is."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from harness import COMMAND

from report import REPOSITORY

DOCS = REPOSITORY / "docs"
MODULE = re.compile(r"\bTransformer(?:\.\w+)*")

#: A job of two ranks. What it keeps prevents pytorch/pytorch#190489, as in tests/jobs/common.py.
TRAIN = """
import argparse
import gc

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int)
dist.init_process_group("gloo")
model = DistributedDataParallel(torch.nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters())
for _ in range(parser.parse_args().steps):
    optimizer.zero_grad()
    model(torch.ones(2, 4)).sum().backward()
    optimizer.step()
kept = [each for each in gc.get_objects() if issubclass(type(each), torch.Tensor)]
dist.barrier()
dist.destroy_process_group()
"""


def test_the_workflow_for_github(tmp_path: Path) -> None:
    """Its steps pass with a budget of the run, and annotate a run that is over a smaller one."""
    page = (DOCS / "check.md").read_text(encoding="utf-8")
    install, run, check, summary = re.findall(r"\brun: (.*)", page.partition("```yaml\non: ")[2].partition("```")[0])
    assert install.startswith("pip install ")
    (tmp_path / "train.py").write_text(TRAIN, encoding="utf-8")
    own = {
        "PATH": f"{COMMAND.parent}:{Path(sys.executable).parent}:{os.environ['PATH']}",
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        "OMP_NUM_THREADS": "1",
    }

    def step(command: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            command, shell=True, cwd=tmp_path, env=os.environ | own, capture_output=True, text=True, check=False
        )

    assert step(run).returncode == 0
    assert step("commtap check out --write budget.toml").returncode == 0
    passed = step(check)
    assert passed.returncode == 0
    assert re.fullmatch(r"::notice title=commtap check::all \d+ checks passed\n", passed.stdout)
    budget = tmp_path / "budget.toml"
    budget.write_text(re.sub(r"bytes = \d+", "bytes = 1", budget.read_text(encoding="utf-8")), encoding="utf-8")
    failed = step(check)
    assert failed.returncode == 1
    assert failed.stdout.startswith("::error title=commtap%3A ")
    assert step(summary).returncode == 1
    assert (tmp_path / "summary.md").read_text(encoding="utf-8").startswith("### commtap: ")


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Returns the names of the modules of one step of docs/examples/train.py."""
    folder = tmp_path_factory.mktemp("readme")
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=4"]
    job = [*launcher, DOCS / "examples" / "train.py", "--steps", "1"]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    subprocess.run([COMMAND, "run", "--out", "out", "--", *job], cwd=folder, env=environment, check=True, timeout=120)
    merge = [COMMAND, "export", "out", "--format", "job"]
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
