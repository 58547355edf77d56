# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Output of commands names pages by `commtap help NAME`, which an installation has, and each of these pages exists."""

import re
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
DOCS = REPOSITORY / "docs"
SOURCES = [
    path
    for folder in ("report", "shim", "tools", "tracker")
    for path in (REPOSITORY / folder).rglob("*")
    if path.suffix in (".c", ".cc", ".h")
]
#: `commtap options` writes files of the checkout, and the folder of the pages has an index.
OF_THE_CHECKOUT = {REPOSITORY / "tools/docs/cmd_options.cc", REPOSITORY / "tools/help/doc_pages.cc"}
LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"')


def printed(path: Path) -> str:
    """Returns the string literals of a source, joined as the compiler joins those of several lines."""
    lines = [line.split(" //")[0] for line in path.read_text(encoding="utf-8").splitlines()]
    code = "\n".join(line for line in lines if not line.lstrip().startswith(("//", "*", "/*", "#include")))
    return "\n".join(each.group()[1:-1] for each in LITERAL.finditer(re.sub(r'"\s*\n\s*"', "", code)))


def test_no_output_names_a_file_of_the_checkout() -> None:
    found = [
        f"{path.relative_to(REPOSITORY)}: {name}"
        for path in SOURCES
        if path not in OF_THE_CHECKOUT
        for name in re.findall(r"docs/[\w./-]+", printed(path))
    ]
    assert found == []


def test_named_pages_exist() -> None:
    """A name may lack its folder, as `commtap help` accepts it."""
    names = {
        name.rstrip(".") for path in SOURCES for name in re.findall(r"commtap help ([a-z][\w./-]*)", printed(path))
    }
    known = {str(path.relative_to(DOCS)) for path in DOCS.rglob("*") if path.is_file()}
    ends = {part for path in known for part in (path, path.rpartition("/")[2])}
    names.discard("lists")  # the verb of a sentence
    missing = {name for name in names if name not in ends and f"{name}.md" not in ends}
    assert "timing" in names
    assert missing == set()
