# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Contexts over many steps, threads, compiled code and nested contexts; captures, scopes and snapshots."""

import json
import os
import subprocess
import sys
import threading
import warnings
from pathlib import Path
from typing import Any

import commtap
import pytest
import torch
import torch.distributed as dist
from binaries import CHECKOUT_PACKAGE, LIBRARY, PACKAGE
from commtap import Capture, CommDebugMode, Threads
from dtensor_harness import REPOSITORY
from models import MLP_PLAN, MLPModule
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor.debug import CommDebugMode as Peer
from torch.distributed.tensor.parallel import parallelize_module

functional, c10d = torch.ops.c10d_functional, torch.ops.c10d


@pytest.fixture
def model(mesh: DeviceMesh) -> nn.Module:
    """Returns a model with one all-reduce in forward, and one in backward if the input needs a gradient."""
    return parallelize_module(MLPModule(), mesh, dict(MLP_PLAN))


def train(model: nn.Module, steps: int, needs_grad: bool = False) -> None:
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(steps):
        model(torch.rand(8, 10, requires_grad=needs_grad)).sum().backward()
        optimizer.step()
        optimizer.zero_grad()


def test_many_steps(model: nn.Module, tmp_path: Path) -> None:
    """Counts grow with the steps, files do not. PyTorch 2.13's mode raises at the second forward.

    The test runs at least two steps, because one step has no ops between steps.
    """
    sizes = []
    mode = CommDebugMode()
    for steps in (2, 4, 16):
        with mode:
            train(model, steps, needs_grad=True)
        assert mode.comm_module_counts["Global"]["forward"][functional.all_reduce] == steps
        assert mode.comm_module_counts["MLPModule.net1"]["backward"][functional.all_reduce] == steps
        mode.generate_json_dump(str(tmp_path / "dump"))
        table = mode.generate_comm_debug_tracing_table()
        # Autograd keeps or detaches a gradient depending on the other references to it.
        names = [
            line for line in (tmp_path / "dump").read_text().splitlines() if '"name"' in line and "detach" not in line
        ]
        sizes.append((len(names), len([line for line in table.splitlines() if "detach" not in line])))
    assert sizes[0] == sizes[1] == sizes[2]
    with pytest.raises(IndexError), Peer():
        train(MLPModule(), 2)


def test_a_module_that_is_called_twice(model: nn.Module) -> None:
    """Calls in one step and after the context count right; nothing stays on the module."""
    with CommDebugMode() as mode:
        model(model(torch.rand(8, 10)))
    assert mode.get_total_counts() == 2
    assert mode.advanced_module_tracker.parent_dict == {
        "Global": ["MLPModule"],
        "MLPModule": ["MLPModule.net1", "MLPModule.relu", "MLPModule.net2"],
    }
    model(torch.rand(8, 10))
    assert mode.get_total_counts() == 2
    assert not model.relu._forward_hooks
    assert not model.relu._forward_pre_hooks


def test_nested_contexts(model: nn.Module) -> None:
    """Each context counts what runs inside it, in one class or both; a live dictionary stays current."""
    with CommDebugMode() as outer:
        train(model, 1)
        held = outer.get_comm_counts()
        with CommDebugMode() as inner, Peer() as peer:
            train(model, 1)
        assert (inner.get_total_counts(), outer.get_total_counts()) == (1, 2)
        assert held is outer.comm_counts
        assert held[functional.all_reduce] == 2
        train(model, 1)
    assert (inner.get_total_counts(), outer.get_total_counts(), peer.get_total_counts()) == (1, 3, 1)
    assert outer.comm_module_counts["MLPModule.net2"]["forward"] == {functional.all_reduce: 3}


def test_a_context_that_begins_inside_a_module(mesh: DeviceMesh) -> None:
    """The tracker knows the enclosing module, though the context does not."""

    class Outer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.mlp = parallelize_module(MLPModule(), mesh, dict(MLP_PLAN))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            with mode:
                dist.all_reduce(torch.ones(2))
                return self.mlp(x)

    mode = CommDebugMode()
    Outer()(torch.rand(8, 10))
    forward = {name: dict(counts["forward"]) for name, counts in mode.comm_module_counts.items()}
    assert forward["Outer"] == {c10d.allreduce_: 1}
    assert forward["Global"] == {c10d.allreduce_: 1, functional.all_reduce: 1}
    assert forward["MLPModule.net2"] == {functional.all_reduce: 1}


def test_a_backward_whose_forward_was_before(model: nn.Module) -> None:
    """The backward's collectives are attributed to the module that the tracker remembers."""
    loss = model(torch.rand(8, 10, requires_grad=True)).sum()
    with CommDebugMode() as mode:
        loss.backward()
    backward = {name: dict(counts["backward"]) for name, counts in mode.comm_module_counts.items()}
    assert backward.pop("Global") == {functional.all_reduce: 1}
    [(name, counts), (parent, _)] = sorted(backward.items(), key=lambda item: -len(item[0]))
    assert counts == {functional.all_reduce: 1}
    assert name == f"{parent}.net1"


def test_threads(mesh: DeviceMesh) -> None:
    """A context counts all threads; a capture may count one."""

    def reduce() -> None:
        dist.all_reduce(torch.ones(2))

    with CommDebugMode() as mode, Capture(Threads.THIS) as mine, Capture() as everyones:
        reduce()
        threads = [threading.Thread(target=reduce) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [row.count for row in mine.collectives()] == [1]
    assert mode.get_comm_counts()[c10d.allreduce_] == 4
    assert [(row.count, row.bytes, row.kind) for row in everyones.collectives()] == [(4, 4 * 2 * 4, "all_reduce")]
    assert [(row.count, row.bytes) for row in mine.collectives()] == [(1, 2 * 4)]


def test_captures_have_what_contexts_have_not(mesh: DeviceMesh) -> None:
    """Captures have sends, receives, barriers, groups, dtypes and phases."""
    with Capture() as capture:
        dist.send(torch.ones(2), 0)
        dist.barrier()
        dist.all_reduce(torch.ones(4, dtype=torch.float64))
        with commtap.scope("metrics"):
            assert commtap.current_module() == "metrics"
            dist.broadcast(torch.ones(1), 0)
    rows = [(row.module, row.phase, row.kind, row.dtype, row.count, row.bytes) for row in capture.collectives()]
    assert rows == [
        ("Global", "other", "send", "float32", 1, 8),
        ("Global", "other", "barrier", "", 1, 0),
        ("Global", "other", "all_reduce", "float64", 1, 32),
        ("metrics", "forward", "broadcast", "float32", 1, 4),
    ]
    assert {row.group for row in capture.collectives()} == {dist.group.WORLD.group_name}
    assert commtap.current_module() == "Global"


def test_memory_that_was_a_parameter(mesh: DeviceMesh) -> None:
    """A tensor in memory that a parameter left is no parameter."""
    memory = bytearray(4 * 8)
    model = nn.Linear(8, 1, bias=False)
    model.weight = nn.Parameter(torch.frombuffer(memory, dtype=torch.float32).view(1, 8))
    with Capture() as capture:
        model(torch.rand(2, 8))
        dist.all_reduce(model.weight.detach())
        model.weight.data = model.weight.data.clone()
        dist.all_reduce(torch.frombuffer(memory, dtype=torch.float32))
    assert [row.module for row in capture.collectives()] == ["Linear", "Global"]


@pytest.mark.parametrize("fullgraph", [True, False])
def test_compiled_code_stays_compiled(mesh: DeviceMesh, fullgraph: bool) -> None:
    """Graphs are equal to those without a context, without eager runs or warnings; each run's collectives count."""
    torch._dynamo.reset()
    graphs, runs = [], []

    def backend(graph: torch.fx.GraphModule, _: Any) -> Any:
        graphs.append(graph)

        def run(*args: Any) -> Any:
            runs.append(graph)
            return graph(*args)

        return run

    model = parallelize_module(MLPModule(), mesh, dict(MLP_PLAN))
    compiled = torch.compile(model, backend=backend, fullgraph=fullgraph)
    with CommDebugMode() as mode, warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        for _ in range(3):
            compiled(torch.rand(8, 10))
    assert (len(graphs), len(runs)) == (1, 3)
    assert mode.get_comm_counts()[functional.all_reduce] == 3
    compiled(torch.rand(8, 10))
    assert (len(graphs), len(runs)) == (1, 4)
    torch._dynamo.reset()


def test_fake_tensors(mesh: DeviceMesh) -> None:
    """A dry run communicates nothing: the context counts it as PyTorch's does, the tracker's report does not."""
    counts = {}
    for mode_type in (CommDebugMode, Peer):
        with FakeTensorMode(), Capture() as capture, mode_type() as mode:
            dist.all_reduce(torch.ones(2))
            torch.ones(2) + 1
        counts[mode_type] = mode.get_comm_counts()[c10d.allreduce_]
        assert capture.collectives() == []
    assert counts[CommDebugMode] == counts[Peer] == 1


def test_an_exception_in_a_context(model: nn.Module) -> None:
    """An exception leaves no state behind; the next context counts right."""

    def fail() -> None:
        with CommDebugMode():
            model(torch.rand(8, 10))
            raise ValueError("on purpose")

    with pytest.raises(ValueError, match="on purpose"):
        fail()
    with CommDebugMode() as mode:
        train(model, 1)
    assert mode.get_total_counts() == 1
    assert mode.advanced_module_tracker.parents == {"Global"}


def test_ops_outside_of_modules_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The log counts the records that it drops."""
    monkeypatch.setattr("commtap.operations.MAX_OPERATIONS", 5)
    x = torch.ones(2)
    with CommDebugMode() as mode:
        for _ in range(8):
            x + 1
    assert len(mode.comm_module_operation_counts["Global"]["operations_list"]) == 5
    assert mode.advanced_module_tracker.log.dropped == 3


def test_the_mode_tells_where_it_is(model: nn.Module) -> None:
    """name, activation_checkpointing, is_bw and parents are right in forward and backward."""
    seen, lists = [], []
    mode = CommDebugMode()
    tracker = mode.advanced_module_tracker

    def look(*_: object) -> None:
        seen.append((tracker.name, tracker.is_bw, tracker.activation_checkpointing, commtap.is_backward()))
        lists.append(tracker.parent_list)

    class Looks(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            look()
            y = x.sin()
            y.register_hook(look)
            return y + 1

    with mode:
        torch.utils.checkpoint.checkpoint(
            Looks(), torch.ones(2, requires_grad=True), use_reentrant=False
        ).sum().backward()
    assert seen == [
        ("Looks", False, False, False),
        ("Looks", True, False, True),
        ("Looks", True, True, True),
    ]
    assert lists == [["Global", "Looks"], ["Global"], ["Global"]]
    assert set(tracker.register_forward_hook_handles) == {"Looks"}
    tracker.register_forward_hook_handles["Looks"].remove()


def test_stop_start_and_reset(mesh: DeviceMesh) -> None:
    """Nothing counts while stopped; a reset changes no context."""
    x = torch.ones(2)
    with CommDebugMode() as mode:
        dist.all_reduce(x)
        commtap.stop()
        dist.all_reduce(x)
        commtap.start()
        dist.all_reduce(x)
        commtap.reset()
        dist.all_reduce(x)
    assert mode.get_total_counts() == 3
    report = commtap.snapshot()
    assert report is not None
    assert sum(row["count"] for row in report["collectives"]) == 1


def test_snapshots(model: nn.Module, tmp_path: Path) -> None:
    """snapshot() returns or writes the report of the whole process."""
    train(model, 1)
    assert commtap.snapshot(str(tmp_path / "report.json")) is None
    written = json.loads((tmp_path / "report.json").read_text())
    assert written["schema"] == "commtap/2"
    assert written["modules"] == commtap.snapshot()["modules"]
    with pytest.raises(RuntimeError, match="cannot write"):
        commtap.snapshot(str(tmp_path / "no" / "folder"))
    with pytest.raises(RuntimeError, match="no name"), commtap.scope(""):
        pass


def python(code: str, tmp_path: Path, package: Path = PACKAGE, **variables: str) -> subprocess.CompletedProcess:
    """Runs code in a new process in its own folder."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("COMMTAP", "LD_PRELOAD"))}
    path = os.pathsep.join([str(package), str(REPOSITORY / "tests" / "api")])
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        env=kept | {"PYTHONPATH": path} | variables,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )


USES_A_CONTEXT = """
from dtensor_harness import fake_world
import torch, torch.distributed as dist, commtap
model = torch.nn.Linear(2, 2)
with fake_world(), commtap.CommDebugMode() as mode:
    model(torch.ones(2))
    dist.all_reduce(torch.ones(2))
print(mode.get_total_counts(), list(mode.advanced_module_tracker.module_helper_dict))
"""


def test_loaded_late_it_leaves_no_file(tmp_path: Path) -> None:
    """The package writes reports only if COMMTAP_OUT is set."""
    run = python(USES_A_CONTEXT, tmp_path)
    assert (run.returncode, run.stdout, run.stderr) == (0, "1 ['Global', 'Linear']\n", "")
    assert list(tmp_path.iterdir()) == []
    run = python(USES_A_CONTEXT, tmp_path, COMMTAP_OUT=str(tmp_path / "out"))
    assert (run.returncode, run.stdout) == (0, "1 ['Global', 'Linear']\n")
    [report] = (tmp_path / "out").glob("*.json")
    assert json.loads(report.read_text())["collectives"][0]["count"] == 1


def test_preloaded(tmp_path: Path) -> None:
    """The results are the same under the preload."""
    preload = {"LD_PRELOAD": str(LIBRARY), "COMMTAP_OUT": str(tmp_path / "out")}
    run = python(USES_A_CONTEXT, tmp_path, **preload)
    assert (run.returncode, run.stdout, run.stderr) == (0, "1 ['Global', 'Linear']\n", "")
    assert len(list((tmp_path / "out").glob("*.json"))) == 1


def test_no_library_and_switched_off(tmp_path: Path) -> None:
    """The error is one line that says what to do; no count is silently 0."""
    run = python(USES_A_CONTEXT, tmp_path, CHECKOUT_PACKAGE, BUILD_DIR=str(tmp_path))
    assert f"RuntimeError: commtap: {tmp_path}/shim/libcommtap.so is missing" in run.stderr.splitlines()[-1]
    run = python(USES_A_CONTEXT, tmp_path, COMMTAP="0")
    assert "COMMTAP=0" in run.stderr.splitlines()[-1]
