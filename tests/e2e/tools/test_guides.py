# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Every path and test that CONTRIBUTING.md and the pages of docs/ name exists, and every command of CONTRIBUTING.md."""

import re
import shlex
from pathlib import Path

import pytest

from report import REPOSITORY

DOCS = REPOSITORY / "docs"
GUIDES = [REPOSITORY / "CONTRIBUTING.md", *sorted((DOCS / "design").glob("*.md"))]
PAGES = [REPOSITORY / "README.md", *GUIDES, *sorted(DOCS.glob("*.md"))]
#: A file or folder of the repository in backticks.
PATH = re.compile(r"`((?:shim|tracker|report|tools|tests|docs|\.dev)/[a-z0-9_./-]*)[`:#]")
#: A file in backticks that is named without its folder.
FILE = re.compile(r"`([\w-]+\.(?:cc|c|h|py|js|md|txt|toml|build|json))`")
#: What CONTRIBUTING.md names of the code: `kConstant`, `function()`, `NAME`.
IDENTIFIER = re.compile(r"`(?:\w+::)*(k[A-Z]\w+|[a-z]\w+\(\)|[A-Z][A-Z_]+)(?:<\w+>)?`")
TEST_FILE = re.compile(r"`(test_\w+\.(?:py|cc))(?:::(test_\w+))?[\[`]")
TEST = re.compile(r"`(?:[\w/]*/)?(?:test_\w+\.py::)?(test_\w+)(?:\[\w+\])?`")

PROGRAMS = {"test_report", "test_job", "test_tools", "test_tracker", "test_shim"}
SOURCES = [
    path
    for folder in ("shim", "tracker", "report", "tools", "tests", ".dev")
    for path in (REPOSITORY / folder).rglob("*")
    if path.suffix in (".cc", ".c", ".h", ".py", ".js", ".sh", ".txt", ".build") and "vendor" not in path.parts
]
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
    programs = {path.stem for path in TEST_FILES.values()} | PROGRAMS
    assert set(TEST.findall(text)) - TEST_NAMES - programs == set()
    for file, test in TEST_FILE.findall(text):
        assert not test or f"def {test}(" in TEST_FILES[file].read_text(encoding="utf-8"), f"{file}::{test}"


def test_the_answer_of_the_readme_is_what_commtap_says() -> None:
    """README.md quotes the file that `./dev screenshots` writes from two real runs."""
    answer = (DOCS / "examples" / "train-diff.txt").read_text(encoding="utf-8")
    assert f"```\n{answer}```\n" in (REPOSITORY / "README.md").read_text(encoding="utf-8")


def commands_of(text: str, program: str) -> list[list[str]]:
    """Returns the arguments of each call of a program, in backticks or on an indented line of its own."""
    calls = re.findall(
        rf"(?:`|^    )(?:[A-Z_]+=\S+ )*{re.escape(program)}((?: [^`\n]+(?:\n[^`\n]+)??)?)(?:`|$)", text, re.M
    )
    return [shlex.split(call) for call in calls]


def unit_tests() -> list[str]:
    files = [path for path in (REPOSITORY / "tests" / "unit").rglob("test_*.cc")]
    return [
        name for path in files for name in re.findall(r'TEST_CASE\w*\(\s*"(.*?)"', path.read_text(encoding="utf-8"))
    ]


def verbs_of_dev() -> set[str]:
    cases = (REPOSITORY / "dev").read_text(encoding="utf-8").partition("\ncase ")[2]
    return set(re.findall(r"^  (\w+)(?= [|)]|\))", cases, re.M))


def test_named_commands_exist() -> None:
    """Each `./dev` of CONTRIBUTING.md has its verb, its options, its files and its tests."""
    scripts = "".join(
        path.read_text(encoding="utf-8")
        for path in [REPOSITORY / "dev", *(each for each in SOURCES if each.suffix in (".sh", ".py"))]
    )
    commands = commands_of(GUIDES[0].read_text(encoding="utf-8"), "./dev")
    assert len(commands) > 30
    names = unit_tests()
    for verb, *arguments in filter(None, commands):
        assert verb in verbs_of_dev(), f"./dev {verb}"
        for argument in arguments:
            is_example = argument.startswith(".venv") or argument == "gpu-results.json"
            if argument.startswith("tests/"):
                assert (REPOSITORY / argument).exists(), argument
            elif argument.startswith("--"):
                assert argument == "--help" or f'"{argument}"' in scripts, f"./dev {verb} {argument}"
            elif re.fullmatch(r"[a-z_]+", argument) and not is_example:
                assert re.search(rf"\b{argument}\b", scripts), f"./dev {verb} {argument}"
        if (verb, *arguments[:1]) == ("test", "unit") and len(arguments) > 1:
            assert any(arguments[1] in name for name in names), arguments[1]
        if "-k" in arguments:
            file = next(each for each in arguments if each.startswith("tests/"))
            assert f"def {arguments[-1]}" in (REPOSITORY / file).read_text(encoding="utf-8"), arguments[-1]


def test_named_programs_exist() -> None:
    """Calls of pytest name files of the repository, and those of unit tests a program that the build makes."""
    text = GUIDES[0].read_text(encoding="utf-8")
    files = [file for arguments in commands_of(text, ".venv/bin/pytest") for file in arguments if "/" in file]
    programs = set(re.findall(r"build/tests/unit/(\w+) -", text))
    assert files
    assert programs
    assert [file for file in files if not (REPOSITORY / file).exists()] == []
    assert programs - PROGRAMS == set()


def test_named_choices_of_unit_tests_find_some() -> None:
    text = GUIDES[0].read_text(encoding="utf-8")
    cases = re.findall(r"--test-case='\*(.*?)\*'", text)
    files = re.findall(r"--source-file='\*(.*?)'", text)
    assert cases
    assert files
    assert [case for case in cases if not any(case in name for name in unit_tests())] == []
    assert [file for file in files if not any(str(path).endswith(file) for path in SOURCES)] == []


def test_named_files_and_names_exist() -> None:
    """A recipe that names a function or a table which is gone sends its reader nowhere."""
    text = GUIDES[0].read_text(encoding="utf-8")
    known = {path.name for path in [*SOURCES, *REPOSITORY.glob("*"), *DOCS.rglob("*")]}
    assert sorted(set(FILE.findall(text)) - known) == []
    words = set(re.findall(r"\w+", "\n".join(path.read_text(encoding="utf-8", errors="replace") for path in SOURCES)))
    words |= set(re.findall(r"\w+", "".join((REPOSITORY / each).read_text() for each in ("dev", "pyproject.toml"))))
    assert sorted({name.rstrip("()") for name in IDENTIFIER.findall(text)} - words) == []
