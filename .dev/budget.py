# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Counts the lines of the product against .dev/budget.txt: `budget.py`. Ends with 1 if there are more than it allows.

The product is shim, tracker, report and tools. Its code and its other text files are counted apart, so that lines do
not move from one to the other; files of others (vendor) and generated ones are left out.
"""

import re
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
BUDGET = REPOSITORY / ".dev" / "budget.txt"
FOLDERS = ("shim", "tracker", "report", "tools")
CODE = (".c", ".cc", ".h", ".py", ".js", ".css")
GENERATED = (".ptx",)


def files() -> list[Path]:
    """Returns the files of the product that are the project's own and written by hand."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *FOLDERS]
    listed = subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True, text=True).stdout.splitlines()
    found = [REPOSITORY / name for name in listed if "/vendor/" not in name and not name.endswith(GENERATED)]
    return [path for path in found if path.is_file()]


def lines(path: Path) -> int:
    """Returns the number of lines of a text file; 0 for any other."""
    text = path.read_bytes()
    return 0 if b"\0" in text else text.count(b"\n")


def main() -> int:
    counted = {"code": 0, "other text": 0}
    for path in files():
        counted["code" if path.suffix in CODE else "other text"] += lines(path)
    allowed = {name: int(number) for number, name in re.findall(r"^(\d+) ([a-z ]+)", BUDGET.read_text(), re.MULTILINE)}
    over = [name for name in counted if counted[name] > allowed[name]]
    for name in over:
        print(f"{counted[name]} lines of {name}: {allowed[name]} in .dev/budget.txt. Take out what no user misses.")
    return len(over) > 0


if __name__ == "__main__":
    sys.exit(main())
