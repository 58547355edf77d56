# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Counts phrases that are hard to read. If there are more than the limit, prints each as FILE:LINE and exits with 1.

Reads comments, strings with a space in them, and whole pages; not the names in code. Some hits are right English, so
there is a limit and no ban. Lower it when hits go.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

LIMIT = 67

PATHS = ("tracker", "shim", "report", "tools", "tests", "docs", "README.md", "CONTRIBUTING.md", "dev", ".dev")
#: The libraries of others, the pages made from tables in the code, and the patterns themselves.
LEFT_OUT = (
    "tools/html/vendor",
    "docs/commands.md",
    "docs/metrics.md",
    "docs/ops.md",
    "docs/options.md",
    "docs/tables.md",
    "docs/schema",
    "tests/unit/tools/usage.txt",
    ".dev/words.py",
)

#: Each pattern with what to write instead.
PATTERNS = {
    r'(//[/<]*|/\*+|"""|^ *\*|[.:;]) ?Of [a-z]': "the subject first, not `Of X, Y`",
    r"\b([Ll]ikewise|The same)\b": "the thing itself",
    r"\b([Ww]ho(ever|m)?|(some|no|any)body)\b": "the thread, process, rank, user or caller",
    r"\b(but for|as that|what there is|all that|for want of)\b": "except, everything, without",
    r"(?<!cannot )\b(tells?|told)\b": "reports, shows, names, distinguishes",
    r"pieces? of (the )?cache|caches? (hold|have held)|in the cache": "cache line, prefetches",
    r"\b(anew|meanwhile|by then|any more|for good)\b": "again, since, no longer, permanently",
    r"\bin front of\b|\bstands? (in|for|behind|there)\b|\bbeside\b": "before, represents, next to, in addition to",
    r"(rows?|bytes|ms|sets|lines?|value|case) an? (rank|step|process|line|column|second|check)\b": "per",
    r'(//[/<]*|/\*+|""") ?(What|Who|Whose|Where|Which) ': "a noun or a verb first",
}

#: An apostrophe within a number of C++ begins no string.
_STRING = r'"(?:\\.|[^"\\\n])*"|' + r"(?<!\w)'(?:\\.|[^'\\\n])*'"
#: Comments and strings, by the end of a file's name. Files of all other kinds are read whole.
ENGLISH = {
    **dict.fromkeys((".c", ".cc", ".h", ".js", ".css"), re.compile(rf"//[^\n]*|/\*.*?\*/|{_STRING}", re.DOTALL)),
    ".py": re.compile(rf'#[^\n]*|""".*?"""|{_STRING}', re.DOTALL),
}


def lines(path: Path) -> list[str]:
    """Returns the lines of a file, with spaces in place of code. A string without a space is a name, not English."""
    text = path.read_text(encoding="utf-8", errors="replace")
    english = ENGLISH.get(path.suffix)
    if english is None:
        return text.splitlines()
    kept = [" " if each != "\n" else each for each in text]
    for found in english.finditer(text):
        if found[0][0] not in "\"'" or " " in found[0]:
            kept[found.start() : found.end()] = found[0]
    return "".join(kept).splitlines()


def files() -> list[str]:
    """Returns the text files that git tracks, and new ones that it does not ignore."""
    out = [f":!{path}" for path in LEFT_OUT]
    command = ["git", "grep", "-Il", "--untracked", "", "--", *PATHS, *out]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def hits() -> Iterator[tuple[str, str]]:
    """Yields FILE:LINE of each line that a pattern matches, and the pattern."""
    compiled = [(pattern, re.compile(pattern)) for pattern in PATTERNS]
    for name in files():
        for number, line in enumerate(lines(Path(name)), 1):
            yield from ((f"{name}:{number}", pattern) for pattern, found in compiled if found.search(line))


def main() -> int:
    found = list(hits())
    if len(found) <= LIMIT:
        return 0
    for place, pattern in found:
        print(f"{place}: {pattern}: {PATTERNS[pattern]}")
    print(f"words: {len(found)} phrases, {LIMIT} allowed: reword those that your change adds", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
