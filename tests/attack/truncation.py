# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Truncates the ledger of a running job again and again, while commands read it.

The job must end as without commtap.
"""

import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from attempts import Attempt, Verdict, ask, judge

JOBS = 12
TIMEOUT_S = 120
LEDGER_SIZE = 73 << 20  # bytes
JOB = """
import threading, time, torch, torch.distributed as dist
import torch.testing._internal.distributed.fake_pg
dist.init_process_group("fake", store=dist.HashStore(), rank=0, world_size=2)
model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 4))
end = time.monotonic() + 1.5

def work():
    while time.monotonic() < end:
        model(torch.ones(2, 4)).sum().backward()
        dist.all_reduce(torch.ones(4))

threads = [threading.Thread(target=work) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("done")
"""


def start(library: Path, out: Path) -> subprocess.Popen[bytes]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("COMMTAP", "LD_PRELOAD"))}
    variables = {"LD_PRELOAD": str(library), "COMMTAP_OUT": str(out), "OMP_NUM_THREADS": "1", "RANK": "0"}
    return subprocess.Popen(
        [sys.executable, "-c", JOB], env=kept | variables, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )


def truncate(out: Path, chance: random.Random) -> int:
    """Cuts each ledger at a random length; returns how many there were."""
    ledgers = list(out.rglob("*.ledger"))
    for ledger in ledgers:
        length = chance.choice((0, 1, 4096, chance.randrange(1 << 20), chance.randrange(LEDGER_SIZE)))
        try:
            os.truncate(ledger, length)
        except FileNotFoundError:
            continue  # the process has written its report
    return len(ledgers)


def end_of(job: subprocess.Popen[bytes], name: str, truncated: int) -> Attempt:
    try:
        printed, _ = job.communicate(timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        job.kill()
        job.communicate()
        return Attempt(name, Verdict.HANG, f"no end after {TIMEOUT_S} s")
    if job.returncode != 0:
        return Attempt(name, Verdict.CRASH, f"status {job.returncode}")
    if printed != b"done\n" or truncated == 0:
        return Attempt(name, Verdict.SILENT, f"printed {printed[:100]!r}, {truncated} truncations")
    return Attempt(name)


def attack(command: Path, library: Path, folder: Path, seed: int) -> Iterator[Attempt]:
    """Yields the end of each job, and of each command that reads its folder."""
    for number in range(JOBS):
        chance = random.Random(f"{seed} truncation {number}")
        out = folder / str(number)
        job = start(library, out)
        truncated = 0
        while job.poll() is None:
            time.sleep(chance.uniform(0.05, 0.3))
            truncated += truncate(out, chance)
            if truncated > 0:
                verb = chance.choice(("show", "advise", "why"))
                yield judge(f"{verb} of job {number}", ask(command, verb, out))
        yield end_of(job, f"job {number}", truncated)
