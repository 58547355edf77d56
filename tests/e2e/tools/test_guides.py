# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Every path, test and link that CONTRIBUTING.md and the pages of docs/ name exists."""

import re
from pathlib import Path

import pytest

from report import REPOSITORY

DOCS = REPOSITORY / "docs"
GUIDES = [REPOSITORY / "CONTRIBUTING.md", *sorted((DOCS / "design").glob("*.md"))]
PAGES = [REPOSITORY / "README.md", *GUIDES, *sorted(DOCS.glob("*.md"))]
#: A file or folder of the repository in backticks.
PATH = re.compile(r"`((?:shim|tracker|report|tools|tests|docs)/[a-z0-9_./-]*)[`:#]")
TEST_FILE = re.compile(r"`(test_\w+\.(?:py|cc))(?:::(test_\w+))?[\[`]")
TEST = re.compile(r"`(?:[\w/]*/)?(?:test_\w+\.py::)?(test_\w+)(?:\[\w+\])?`")
LINK = re.compile(r"\]\((?!https?:)([^)#]+)")

PROGRAMS = {"test_report", "test_job", "test_tools", "test_tracker", "test_shim"}
TEST_FILES = {path.name: path for path in (REPOSITORY / "tests").rglob("test_*.*")}
TEST_NAMES = {
    name
    for path in TEST_FILES.values()
    if path.suffix == ".py"
    for name in re.findall(r"def (test_\w+)", path.read_text(encoding="utf-8"))
}


def name_of(page: Path) -> str:
    return str(page.relative_to(REPOSITORY))


@pytest.mark.parametrize("page", GUIDES, ids=name_of)
def test_named_paths_exist(page: Path) -> None:
    """A recipe that names a file which was moved sends its reader nowhere."""
    named = set(PATH.findall(page.read_text(encoding="utf-8")))
    assert [path for path in sorted(named) if not (REPOSITORY / path).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_named_tests_exist(page: Path) -> None:
    """A page that says "shown by" names a test that is there."""
    text = page.read_text(encoding="utf-8")
    missing = [file for file, _ in TEST_FILE.findall(text) if file not in TEST_FILES]
    assert missing == []
    programs = {path.stem for path in TEST_FILES.values()} | {
        "test_report",
        "test_job",
        "test_tools",
        "test_tracker",
        "test_shim",
    }
    assert set(TEST.findall(text)) - TEST_NAMES - programs == set()
    for file, test in TEST_FILE.findall(text):
        assert not test or f"def {test}(" in TEST_FILES[file].read_text(encoding="utf-8"), f"{file}::{test}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_linked_files_exist(page: Path) -> None:
    """Relative links lead to files of the repository."""
    links = set(LINK.findall(page.read_text(encoding="utf-8")))
    assert [link for link in sorted(links) if not (page.parent / link).exists()] == []


def test_the_answer_of_the_readme_is_what_commtap_says() -> None:
    """README.md quotes the file that `./dev screenshots` writes from two real runs."""
    answer = (DOCS / "examples" / "train-diff.txt").read_text(encoding="utf-8")
    assert f"```\n{answer}```\n" in (REPOSITORY / "README.md").read_text(encoding="utf-8")


def test_every_mechanism_is_in_the_index() -> None:
    """docs/design/README.md links each page next to it."""
    index = DOCS / "design" / "README.md"
    links = set(LINK.findall(index.read_text(encoding="utf-8")))
    assert {page.name for page in index.parent.glob("*.md")} - links == {"README.md"}
