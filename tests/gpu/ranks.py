# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The machine that the checks run on, and how they start ranks.

Each rank is started as a node of its own with one GPU: LOCAL_RANK is 0 as long as there is one GPU, which ranks then
share, and a job needs no change.
"""

import contextlib
import dataclasses
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
#: Ranks can share a GPU from this version of NCCL on.
SHARING = (2, 30)
#: What else is in the environment must not reach into the jobs.
UNWANTED = ("COMMTAP", "LD_PRELOAD", "NCCL_NVLS_ENABLE", "RANK", "WORLD_SIZE", "LOCAL_RANK", "TORCHELASTIC")

Said = dict[str, Any]


class Failed(Exception):
    """A job that did not end as meant, with what it said last."""


@dataclass
class Machine:
    """The preloaded library and the command, and the needs of a rank."""

    stub: Path
    command: Path
    device: str = "cuda"
    backend: str = "nccl"
    gpus: tuple[str, ...] = ()
    #: A libnccl.so.2 to load in place of torch's; None for torch's own.
    nccl: Path | None = None
    ranks: int = 1
    variables: dict[str, str] = field(default_factory=dict)
    #: When the running part must be over, by time.monotonic().
    deadline: float = float("inf")

    @property
    def shares(self) -> bool:
        """Whether several ranks use one GPU."""
        return self.ranks > len(self.gpus) > 0

    def left_s(self) -> float:
        """Returns how many seconds the running part has left; raises if there are none."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise Failed("out of time")
        return left

    def on_gloo(self) -> "Machine":
        """Returns the same machine for jobs on its processor."""
        return Machine(self.stub, self.command, "cpu", "gloo", ranks=self.ranks, deadline=self.deadline)

    def with_ranks(self, ranks: int) -> "Machine":
        """Returns the same machine with another number of ranks."""
        return dataclasses.replace(self, ranks=ranks)


def ranks_for(gpus: int, nccl: tuple[int, ...]) -> int:
    """Returns how many ranks to start: one a GPU, and two on a single GPU if NCCL lets them share it."""
    if gpus == 1:
        return 2 if nccl[:2] >= SHARING else 1
    return min(gpus, 8)


def free_port() -> int:
    """Returns a port without a listener."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def environments(machine: Machine, out: Path | None, variables: dict[str, str]) -> Iterator[dict[str, str]]:
    """Yields the environment of each rank. `out` is the folder of commtap's reports; None is without commtap."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(UNWANTED)}
    preloads = [machine.stub] if out is not None else []
    preloads += [machine.nccl] if machine.nccl is not None and machine.device == "cuda" else []
    if preloads:
        kept["LD_PRELOAD"] = ":".join(map(str, preloads))
    if out is not None:
        kept["COMMTAP_OUT"] = str(out)
    if machine.shares:
        kept |= {"NCCL_MULTI_RANK_GPU_ENABLE": "1", "NCCL_MAX_CTAS": "4"}
    kept |= {"KIT_DEVICE": machine.device, "KIT_BACKEND": machine.backend, "NCCL_DEBUG": "WARN", "OMP_NUM_THREADS": "1"}
    kept |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()), "WORLD_SIZE": str(machine.ranks)}
    kept |= machine.variables | variables
    for rank in range(machine.ranks):
        local = rank % max(len(machine.gpus), 1)
        yield kept | {"RANK": str(rank), "GROUP_RANK": str(rank), "LOCAL_RANK": str(local), "LOCAL_WORLD_SIZE": "1"}


class Ranks:
    """The running ranks of a job. Ends all of them when the block ends."""

    def __init__(self, machine: Machine, command: list[str], folder: Path, **options: Any) -> None:
        self.machine = machine
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        out = folder / "out" if options.get("watched", True) else None
        self.processes: list[subprocess.Popen[bytes]] = []
        script, *arguments = command
        for rank, variables in enumerate(environments(machine, out, options.get("variables", {}))):
            with open(folder / f"stdout.{rank}", "wb") as stdout, open(folder / f"stderr.{rank}", "wb") as stderr:
                self.processes.append(
                    subprocess.Popen(
                        [sys.executable, str(HERE / script), *arguments],
                        env=variables,
                        cwd=folder,
                        stdin=subprocess.DEVNULL,
                        stdout=stdout,
                        stderr=stderr,
                        start_new_session=True,
                    )
                )

    def __enter__(self) -> "Ranks":
        return self

    def __exit__(self, *_: object) -> None:
        for process in self.processes:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def text(self, name: str, rank: int) -> str:
        """Returns what a rank has written to "stdout" or "stderr"."""
        return (self.folder / f"{name}.{rank}").read_text(encoding="utf-8", errors="replace")

    def wait(self, rank: int) -> int:
        """Returns the exit status of a rank."""
        try:
            return self.processes[rank].wait(timeout=self.machine.left_s())
        except subprocess.TimeoutExpired:
            raise Failed(f"rank {rank} had not ended in time: {self.text('stderr', rank)[-1500:]}") from None

    def said(self) -> list[Said]:
        """Returns the JSON on the last line of each rank, once all have ended well."""
        for rank in range(len(self.processes)):
            if (status := self.wait(rank)) != 0:
                raise Failed(f"rank {rank} ended with {status}: {self.text('stderr', rank)[-1500:]}")
        return [json.loads(self.text("stdout", rank).splitlines()[-1]) for rank in range(len(self.processes))]


def run(machine: Machine, command: list[str], folder: Path, **options: Any) -> list[Said]:
    """Runs a job; returns what each rank said."""
    with Ranks(machine, command, folder, **options) as ranks:
        return ranks.said()


def report_of(folder: Path, rank: int = 0) -> Said:
    """Returns the report of a rank."""
    path = folder / "out" / f"rank-{rank:05d}.json"
    if not path.exists():
        raise Failed(f"rank {rank} has left no report")
    return json.loads(path.read_text(encoding="utf-8"))


@contextlib.contextmanager
def mps(machine: Machine, folder: Path) -> Iterator[bool]:
    """Runs NVIDIA's service that lets the processes of a shared GPU run at the same time, if it is installed."""
    control = shutil.which("nvidia-cuda-mps-control")
    if control is None or not machine.shares:
        yield False
        return
    folder.mkdir(parents=True, exist_ok=True)
    own = {"CUDA_MPS_PIPE_DIRECTORY": str(folder), "CUDA_MPS_LOG_DIRECTORY": str(folder)}
    variables = os.environ | own
    started = subprocess.run([control, "-d"], env=variables, check=False, capture_output=True, timeout=20)
    if started.returncode == 0:
        machine.variables |= own
    try:
        yield started.returncode == 0
    finally:
        if started.returncode == 0:
            for name in own:
                machine.variables.pop(name, None)
            subprocess.run([control], input=b"quit\n", env=variables, check=False, capture_output=True, timeout=20)
