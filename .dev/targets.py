# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Names what ninja has to build, from Meson's own list: `targets.py BUILD unit [NAME] | e2e`.

`unit`: the unit tests and what they load; with NAME those that have a test case whose name contains it. `e2e`: all
others.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

Target = dict[str, Any]


def targets(build: Path) -> list[Target]:
    """All targets of a build tree."""
    return json.loads((build / "meson-info" / "intro-targets.json").read_text(encoding="utf-8"))


def is_unit_test(target: Target) -> bool:
    """Whether a target is a program of unit tests."""
    return target["type"] == "executable" and target["name"].startswith("test_")


def sources(target: Target) -> list[str]:
    """Paths of a target's sources."""
    return [path for part in target["target_sources"] for path in part.get("sources", [])]


def loaded_by_unit_tests(build: Path) -> list[Target]:
    """The targets that the programs of unit tests load or start, as their `test()` in meson.build declares them."""
    tests = json.loads((build / "meson-info" / "intro-tests.json").read_text(encoding="utf-8"))
    needed = {name for test in tests for name in test["depends"]}
    return [target for target in targets(build) if target["id"] in needed and not is_unit_test(target)]


def has_case(target: Target, name: str) -> bool:
    """Whether a source of a target has a test case whose name contains `name`, whatever the case of its letters."""
    for path in sources(target):
        text = Path(path).read_text(encoding="utf-8") if Path(path).is_file() else ""
        if any(name.lower() in found.lower() for found in re.findall(r'TEST_CASE\w*\(.*?"(.*?)"', text)):
            return True
    return False


def files_of(chosen: list[Target], build: Path) -> list[Path]:
    """The files of targets, relative to the build tree, which is how ninja names them."""
    return [Path(name).relative_to(build) for target in chosen for name in target["filename"]]


def unit_tests(build: Path, name: str = "") -> list[Path]:
    """The programs of unit tests; with `name` those that have such a case, or all if that cannot be told."""
    programs = [target for target in targets(build) if is_unit_test(target)]
    chosen = [target for target in programs if has_case(target, name)] if name else programs
    return files_of(chosen or programs, build)


def main() -> None:
    build, what, *name = sys.argv[1:]
    folder = Path(build).resolve()
    if what == "unit":
        found = unit_tests(folder, *name)
        found += files_of(loaded_by_unit_tests(folder), folder)
    else:
        others = [
            each
            for each in targets(folder)
            if not is_unit_test(each) and each["build_by_default"] and each["type"] not in ("alias", "run")
        ]
        found = files_of(others, folder)
    print(*found, sep="\n")


if __name__ == "__main__":
    main()
