# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Another program truncates the ledger of a running job, as log rotation does: the job ends as without commtap."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from harness import COMMAND, LIBRARY, TIMEOUT_S

from report import Report

#: A rank of modules, threads, labels and a forked child, whose ledger is truncated in the middle of its steps.
RANK = """
import faulthandler, glob, os, sys, threading, torch, torch.distributed as dist
import torch.testing._internal.distributed.fake_pg
when, length, out = sys.argv[1], int(sys.argv[2]), sys.argv[3]
if when == "before":
    faulthandler.enable()
dist.init_process_group("fake", store=dist.HashStore(), rank=0, world_size=2)
if when == "after":
    faulthandler.enable()
model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 4))
optimizer = torch.optim.SGD(model.parameters())
lock = threading.Lock()

def collectives(count):
    for _ in range(count):
        dist.all_reduce(torch.ones(4))

def step():
    with torch.profiler.record_function("a label"):
        loss = model(torch.ones(2, 4)).sum()
    loss.backward()
    for parameter in model.parameters():
        dist.all_reduce(parameter.grad)
    optimizer.step()
    optimizer.zero_grad()

def truncate():
    for path in glob.glob(out + "/*.ledger"):
        os.truncate(path, length)

step()
threads = [threading.Thread(target=collectives, args=(2000,)) for _ in range(4)]
for thread in threads:
    thread.start()
truncate()
for _ in range(3):
    step()
collectives(300)
group = dist.new_group([0, 1])
dist.all_reduce(torch.ones(4), group=group)
model.append(torch.nn.Linear(4, 4))
step()
for thread in threads:
    thread.join()
child = os.fork()
if child == 0:
    collectives(5)
    print("child", flush=True)
    os._exit(7)
assert os.waitpid(child, 0)[1] >> 8 == 7
truncate()
print("weights", sum(float(p.sum()) for p in model.parameters()) != 0, flush=True)
sys.exit(3)
"""

SAID = "the ledger of this process: its counts are lost and there is no report"


def run(folder: Path, *arguments: object, **variables: str) -> subprocess.CompletedProcess[str]:
    unwanted = ("COMMTAP", "LD_PRELOAD", "RANK", "WORLD_SIZE", "PYTHONFAULTHANDLER")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(unwanted)}
    command = [sys.executable, "-W", "ignore", "-c", RANK, *map(str, arguments), str(folder)]
    return subprocess.run(
        command, env=kept | variables | {"RANK": "0"}, capture_output=True, text=True, timeout=TIMEOUT_S
    )


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> subprocess.CompletedProcess[str]:
    """The job without commtap."""
    done = run(tmp_path_factory.mktemp("bare"), "never", 0)
    assert (done.returncode, done.stderr) == (3, "")
    return done


@pytest.mark.parametrize(
    ("when", "length", "timing"),
    [
        ("never", 0, "off"),
        ("never", 1, "host"),
        ("never", 4096, "off"),
        ("never", 300_000, "host"),
        ("never", 40 << 20, "off"),
        ("before", 0, "host"),
        ("after", 0, "off"),
    ],
)
def test_truncated(tmp_path: Path, bare: subprocess.CompletedProcess[str], when: str, length: int, timing: str) -> None:
    """The job goes on to its end; one line says that there is no report. The child's report is its own."""
    done = run(tmp_path, when, length, LD_PRELOAD=str(LIBRARY), COMMTAP_OUT=str(tmp_path), COMMTAP_TIMING=timing)
    assert (done.returncode, done.stdout) == (bare.returncode, bare.stdout), done.stderr
    lines = [line for line in done.stderr.splitlines() if "commtap" in line]
    assert len(lines) == 1
    assert SAID in lines[0]
    if when != "after":  # then faulthandler's handler comes first, and reports the fault
        assert done.stderr == lines[0] + "\n"
    reports = [Report.read(path) for path in tmp_path.rglob("*.json")]
    assert [(each.job["exit"], each.job["rank"], each.total()) for each in reports] == [("_exit", 0, 5)]
    assert list(tmp_path.glob("*.ledger")) == []
    assert f"{tmp_path}/rank-00000." in lines[0]
    for command in ("show", "advise", "list", "why"):
        looked = subprocess.run([COMMAND, command, tmp_path], capture_output=True, timeout=TIMEOUT_S)
        assert looked.returncode >= 0, looked


def test_a_replaced_ledger_is_whole(tmp_path: Path) -> None:
    """A file that is renamed over the ledger, or its removal, takes nothing from the report."""
    script = """
import glob, os, sys, torch, torch.distributed as dist
import torch.testing._internal.distributed.fake_pg
dist.init_process_group("fake", store=dist.HashStore(), rank=0, world_size=2)
dist.all_reduce(torch.ones(4))
[path] = glob.glob(sys.argv[1] + "/*.ledger")
open(path + ".new", "w").close()
os.rename(path + ".new", path)
dist.all_reduce(torch.ones(4))
os.unlink(path)
dist.all_reduce(torch.ones(4))
"""
    variables = os.environ | {"LD_PRELOAD": str(LIBRARY), "COMMTAP_OUT": str(tmp_path), "RANK": "0"}
    command = [sys.executable, "-c", script, str(tmp_path)]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=TIMEOUT_S)
    assert (done.returncode, done.stderr) == (0, "")
    assert Report.read(tmp_path / "rank-00000.json").total() == 3


def test_another_bus_error_ends_the_job(tmp_path: Path) -> None:
    """A job's own SIGBUS is what it is without commtap."""
    script = """
import mmap, os, sys, torch, torch.distributed as dist
import torch.testing._internal.distributed.fake_pg
dist.init_process_group("fake", store=dist.HashStore(), rank=0, world_size=2)
dist.all_reduce(torch.ones(4))
with open(sys.argv[1] + "/own", "w+b") as file:
    file.truncate(4096)
    page = mmap.mmap(file.fileno(), 4096)
    file.truncate(0)
    page[0] = 1
"""
    variables = os.environ | {"LD_PRELOAD": str(LIBRARY), "COMMTAP_OUT": str(tmp_path), "RANK": "0"}
    command = [sys.executable, "-c", script, str(tmp_path)]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=TIMEOUT_S)
    assert (done.returncode, done.stderr) == (-signal.SIGBUS, "")
