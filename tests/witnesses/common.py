# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The command line of the programs in this folder, and the environment of the jobs and tests that they run."""

import argparse
import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Choice:
    """The arguments of the command line, with absolute paths."""

    #: Takes sources, outputs and reports.
    folder: Path
    shim: Path
    #: commtap's command line.
    command: Path
    #: Those named on the command line, or all.
    names: list[str]


def read_command_line(description: str, metavar: str, names: list[str]) -> Choice:
    """Returns the choice; ends the process if the command line names something that does not exist."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--build", type=Path, required=True, help="the build folder")
    parser.add_argument("names", nargs="*", metavar=metavar, help=", ".join(names))
    arguments = parser.parse_args()
    if unknown := set(arguments.names) - set(names):
        parser.error(f"not in the list: {', '.join(sorted(unknown))}: choose from {', '.join(names)}")
    build = arguments.build.resolve()
    library = build / "shim" / "libcommtap.so"
    if not library.is_file():
        parser.error(f"{library} is missing: build commtap first")
    command = build / "tools" / "commtap"
    return Choice(build / "witnesses", library, command, [name for name in names if name in (arguments.names or names)])


def environment(library: Path | None, reports: Path) -> dict[str, str]:
    """Returns this process's environment, with the shim and the folder of its reports if there is a library."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("LD_PRELOAD", "COMMTAP"))}
    variables |= {"OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    if library:
        variables |= {"LD_PRELOAD": str(library), "COMMTAP_OUT": str(reports)}
    return variables
