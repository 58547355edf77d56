# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""`commtap plan`: a plan of a run's size equals the run, larger ones equal formulas, and none touches a network."""

import csv
import ctypes
import json
import os
import pickle
import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from catalogue import JOBS
from harness import COMMAND, JOBS_FOLDER, Job, Runner, wait_until
from planning import PLANNED, Plan, bare_environment, rows_of

from report import document_of

QUICK = [("mlp", "--fake"), ("fsdp2_sp", "--fake"), ("ddp", "--real"), ("pipeline_infer_shapes", "--real")]

#: Jobs whose plan equals the run with real tensors only: docs/plan.md says why.
REAL_ONLY = (
    "ddp",
    "ddp_accumulate",
    "zero",
    "fsdp1",
    "fsdp1_orig_params",
    "fsdp1_tp",
    "fsdp1_sp",
    "sync",
    "optimizer_sharded",
    "closure",
    "pipeline_infer_shapes",
)
#: Jobs whose plan equals the run with real and with fake tensors.
BOTH = (
    "mlp",
    "mlp_stacked",
    "transformer_tp",
    "transformer_sp",
    "transformer_checkpoint",
    "fsdp2",
    "fsdp2_accumulate",
    "fsdp2_units",
    "fsdp2_tp",
    "fsdp2_sp",
    "hsdp",
    "3d",
    "pipeline",
    "pipeline_gpipe",
    "pipeline_gpipe_fsdp",
    "pipeline_interleaved",
    "pipeline_interleaved_fsdp",
    "pipeline_by_hand",
    "ep",
    "ep_uneven",
    "cp",
    "checkpoint",
    "checkpoint_reentrant",
    "checkpoint_wrapper",
    "compiled_eager",
    "compiled_two_eager",
    "buckets",
    "optimizer_own",
    "optimizer_in_backward",
    "groups",
    "reuse",
)
ALL = [*((name, "--fake") for name in BOTH), *((name, "--real") for name in (*REAL_ONLY, *BOTH))]


def plan_of(job: Job, folder: Path, depth: str) -> Plan:
    script = [str(JOBS_FOLDER / job.script), *job.arguments]
    options = ["--ranks", "all", "--steps", "0", "--gpus-per-node", str(job.ranks)]
    return Plan(folder, job.ranks, *options, depth, "--", *script)


def assert_equal_to_the_run(runner: Runner, name: str, folder: Path, depth: str) -> None:
    job = JOBS[name]
    plan = plan_of(job, folder, depth)
    assert plan.done.returncode == 0, plan.done.stderr
    run = runner.shim(job)
    for rank in range(job.ranks):
        planned = plan.report(rank)
        assert planned.job["planned"] is True
        assert rows_of(planned) == rows_of(run.report(rank)), f"rank {rank}"


@pytest.mark.parametrize(("name", "depth"), QUICK)
def test_a_plan_equals_the_run(runner: Runner, tmp_path: Path, name: str, depth: str) -> None:
    """Each rank's rows are equal in module, phase, op, group, count and bytes."""
    assert_equal_to_the_run(runner, name, tmp_path, depth)


@pytest.mark.long
@pytest.mark.parametrize(("name", "depth"), ALL)
def test_every_plan_equals_its_run(runner: Runner, tmp_path: Path, name: str, depth: str) -> None:
    """A plan equals its run for each form of parallelism."""
    assert_equal_to_the_run(runner, name, tmp_path, depth)


def test_a_run_is_held_against_its_plan(runner: Runner, tmp_path: Path) -> None:
    """A run of more steps equals its plan by step; one that communicates more fails with the module's name."""
    plan = Plan(tmp_path / "plan", 2, "--fake", "--steps", "2", "--", PLANNED, "--steps", "9")
    assert plan.done.returncode == 0, plan.done.stderr
    run = runner.shim(Job("planned.py", ("--steps", "5")))
    other = runner.shim(Job("planned.py", ("--steps", "5", "--layers", "3")))

    def ask(*words: object) -> subprocess.CompletedProcess:
        return subprocess.run([COMMAND, *map(str, words)], capture_output=True, text=True, timeout=60, check=False)

    check = ask("check", run.output_folder, "--plan", plan.folder)
    assert check.returncode == 0, check.stdout
    difference = ask("diff", plan.folder, run.output_folder)
    assert difference.returncode == 0, difference.stdout
    assert "no differences" in difference.stdout
    more = ask("check", other.output_folder, "--plan", plan.folder)
    assert more.returncode == 1
    assert "MLPStacked.layers.2" in more.stdout
    assert re.search(r"\bnew: 1 all_gather per step in MLPStacked\.layers\.2 ", more.stdout), more.stdout
    assert "PER STEP: the mean of 2 steps, without set-up\n" in ask("show", plan.folder, "--per-step").stdout
    wrong = ask("check", run.output_folder, "--plan", other.output_folder)
    assert wrong.returncode == 2
    assert "is no plan" in wrong.stderr


def test_every_document_says_that_it_is_a_plan(tmp_path: Path) -> None:
    """The reports, the job report, `show`, `diff`, the page and the tables."""
    plan = Plan(tmp_path / "plan", 2, "--fake", "--json", "--", PLANNED)

    def ask(*words: object) -> str:
        command = [COMMAND, *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False).stdout

    folder = plan.folder
    assert plan.report(0).job["planned"] is True
    assert plan.job["job"]["planned"] is True
    assert "planned: nothing was communicated" in ask("show", folder)
    assert document_of(plan.done.stdout)["planned"] is True
    assert plan.done.stdout == ask("show", folder, "--json")
    assert json.loads(ask("export", folder, "--format", "job"))["job"]["planned"] is True
    assert json.loads(ask("diff", folder, folder, "--json"))["before"]["planned"] is True
    ask("html", folder, "-o", tmp_path / "page.html")
    assert '"planned":true' in (tmp_path / "page.html").read_text()
    [row] = csv.DictReader(ask("export", folder, "--format", "csv", "--table", "processes", "-o", "-").splitlines())
    assert row["planned"] == "true"


def test_a_loss_is_shown_and_decides_nothing(tmp_path: Path) -> None:
    """A shown value is a marked stand-in; a value that steers the script ends the plan with file and line."""
    shown = Plan(tmp_path / "shown", 2, "--fake", "--", PLANNED)
    assert shown.done.returncode == 0, shown.done.stderr
    assert "step 0 loss <planned>" in shown.log(0)
    assert "a stand-in is shown" in shown.done.stderr
    decides = Plan(tmp_path / "decides", 2, "--fake", "--", PLANNED, "--decide")
    assert decides.done.returncode == 1
    line = next(i for i, text in enumerate(Path(PLANNED).read_text().splitlines(), 1) if "loss.item() < 0" in text)
    assert f"{PLANNED}:{line}: DataDecides" in decides.done.stderr
    assert decides.report(0).total(kind="reduce_scatter") == 2
    real = Plan(tmp_path / "real", 2, "--real", "--", PLANNED, "--decide")
    assert real.done.returncode == 0, real.done.stderr


def test_objects_reach_the_ranks_that_are_planned_later(tmp_path: Path) -> None:
    plan = Plan(tmp_path, 4, "--fake", "--ranks", "all", "--", PLANNED, "--objects")
    assert plan.done.returncode == 0, plan.done.stderr
    for rank in range(4):
        assert f"rank {rank} was told: train" in plan.log(rank)


def test_objects_come_from_ranks_that_are_planned_later(tmp_path: Path) -> None:
    """The last rank's object reaches the first one, also if the last one itself is not asked for."""
    code = (
        "import torch.distributed as dist; dist.init_process_group('gloo'); sent = [dist.get_rank()];"
        "dist.broadcast_object_list(sent, src=3); print('sent by', sent[0])"
    )
    for ranks in ("all", "0", "auto"):
        plan = Plan(tmp_path / ranks, 4, "--real", "--ranks", ranks, "--", "-c", code)
        assert plan.done.returncode == 0, plan.done.stderr
        assert "sent by 3" in plan.log(0)
        assert ("rank 0 stands for 4 ranks" in plan.done.stderr) == (ranks == "auto")
    assert not (tmp_path / "0" / "ranks" / "3").exists()


def test_a_script_is_answered_with_the_backend_and_the_gpu_that_it_asked_for(tmp_path: Path) -> None:
    code = (
        "import torch, torch.distributed as dist; before = torch.cuda.is_available(); dist.init_process_group('nccl');"
        "own = dist.new_group(); other = dist.new_group(backend='gloo');"
        "print(before, torch.cuda.is_available(), *map(dist.get_backend, (None, own, other))); dist.barrier()"
    )
    plan = Plan(tmp_path, 2, "--real", "--ranks", "0", "--", "-c", code)
    assert plan.done.returncode == 0, plan.done.stderr
    assert "False True nccl nccl gloo" in plan.log(0)
    assert plan.done.stderr.count("torch.cuda.is_available() is False here") == 1


@pytest.mark.parametrize(
    "initialize",
    [
        "torch.nn.init.trunc_normal_(net.weight, std=0.02)",
        "torch.nn.init.trunc_normal_(net.weight, std=0.02, a=0.1, b=0.2)",
        "torch.nn.utils.parametrizations.orthogonal(torch.nn.Linear(8, 8))",
        "torch.nn.init.trunc_normal_(distribute_tensor(torch.ones(8, 8), init_device_mesh('cpu', (2,))))",
    ],
)
def test_an_initializer_that_looks_at_values_is_planned(tmp_path: Path, initialize: str) -> None:
    """Fake tensors have no values, and would draw for ever; each step reduces a gradient of 256 bytes."""
    code = "\n".join(
        (
            "import torch, torch.distributed as dist",
            "from torch.distributed.tensor import distribute_tensor, init_device_mesh",
            "dist.init_process_group('gloo')",
            "net = torch.nn.Linear(8, 8, bias=False)",
            initialize,
            "optimizer = torch.optim.SGD(net.parameters(), 0.1)",
            "for _ in range(3):",
            "    net(torch.ones(2, 8)).sum().backward(); dist.all_reduce(net.weight.grad)",
            "    optimizer.step(); optimizer.zero_grad()",
        )
    )
    plan = Plan(tmp_path, 2, "--fake", "--ranks", "all", "--steps", "2", "--", "-c", code)
    assert plan.done.returncode == 0, plan.done.stderr
    [row] = plan.report(0).rows(kind="all_reduce")
    assert (row["count"], row["bytes"]) == (2, 2 * 256)


def test_objects_that_all_ranks_gather_have_the_size_of_the_largest(tmp_path: Path) -> None:
    """Each rank sends as many bytes as the largest object has, also those that are planned before its rank."""
    code = "\n".join(
        (
            "import torch.distributed as dist",
            "dist.init_process_group('gloo'); rank = dist.get_rank()",
            "objects = [None, None, None]",
            "dist.all_gather_object(objects, 'x' * (10 + 20 * rank))",
            "print('gathered', [len(each) for each in objects])",
            "dist.gather_object('y' * (10 + 20 * rank), objects if rank == 0 else None)",
        )
    )
    plan = Plan(tmp_path, 3, "--real", "--ranks", "all", "--steps", "0", "--jobs", "1", "--", "-c", code)
    assert plan.done.returncode == 0, plan.done.stderr
    largest = len(pickle.dumps("x" * 50))
    for rank in range(3):
        report = plan.report(rank)
        sizes = report.table("op", field="bytes", dtype="uint8")
        assert sizes == {"c10d.allgather_": 3 * largest, "c10d.gather_": 3 * largest}
        assert "gathered [10, 30, 50]" in plan.log(rank)
    assert plan.job["disagreements"] == []


def test_an_error_in_a_library_has_the_line_of_the_script(tmp_path: Path) -> None:
    """A library may lie anywhere below a folder of packages."""
    library = tmp_path / "site-packages" / "library.py"
    library.parent.mkdir()
    library.write_text("def decide(tensor):\n    if tensor > 0:\n        pass\n", encoding="utf-8")
    script = tmp_path / "train.py"
    script.write_text("import library, torch\n\nlibrary.decide(torch.ones(()))\n", encoding="utf-8")
    path = {"PYTHONPATH": str(library.parent)}
    plan = Plan(tmp_path / "plan", 2, "--fake", "--ranks", "0", "--", str(script), variables=path)
    assert plan.done.returncode == 1
    assert f"rank 0 was planned up to an error at {script}:3: " in plan.done.stderr


def test_a_plan_that_ended_early_measures_no_run(runner: Runner, tmp_path: Path) -> None:
    """The run would have new rows."""
    run = runner.shim(Job("planned.py", ("--steps", "5")))
    decides = f"import runpy, sys; sys.argv = ['planned.py']; runpy.run_path({PLANNED!r}, run_name='__main__'); 1 / 0"
    for name, options, script, said in (
        ("error", ("--ranks", "all", "--steps", "0"), ("-c", decides), "has ranks that were planned up to an error"),
        ("part", ("--ranks", "1"), (PLANNED,), "lacks rank 0: plan them all"),
    ):
        path = {"PYTHONPATH": str(JOBS_FOLDER)}
        plan = Plan(tmp_path / name, 2, "--fake", *options, "--", *script, variables=path)
        command = [COMMAND, "check", run.output_folder, "--plan", plan.folder]
        check = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert check.returncode == 2
        assert said in check.stderr


@pytest.mark.parametrize(
    ("code", "advice"),
    [
        (
            "torch.bincount(torch.ones(4, dtype=torch.int64))",
            "give it minlength and plan with --assume-balanced, or plan with --real",
        ),
        ("torch.ones(4).nonzero()", "plan with --real"),
        ("dcp.save({'a': torch.ones(2)}, checkpoint_id='none')", "leave it out if the environment has COMMTAP_PLAN"),
    ],
)
def test_an_error_of_torch_says_what_to_do(tmp_path: Path, code: str, advice: str) -> None:
    before = "import torch, torch.distributed as dist, torch.distributed.checkpoint as dcp; dist.init_process_group();"
    plan = Plan(tmp_path / "plan", 2, "--fake", "--workdir", str(tmp_path / "work"), "--", "-c", before + code)
    assert plan.done.returncode == 1
    assert advice in plan.done.stderr


def test_a_stopped_plan_keeps_the_ranks_that_it_has(tmp_path: Path) -> None:
    command = [COMMAND, "plan", "--world-size", "8", "--fake", "--ranks", "all", "--jobs", "1", "--out", tmp_path]
    with subprocess.Popen(
        [*command, "--", sys.executable, JOBS_FOLDER / "rollout.py"],
        env=bare_environment(),
        stderr=subprocess.PIPE,
        text=True,
    ) as planner:
        wait_until(lambda: (tmp_path / "plan" / "rank-1.outcome").exists(), "the second rank to be planned")
        planner.terminate()
        _, said = planner.communicate()
    assert planner.returncode == 1
    assert re.search(r"stopped: the plan has \d of 8 ranks, each for itself", said)
    ranks = json.loads((tmp_path / "plan.json").read_text())["ranks"]
    assert ranks.startswith("0-")


def test_a_plan_that_is_stopped_before_a_rank_says_only_that(tmp_path: Path) -> None:
    waits = "import time; print('waits', flush=True); time.sleep(600)"
    command = [COMMAND, "plan", "--world-size", "2", "--fake", "--ranks", "0", "--out", tmp_path]
    with subprocess.Popen(
        [*command, "--", sys.executable, "-c", waits], env=bare_environment(), stderr=subprocess.PIPE, text=True
    ) as planner:
        log = tmp_path / "plan" / "rank-0.log"
        wait_until(lambda: log.exists() and "waits" in log.read_text(), "the script to run")
        planner.terminate()
        _, said = planner.communicate()
    assert planner.returncode == 1
    assert "stopped before a rank was planned\n" in said
    assert "of 2 ranks" not in said
    assert "planned with" not in said


def test_a_rank_stands_for_ranks_with_groups_like_its_own(tmp_path: Path) -> None:
    """Six trainers and two others: each group has the calls of its own ranks, and the pairs their own names."""
    plan = Plan(tmp_path, 8, "--fake", "--", str(JOBS_FOLDER / "rollout.py"))
    assert plan.done.returncode == 0, plan.done.stderr
    counts = {}
    for row in plan.rows(kind="all_reduce"):
        counts[row["group"]] = counts.get(row["group"], 0) + row["count"]["sum"]
    steps = 3
    assert counts == {"train": 6 * 2 * steps, "rollout": 2 * steps, **{f"pair_{i}": 2 * steps for i in range(3)}}
    members = {group["name"]: group["members"] for group in plan.job["groups"]}
    assert members["train"] == ["0-5"]
    assert [members[f"pair_{i}"] for i in range(3)] == [["0-1"], ["2-3"], ["4-5"]]


def forbid_internet() -> None:
    """Kills this process, and those that it starts, at the first socket for the internet: a seccomp filter."""
    socket_call, kill, allow = 41, 0x80000000, 0x7FFF0000  # x86-64

    def code(operation: int, true: int, false: int, value: int) -> bytes:
        return struct.pack("HBBI", operation, true, false, value)

    load, equal, give = 0x20, 0x15, 0x06
    program = b"".join(
        [
            code(load, 0, 0, 0),  # the number of the call
            code(equal, 0, 3, socket_call),
            code(load, 0, 0, 16),  # its first argument
            code(equal, 2, 0, 2),  # AF_INET
            code(equal, 1, 0, 10),  # AF_INET6
            code(give, 0, 0, allow),
            code(give, 0, 0, kill),
        ]
    )
    buffer = ctypes.create_string_buffer(program, len(program))
    filter_program = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(buffer))
    library = ctypes.CDLL(None, use_errno=True)
    no_new_privileges, set_seccomp, with_filter = 38, 22, 2
    if library.prctl(no_new_privileges, 1, 0, 0, 0) or library.prctl(set_seccomp, with_filter, filter_program, 0, 0):
        raise OSError(ctypes.get_errno(), "no seccomp")


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the filter has the numbers of x86-64")
def test_no_socket_for_a_network_is_made(tmp_path: Path) -> None:
    """A process that makes one is killed: a plan is not, a script that connects is."""
    quiet = Plan(tmp_path / "quiet", 2, "--fake", "--", PLANNED, "--objects", before=forbid_internet)
    assert quiet.done.returncode == 0, quiet.done.stderr
    loud = Plan(tmp_path / "loud", 2, "--fake", "--", PLANNED, "--connect", before=forbid_internet)
    assert loud.done.returncode == 1


def test_a_script_that_connects_is_stopped_with_its_line(tmp_path: Path) -> None:
    plan = Plan(tmp_path, 2, "--fake", "--", PLANNED, "--connect")
    assert plan.done.returncode == 1
    assert f"{PLANNED}:" in plan.done.stderr
    assert "commtap plan makes no network connections" in plan.done.stderr


def test_a_launched_job_is_left_alone(tmp_path: Path) -> None:
    plan = Plan(tmp_path / "plan", 2, "--fake", "--", PLANNED, variables={"RANK": "0", "WORLD_SIZE": "2"})
    assert plan.done.returncode == 2
    assert "RANK is 0: this process is part of a launched job" in plan.done.stderr
    assert not (tmp_path / "plan").exists()
    launcher = subprocess.run(
        [COMMAND, "plan", "--world-size", "2", "--", "torchrun", "train.py"],
        env=bare_environment() | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert launcher.returncode == 2
    assert "torchrun starts the ranks of a job" in launcher.stderr


@pytest.mark.parametrize(("launcher", "variable"), [("srun", "SLURM_PROCID"), ("mpi", "OMPI_COMM_WORLD_RANK")])
def test_ranks_have_the_environment_of_their_launcher(tmp_path: Path, launcher: str, variable: str) -> None:
    code = f"import os; print('I am', os.environ[{variable!r}], 'RANK' in os.environ)"
    plan = Plan(tmp_path, 16, "--real", "--ranks", "11", "--launcher", launcher, "--", "-c", code)
    assert "I am 11 False" in plan.log(11)


def test_a_script_without_steps_is_stopped_by_its_forwards(tmp_path: Path) -> None:
    plan = Plan(tmp_path, 2, "--fake", "--ranks", "0", "--steps", "0", "--forwards", "1", "--", PLANNED)
    assert plan.done.returncode == 0, plan.done.stderr
    assert plan.report(0).total(kind="all_gather", phase="forward") == 2
