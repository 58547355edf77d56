# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the command and measures its memory."""

import subprocess
import sys

from binaries import COMMAND

#: Linux counts the memory of the parent at the start as the process's own, so a small process starts the command.
_STARTER = """
import os, resource, subprocess, sys
process = subprocess.Popen(sys.argv[2:], stdout=subprocess.DEVNULL)
resource.prlimit(process.pid, resource.RLIMIT_CPU, (int(sys.argv[1]),) * 2)
_, status, usage = os.wait4(process.pid, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss)
"""


def run_measured(*arguments: object, cpu_s: int = 60) -> tuple[int, str, float]:
    """Runs the command. Returns its status, what it says, and its largest memory in MiB."""
    words = [sys.executable, "-I", "-S", "-c", _STARTER, str(cpu_s), str(COMMAND), *map(str, arguments)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    status, kib = done.stdout.split()
    return int(status), done.stderr, int(kib) / 1024
