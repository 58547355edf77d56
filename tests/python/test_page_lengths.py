# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The pages of the documentation: how many words they have, that an index lists each, and where their links lead."""

import functools
import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
DOCS = REPOSITORY / "docs"
DESIGN = DOCS / "design"
CHANGELOG = REPOSITORY / "CHANGELOG.md"
CONTRIBUTING = REPOSITORY / "CONTRIBUTING.md"

#: Every page that users and maintainers read.
PAGES = [REPOSITORY / "README.md", *sorted(DOCS.rglob("*.md"))]
USERS_PAGES = [page for page in PAGES if DESIGN not in page.parents]
INDEXES = [DOCS / "README.md", *(DOCS / folder / "README.md" for folder in ("dashboards", "design", "examples"))]

USERS_WORDS = 36_000
ALL_WORDS = 48_000

#: A line of each page that `./dev docs` makes from tables in the code.
GENERATED = re.compile(r"<!-- [^>]*`\./dev docs`[^>]* -->")
#: A part of a page that is made, as from `<!-- fields: job -->` to `<!-- end of fields -->`.
MADE = re.compile(r"<!-- (\w+)[^>]* -->.*?<!-- end of (?:the )?\1 -->", re.DOTALL)
FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
HEADING = re.compile(r"^#{1,6} +(.*?) *#*$", re.MULTILINE)
LINK = re.compile(r"\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]*))?\)")


def name_of(page: Path) -> str:
    return str(page.relative_to(REPOSITORY))


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def words_by_hand(page: Path) -> int:
    """Returns how many words of a page are not made by a command."""
    text = text_of(page)
    return 0 if GENERATED.search(text) else len(MADE.sub("", text).split())


def longest(words: dict[str, int]) -> str:
    """Returns the sum, and the number of words of each page, the longest first."""
    rows = sorted(words.items(), key=lambda row: -row[1])
    return "\n".join([f"{sum(words.values())} words", *(f"{count:6} {name}" for name, count in rows)])


@functools.cache
def anchors_of(page: Path) -> set[str]:
    """Returns the anchors of a page's headings, as GitHub makes them: a repeated one gets a number."""
    found: dict[str, int] = {}
    anchors = set()
    for heading in HEADING.findall(FENCE.sub("", text_of(page))):
        text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        anchor = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        before = found.get(anchor, 0)
        anchors.add(f"{anchor}-{before}" if before else anchor)
        found[anchor] = before + 1
    return anchors


@pytest.mark.parametrize(
    ("pages", "most"),
    [pytest.param(USERS_PAGES, USERS_WORDS, id="of users"), pytest.param(PAGES, ALL_WORDS, id="all")],
)
def test_pages_are_short(pages: list[Path], most: int) -> None:
    """A new fact takes the place of words that say a thing twice; generated pages and parts do not count."""
    words = {name_of(page): words_by_hand(page) for page in pages}
    assert sum(words.values()) <= most, f"at most {most} words, found {longest(words)}"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_marks_have_their_ends(page: Path) -> None:
    """Each mark begins or ends a part that is made: no words are left out, or counted, by a misspelt mark."""
    text = GENERATED.sub("", text_of(page))
    assert re.findall(r"<!--.*?-->", MADE.sub("", text)) == []


@pytest.mark.parametrize("index", INDEXES, ids=name_of)
def test_each_page_is_in_the_index_of_its_folder(index: Path) -> None:
    """A page that no index lists is not found. docs/README.md also lists the indexes of the folders."""
    linked = {(index.parent / path).resolve() for path, _ in LINK.findall(text_of(index)) if path}
    pages = set(index.parent.glob("*.md")) | (set(INDEXES) if index == INDEXES[0] else set())
    assert sorted(name_of(page) for page in pages - linked - {index}) == []


def test_each_folder_of_pages_has_an_index() -> None:
    """Every page is next to an index that lists it."""
    assert {page.parent for page in DOCS.rglob("*.md")} == {index.parent for index in INDEXES}


@pytest.mark.parametrize("page", [*PAGES, CHANGELOG, CONTRIBUTING], ids=name_of)
def test_links_lead_to_files_and_headings(page: Path) -> None:
    """Each relative link leads to a file of the repository, and its anchor to a heading of that page."""
    wrong = []
    for path, anchor in LINK.findall(FENCE.sub("", text_of(page))):
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in anchors_of(target)):
            wrong.append(f"{path}#{anchor}" if anchor else path)
    assert wrong == []
