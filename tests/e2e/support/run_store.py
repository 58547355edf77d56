# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Keeps runs of jobs in a folder, each under a key, for all processes that share the folder.

`facts_of_machine` and `sources` are what a bare run depends on besides its job: a key made of them finds the run of an
earlier session as long as a new run would come out the same.
"""

import contextlib
import fcntl
import functools
import hashlib
import importlib.metadata
import importlib.util
import json
import os
import re
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_UNUSED_S = 30 * 24 * 3600


def key_of(facts: Any) -> str:
    """Returns a short hash of something that JSON can express."""
    return hashlib.sha256(json.dumps(facts, sort_keys=True, default=str).encode()).hexdigest()[:20]


@functools.cache
def hash_of_file(path: Path) -> str:
    """Returns a hash of the content."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def sources(script: Path) -> list[Path]:
    """Lists a script and the modules in its folder that it imports, directly or through others."""
    found: list[Path] = []
    to_read = [script]
    while to_read:
        path = to_read.pop()
        if path in found:
            continue
        found.append(path)
        imported = re.findall(r"^\s*(?:from|import)\s+(\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
        to_read.extend(each for name in imported if (each := script.parent / f"{name}.py").is_file())
    return sorted(found)


@functools.cache
def facts_of_machine() -> dict[str, Any]:
    """Returns what a job's output can depend on: processor, kernel, Python, torch and every installed package."""
    cpu = re.findall(r"^(?:model name|flags)\s*:.*", Path("/proc/cpuinfo").read_text(encoding="ascii"), re.MULTILINE)
    torch = importlib.util.find_spec("torch")
    assert torch is not None
    assert torch.origin is not None
    return {
        "cpu": sorted(set(cpu)),
        "cores": len(os.sched_getaffinity(0)),
        "kernel": os.uname().release,
        "python": [sys.version, os.path.realpath(sys.executable)],
        "torch": hash_of_file(Path(torch.origin).with_name("version.py")),
        "packages": sorted(f"{each.name} {each.version}" for each in importlib.metadata.distributions()),
    }


class RunStore:
    """A folder with one folder per key. A run is in the store once its mark is written next to its folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @contextlib.contextmanager
    def locked(self, key: str) -> Iterator[Path]:
        """Yields the folder of a key; no other process uses it until the block ends."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with open(self.folder / f"{key}.lock", "w", encoding="ascii") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield self.folder / key

    def read(self, key: str) -> Any:
        """Returns the mark; None if there is no run. The caller holds the lock."""
        mark = self.folder / f"{key}.mark"
        if not mark.is_file():
            return None
        mark.touch()
        return json.loads(mark.read_text(encoding="utf-8"))

    def write(self, key: str, mark: Any) -> None:
        """Puts the folder of a key into the store. The caller holds the lock."""
        (self.folder / f"{key}.mark").write_text(json.dumps(mark), encoding="utf-8")

    def remove_unused(self) -> None:
        """Deletes runs that no session has read for a month."""
        for mark in self.folder.glob("*.mark"):
            if time.time() - mark.stat().st_mtime > _UNUSED_S:
                with self.locked(mark.stem) as folder:
                    mark.unlink(missing_ok=True)
                    shutil.rmtree(folder, ignore_errors=True)
