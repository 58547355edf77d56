# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Prints the targets that ninja has to build, from Meson's list: `targets.py BUILD unit [NAME] | programs | e2e`.

`unit`: the unit tests and the targets that they load; with NAME only programs with a case whose name contains NAME, and
with the environment variable UNIT_TESTS only the programs that it names. `e2e`: all other targets. `programs`: those of
them that the tests of an installed commtap need, which are the targets of tests/ and the stub.
"""

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

Target = dict[str, Any]


def targets(build: Path) -> list[Target]:
    """Returns all targets of a build tree."""
    return json.loads((build / "meson-info" / "intro-targets.json").read_text(encoding="utf-8"))


def is_unit_test(target: Target) -> bool:
    """Returns True if a target is a unit test program."""
    return target["type"] == "executable" and target["name"].startswith("test_")


def sources(target: Target) -> list[Path]:
    """Returns the paths of a target's sources: `unity_sources` are those that are compiled in units of several."""
    kinds = ("sources", "unity_sources")
    return [Path(path) for part in target["target_sources"] for kind in kinds for path in part.get(kind, [])]


def loaded_by(programs: list[Path], build: Path) -> list[Target]:
    """Returns the targets that unit tests load or start, as declared by `depends` of `test()` in meson.build."""
    tests = json.loads((build / "meson-info" / "intro-tests.json").read_text(encoding="utf-8"))
    chosen = {str(build / program) for program in programs}
    needed = {name for test in tests if test["cmd"][0] in chosen for name in test["depends"]}
    return [target for target in targets(build) if target["id"] in needed and not is_unit_test(target)]


def has_case_in(files: list[Path], name: str) -> bool:
    """Returns True if one of some sources has a test case whose name contains `name`; ignores case."""
    for path in files:
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        if any(name.lower() in found.lower() for found in re.findall(r'TEST_CASE\w*\(.*?"(.*?)"', text)):
            return True
    return False


def has_case(target: Target, name: str) -> bool:
    """Returns True if a target has a test case whose name contains `name`."""
    return has_case_in(sources(target), name)


def files_of(chosen: list[Target], build: Path) -> list[Path]:
    """Returns the files of targets as ninja names them: relative to the build tree."""
    return [Path(name).relative_to(build) for target in chosen for name in target["filename"]]


def unit_tests(build: Path, name: str = "") -> list[Path]:
    """Returns the unit test programs with a case whose name contains `name`. Ends the script if there is none."""
    named = os.environ.get("UNIT_TESTS", "").split()
    tests = [each for each in targets(build) if is_unit_test(each) and (not named or each["name"] in named)]
    chosen = [target for target in tests if has_case(target, name)] if name else tests
    if not chosen:
        sys.exit(f"no unit test has {name!r} in its name")
    return files_of(chosen, build)


def other_targets(build: Path) -> list[Target]:
    """Returns what is built by default, without the unit tests."""
    return [
        each
        for each in targets(build)
        if not is_unit_test(each) and each["build_by_default"] and each["type"] not in ("alias", "run")
    ]


def programs(build: Path) -> list[Path]:
    """Returns the files that the tests of an installed commtap need."""
    files = files_of(other_targets(build), build)
    return [path for path in files if path.parts[0] in ("tests", "shim") and path.parts[1] != "unit"]


def main() -> None:
    build, what, *name = sys.argv[1:]
    folder = Path(build).resolve()
    if what == "unit":
        found = unit_tests(folder, *name)
        found += files_of(loaded_by(found, folder), folder)
    else:
        found = programs(folder) if what == "programs" else files_of(other_targets(folder), folder)
    print(*found, sep="\n")


if __name__ == "__main__":
    main()
