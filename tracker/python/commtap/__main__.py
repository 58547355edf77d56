# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""`python -m commtap`, and the script `commtap` of an installed wheel: becomes the command line, which is a program."""

import os
import sys

from commtap.locations import command_path


def main() -> None:
    """Replaces this process by the command line, with this process's arguments."""
    path = command_path()
    if not path.is_file():
        sys.exit(f"commtap: {path} is missing: install or build all of commtap")
    started_by = {"COMMTAP_STARTED_BY": sys.executable} if sys.executable else {}
    os.execve(path, [str(path), *sys.argv[1:]], {**os.environ, **started_by})


if __name__ == "__main__":
    main()
