# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""A user's machine: a virtual environment, an empty folder, and no compiler."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

#: What a small Linux has. Python's venv and torchrun call some of them.
PROGRAMS = ("sh", "env", "uname", "ldconfig", "cat", "ls", "rm", "mkdir", "dirname", "basename", "readlink")


@dataclass(frozen=True)
class BareMachine:
    """Runs commands in the environment; their PATH has the environment's programs and PROGRAMS only."""

    folder: Path

    @property
    def venv(self) -> Path:
        return self.folder / "venv"

    @property
    def work(self) -> Path:
        """The folder in which commands run."""
        path = self.folder / "work"
        path.mkdir(exist_ok=True)
        return path

    @property
    def torch(self) -> str:
        """The release that the tests run with."""
        return metadata.version("torch").partition("+")[0]

    def _programs(self) -> Path:
        folder = self.folder / "bin"
        if not folder.exists():
            folder.mkdir()
            for name in PROGRAMS:
                found = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
                if found is not None:
                    (folder / name).symlink_to(found)
        return folder

    def run(self, *command: str, check: bool = True) -> "subprocess.CompletedProcess[str]":
        """Runs a command as the user would type it, at most 5 minutes."""
        kept = {name: os.environ[name] for name in ("HOME", "LANG", "TMPDIR") if name in os.environ}
        pip = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
        variables = kept | pip | {"PATH": f"{self.venv / 'bin'}:{self._programs()}", "OMP_NUM_THREADS": "1"}
        done = subprocess.run(
            [str(self.venv / "bin" / command[0]), *command[1:]],
            cwd=self.work,
            env=variables,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert not check or done.returncode == 0, f"{command}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
        return done
