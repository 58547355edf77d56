# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Prints the sources that a change can affect: those that differ from the base, and those that include one of them.

The base is the commit where this branch left origin's main branch; on the main branch, the previous commit. Prints all
sources if there is no base, or with the argument `all`.
"""

import re
import subprocess
import sys
from pathlib import Path

FOLDERS = ("shim", "tracker", "report", "tools")


def git(*arguments: str) -> list[str]:
    """Returns the lines that git prints; none if git fails."""
    done = subprocess.run(["git", *arguments], capture_output=True, text=True)
    return done.stdout.splitlines() if done.returncode == 0 else []


def base() -> str | None:
    """Returns the commit to compare with."""
    head = git("rev-parse", "HEAD")
    left = git("merge-base", "HEAD", "origin/HEAD")
    found = left if left and left != head else git("rev-parse", "--verify", "--quiet", "HEAD~1")
    return found[0] if found else None


def sources() -> list[str]:
    """Returns all C and C++ sources and headers of commtap."""
    listed = git("ls-files", "--cached", "--others", "--exclude-standard", "--", *FOLDERS)
    return [path for path in listed if path.endswith((".c", ".cc", ".h")) and Path(path).is_file()]


def includes(path: str) -> set[str]:
    """Returns the files that a source includes directly, relative to the repository."""
    text = Path(path).read_text(encoding="utf-8")
    names = re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, re.MULTILINE)
    folder = Path(path).parent
    return {str(each) for name in names for each in (Path(name), folder / name) if each.is_file()}


def affected(changed: set[str], all_sources: list[str]) -> list[str]:
    """Returns the changed sources and those that include them, directly or indirectly."""
    included = {path: includes(path) for path in all_sources}
    found = changed & set(all_sources)
    while more := {path for path, names in included.items() if names & found} - found:
        found |= more
    return sorted(found)


def main() -> None:
    everything = sources()
    start = None if "all" in sys.argv[1:] else base()
    if start is None:
        chosen = everything
    else:
        changed = {*git("diff", "--name-only", start), *git("ls-files", "--others", "--exclude-standard")}
        chosen = everything if ".clang-tidy" in changed else affected(changed, everything)
    print(*(path for path in chosen if not path.endswith(".h")), sep="\n", end="\n" if chosen else "")


if __name__ == "__main__":
    main()
