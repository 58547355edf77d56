# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Links programs of unit tests from a part of their sources: `part_of_tests.py BUILD NAME inputs | link`.

A part has the test cases whose names contain NAME, the others of the same units, and the sources without test cases.
Compiling all of a program takes minutes. `inputs` prints what ninja has to build for the parts, and `link` their paths.
"""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

from targets import files_of, has_case_in, loaded_by, unit_tests


def sources_in(compiled: Path) -> list[Path]:
    """Returns the sources that a unit consists of: those that it includes, or itself."""
    if "-unity" not in compiled.name:
        return [compiled]
    return [Path(name) for name in re.findall(r"^#include<(.*)>$", compiled.read_text(encoding="utf-8"), re.MULTILINE)]


def is_needed(compiled: Path, name: str) -> bool:
    """Returns True unless a unit has only test cases, and none of that name."""
    sources = sources_in(compiled)
    return any(not each.name.startswith("test_") for each in sources) or has_case_in(sources, name)


def command_of_link(build: Path, program: Path) -> list[str]:
    """Returns the linker's command for a program."""
    done = subprocess.run(["ninja", "-t", "commands", program], cwd=build, check=True, capture_output=True, text=True)
    return shlex.split(done.stdout.splitlines()[-1])


def left_out(build: Path, program: Path, name: str) -> set[str]:
    """Returns the objects of a program that a part does not need."""
    units = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    own = [unit for unit in units if unit["output"].startswith(f"{program}.p/")]
    return {unit["output"] for unit in own if not is_needed(build / unit["file"], name)}


def part_of(build: Path, program: Path, name: str) -> tuple[Path, list[str]]:
    """Returns the path of a program's part, relative to the build tree, and the command that links it."""
    unneeded, part = left_out(build, program, name), Path(f"{program}-part")
    command = [word for word in command_of_link(build, program) if word not in unneeded]
    command[command.index("-o") + 1] = str(part)
    return part, command


def inputs_of(command: list[str]) -> list[str]:
    """Returns the files in a linker's command that ninja makes."""
    files = [word for word in command if word.endswith((".o", ".a", ".so")) or ".so." in word]
    return [word for word in files if not word.startswith(("/", "-"))]


def main() -> None:
    build, name, what = Path(sys.argv[1]).resolve(), *sys.argv[2:]
    programs = unit_tests(build, name)
    parts = [part_of(build, program, name) for program in programs]
    if what == "inputs":
        made = [word for _, command in parts for word in inputs_of(command)]
        print(*dict.fromkeys(made), *files_of(loaded_by(programs, build), build), sep="\n")
        return
    for part, command in parts:
        subprocess.run(command, cwd=build, check=True)
        print(part)


if __name__ == "__main__":
    main()
