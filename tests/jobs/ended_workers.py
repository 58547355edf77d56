# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""A parent that starts ranks without a launcher, and ends some of them by SIGKILL: `ended_workers.py WAY`.

after_work: two ranks, killed after their steps. destroyed: the same, which have destroyed their groups, and the parent
fails. between: two ranks, one killed after 3 of 5 steps, and then the other, which waits for it. rounds: four ranks of
their own, one after the other, each killed after its steps. other_preload: a rank, and one that was started with
another LD_PRELOAD. sweep: three trials of two ranks. background: a rank that outlives the parent. ray: two ranks with
the title of a worker of Ray, which end as such a worker does when Ray has ended before it. caught: two ranks, of which
one does not come to the fourth step and the other gives up; both exit with 0, as workers do, and the parent fails.
"""

import contextlib
import datetime
import os
import signal
import subprocess
import sys
import tempfile
import time

STEPS = 5


def work(store: str, end: str) -> None:
    """Trains for some steps, says so, and ends as `end` says."""
    import torch
    import torch.distributed as dist

    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    patience = datetime.timedelta(seconds=3 if end == "caught" else 600)
    dist.init_process_group("gloo", init_method=f"file://{store}", timeout=patience, rank=rank, world_size=world)
    with contextlib.suppress(*[RuntimeError] if end == "caught" else []):
        for _ in range(3 if end == "early" or (end == "caught" and rank == 1) else STEPS):
            dist.all_reduce(torch.ones(8))
    if end == "caught":
        time.sleep(6 * rank)
        return
    if end == "destroy":
        dist.destroy_process_group()
    print("done", flush=True)
    if end == "ray":
        os._exit(1)
    if end != "end":
        time.sleep(60)
    dist.destroy_process_group()


def start(rank: int, world: int, store: str, end: str = "end", **variables: str) -> "subprocess.Popen[str]":
    """Starts a rank."""
    environment = os.environ | {"RANK": str(rank), "WORLD_SIZE": str(world)} | variables
    command = [sys.executable, __file__, "work", store, end]
    if end == "ray":
        command[0] = "ray::Worker.train"
        environment |= {"PYTHONHOME": sys.base_prefix, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen(command, executable=sys.executable, env=environment, stdout=subprocess.PIPE, text=True)


def store() -> str:
    """Returns a path for the file by which ranks meet."""
    return f"{tempfile.mkdtemp()}/store"


def kill(ranks: "list[subprocess.Popen[str]]") -> None:
    """Ends ranks once they have worked."""
    for rank in ranks:
        assert rank.stdout is not None
        assert rank.stdout.readline() == "done\n"
    for rank in ranks:
        rank.send_signal(signal.SIGKILL)
        rank.wait()


def main(way: str) -> None:
    """Runs a way."""
    if way in ("after_work", "destroyed"):
        name = store()
        kill([start(rank, 2, name, "destroy" if way == "destroyed" else "stay") for rank in range(2)])
        sys.exit(3 if way == "destroyed" else 0)
    if way == "caught":
        name = store()
        for rank in [start(rank, 2, name, way) for rank in range(2)]:
            rank.wait()
        sys.exit(1)
    if way == "between":
        name = store()
        waits, early = start(0, 2, name, "stay"), start(1, 2, name, "early")
        kill([early])
        waits.kill()
        waits.wait()
    if way == "rounds":
        for _ in range(4):
            kill([start(0, 1, store(), "stay")])
    if way == "other_preload":
        start(0, 1, store()).wait()
        rank = start(0, 1, store(), "stay", LD_PRELOAD="libm.so.6")
        time.sleep(3)
        kill([rank])
    if way == "sweep":
        for _ in range(3):
            name = store()
            for rank in [start(rank, 2, name) for rank in range(2)]:
                rank.wait()
    if way == "ray":
        name = store()
        for rank in [start(rank, 2, name, "ray") for rank in range(2)]:
            rank.wait()
    if way == "background":
        environment = os.environ | {"RANK": "0", "WORLD_SIZE": "1"}
        command = [sys.executable, "-c", "import time; time.sleep(20)"]
        print(subprocess.Popen(command, env=environment, start_new_session=True).pid, flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "work":
        work(*sys.argv[2:])
    else:
        main(sys.argv[1])
