# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The files of tools/packaging, as far as they can be run without Slurm, Kubernetes and Docker."""

import re
import subprocess
from pathlib import Path

import pytest

from report import REPOSITORY

FOLDER = REPOSITORY / "tools" / "packaging"
TEXTS = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.iterdir()}


def prolog(folder: Path, preload: str = "", **more: str) -> list[str]:
    """Returns what Slurm reads from the prolog, with an installation in a folder.

    The shell sets LD_PRELOAD without exporting it: there is no such library to preload.
    """
    done = subprocess.run(
        ["sh", "-c", 'LD_PRELOAD=$1; . "$0"', FOLDER / "slurm-task-prolog.sh", preload],
        env={"COMMTAP_FOLDER": str(folder)} | more,
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


@pytest.fixture
def library(tmp_path: Path) -> Path:
    path = tmp_path / "lib" / "commtap" / "libcommtap.so"
    path.parent.mkdir(parents=True)
    path.touch()
    return path


def test_task_prolog(library: Path, tmp_path: Path) -> None:
    """A task gets the preload and a folder; what the job has set stays."""
    assert prolog(tmp_path) == [f"export LD_PRELOAD={library}", "export COMMTAP_OUT=/scratch/commtap/%j"]
    assert prolog(tmp_path, "libother.so", COMMTAP_OUT="mine") == [f"export LD_PRELOAD=libother.so:{library}"]


@pytest.mark.parametrize("variables", [{"COMMTAP": "0"}, {"COMMTAP": "off"}, {"preload": "/my/libcommtap.so"}])
def test_task_prolog_leaves_a_job_alone(library: Path, tmp_path: Path, variables: dict[str, str]) -> None:
    assert prolog(tmp_path, **variables) == []


def test_task_prolog_without_commtap(tmp_path: Path) -> None:
    """The preload of a file that does not exist would print a line in every process of the job."""
    assert prolog(tmp_path) == []


def test_every_recipe_has_the_layout_of_the_archive() -> None:
    """The preloaded library is lib/commtap/libcommtap.so below the folder of the installation, in pages too."""
    pages = {path.name: path.read_text(encoding="utf-8") for path in (REPOSITORY / "docs" / "dashboards").glob("*.md")}
    places = [place for text in [*TEXTS.values(), *pages.values()] for place in re.findall(r"/\S*libcommtap\.so", text)]
    assert places
    assert all(place.endswith("lib/commtap/libcommtap.so") for place in places)


def test_recipes_do_not_preload_into_images() -> None:
    """An ENV LD_PRELOAD would also be in every later step of a build."""
    for name in ("Dockerfile", "commtap.def"):
        assert not re.search(r"^\s*(ENV|export) .*LD_PRELOAD", TEXTS[name], re.MULTILINE)
