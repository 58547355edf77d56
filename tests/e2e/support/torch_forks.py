# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Forks ranks from one process that has imported torch, which takes longer than most jobs."""

import gc
import importlib
import json
import os
import runpy
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

Rank = dict[str, Any]


class TorchForks:
    """The process that has imported torch, started with the environment that its ranks have in common.

    It has also imported the modules named, which its ranks would import.
    """

    def __init__(self, variables: dict[str, str], modules: tuple[str, ...]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, *modules],
            env=variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run(self, ranks: list[Rank], timeout_s: float, show: Callable[[int], None]) -> list[int]:
        """Runs one job; the exit status of each rank, negative for a signal. `show` gets the pid of one that hangs."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(json.dumps(ranks) + "\n")
        stdin.flush()
        pids = json.loads(stdout.readline())
        if not select.select([stdout], [], [], timeout_s)[0]:
            running = [pid for pid in pids if _is_running(pid)]
            for pid in running:
                show(pid)
            for pid in running:
                os.killpg(pid, signal.SIGKILL)
            stdout.readline()
            raise TimeoutError(f"a rank has not ended after {timeout_s} s: {ranks[0]}")
        return json.loads(stdout.readline())

    def close(self) -> None:
        """Ends the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def _is_running(pid: int) -> bool:
    """Whether a rank has not ended. No other process has its pid: at most, the one that forked it has waited for it."""
    status = Path(f"/proc/{pid}/stat")
    return status.exists() and status.read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"


def _serve() -> Rank | None:
    """Forks the ranks of one job per line. Returns in each rank; None in the parent at the end of the input."""
    for module in sys.argv[1:]:
        importlib.import_module(module)
    # A rank's collections, above all those at its exit, would visit and so copy every object of the parent.
    gc.collect()
    gc.freeze()

    for line in sys.stdin:
        children = []
        for rank in json.loads(line):
            child = os.fork()
            if child == 0:
                os.setsid()  # A rank that hangs can be ended with all its children.
                return rank
            children.append(child)
        print(json.dumps(children), flush=True)
        statuses = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
        print(json.dumps(statuses), flush=True)
    return None


def _run(rank: Rank) -> dict[str, Any]:
    """Runs the script of a rank as `python SCRIPT ARGUMENT ...` would; its variables, which live until the exit."""
    for number, path, flags in (
        (0, os.devnull, os.O_RDONLY),
        (1, rank["stdout"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
        (2, rank["stderr"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
    ):
        opened = os.open(path, flags, 0o644)
        os.dup2(opened, number)
        os.close(opened)
    os.chdir(rank["folder"])
    os.environ.clear()
    os.environ.update(rank["variables"])
    script, *arguments = rank["command"]
    sys.argv = [script, *arguments]
    sys.path[0] = str(Path(script).parent)
    return runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
    own_rank = _serve()
    if own_rank is not None:
        variables_of_script = _run(own_rank)
