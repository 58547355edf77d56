# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The table of ops against every schema of the installed torch, and the tool that reads those of another torch."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from report import REPOSITORY

sys.path.insert(0, str(REPOSITORY / ".dev"))
import ops

Table = ops.Table


@pytest.fixture(scope="module")
def table() -> Table:
    return ops.read_table()


def test_the_installed_torch(table: Table) -> None:
    """Each op of the watched namespaces is known, with arguments that exist and have the types that are needed."""
    schemas = ops.installed_schemas()
    assert sum(table.is_watched(schema.op) for schema in schemas) >= 80
    differences = ops.differences(table, schemas)
    assert not differences, "tracker/collectives/op_table.cc:\n" + "\n".join(differences)


@pytest.mark.parametrize(
    ("schema", "line"),
    [
        (
            "symm_mem::multimem_all_gather_new(Tensor input, str group_name) -> Tensor",
            '{"symm_mem::multimem_all_gather_new", kAllGather, kArgumentTimesGroup, "input"},',
        ),
        (
            "c10d::allreduce_new_(Tensor[] tensors, int x=1) -> Tensor[]",
            '{"c10d::allreduce_new_", kAllReduce, kArgument, "tensors"},',
        ),
        ("c10d::new_barrier(int[] device_ids) -> ()", '{"c10d::new_barrier", kBarrier, kNone, ""},'),
        (
            "_c10d_functional::reduce_scatter_new(Tensor output, Tensor input) -> Tensor",
            '{"_c10d_functional::reduce_scatter_new", kReduceScatter, kArgument, "input"},',
        ),
    ],
)
def test_a_new_op_fails_with_the_line_to_add(table: Table, schema: str, line: str) -> None:
    [difference] = ops.differences(table, [ops.parse(schema)])
    assert difference.splitlines()[-1].strip() == line


@pytest.mark.parametrize(
    ("schema", "fault"),
    [
        ("c10d::allreduce_(Tensor[] renamed, int x) -> Tensor[]", "has no argument tensors"),
        ("c10d::allreduce_(str[] tensors, Tensor x) -> Tensor[]", "the payload must be a tensor"),
        ("c10d::send(Tensor[] tensors, Tensor dst) -> ()", "has no int argument dst, src, peer"),
        ("c10d::allreduce_(Tensor[] tensors, bool? async_op=None) -> ()", "it must be a bool"),
        ("symm_mem::fused_matmul_reduce_scatter(Tensor A, Tensor other) -> Tensor", "has no argument B"),
    ],
)
def test_a_changed_op_fails(table: Table, schema: str, fault: str) -> None:
    [difference] = ops.differences(table, [ops.parse(schema)])
    assert fault in difference


def test_ops_of_other_namespaces_may_be_unknown(table: Table) -> None:
    schemas = [
        ops.parse(text) for text in ("vllm::new_all_reduce(Tensor x) -> Tensor", "aten::add(Tensor x) -> Tensor")
    ]
    assert ops.differences(table, schemas) == []


PYTHON = """
import torch
from torch import library
lib = library.Library("symm_mem", "DEF")
lib.define("fused_all_gather_matmul(Tensor A, Tensor[] Bs, *, bool return_A = True) -> (Tensor?, Tensor[])")
lib.define(
    "_low_contention_new_all_gather("
    "Tensor tensor, str group_name) -> Tensor"
)
@library.custom_op("_c10d_functional::new_broadcast", mutates_args=())
def new(input: torch.Tensor, src: int, group_name: str) -> torch.Tensor: ...
torch.ops._c10d_functional.wait_tensors([])
"""
LIBRARY = b"\0".join(
    [
        b"\x7fELF",
        b"allreduce_(Tensor[] tensors, __torch__.torch.classes.c10d.ProcessGroup process_group, bool x=True) -> X",
        b"new_exchange_(Tensor x, __torch__.torch.classes.c10d.ProcessGroup process_group) -> Tensor",
        b"broadcast_(Tensor(a!) input, int src, Any group_name) -> Tensor(a!)",
        b"nccl_new_put(Tensor(a!) tensor, int peer)-> ()",
        b"wait_tensors(Tensor[] tensors) -> Tensor[]",
        b"add(Tensor self, Tensor other) -> Tensor",
        b"no schema (at all) -> here",
        b"",
    ]
)


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    """A wheel of a torch that does not exist."""
    path = tmp_path / "torch-9.9.0-cp311-cp311-macosx_14_0_arm64.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("torch/distributed/_symmetric_memory/__init__.py", PYTHON)
        archive.writestr("torch/lib/libtorch_cpu.dylib", LIBRARY)
        archive.writestr("torch/lib/libother.dylib", b"\0ignored(Tensor x, str group_name) -> Tensor\0")
    return path


def test_a_wheel_is_read_without_its_torch(table: Table, wheel: Path) -> None:
    """Schemas are those of Library.define(), custom_op() and the texts in shared libraries, with their namespaces."""
    assert sorted(schema.op for schema in ops.wheel_schemas(wheel, table)) == [
        "_c10d_functional::broadcast_",
        "_c10d_functional::new_broadcast",
        "_c10d_functional::wait_tensors",
        "c10d::allreduce_",
        "c10d::new_exchange_",
        "symm_mem::_low_contention_new_all_gather",
        "symm_mem::fused_all_gather_matmul",
        "symm_mem::nccl_new_put",
    ]


def test_the_tool_prints_what_to_add(wheel: Path) -> None:
    tool = [sys.executable, str(REPOSITORY / ".dev" / "ops.py"), "--wheel", str(wheel)]
    done = subprocess.run(tool, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1
    lines = [line.strip() for line in done.stdout.splitlines()]
    assert '{"symm_mem::nccl_new_put", kSend, kArgument, "tensor"},' in lines
    assert '{"symm_mem::_low_contention_new_all_gather", kAllGather, kArgumentTimesGroup, "tensor"},' in lines
    assert lines[-1] == f"8 ops of {wheel.name}: 4 differ"


def test_the_page_lists_the_table(table: Table) -> None:
    """`./dev docs` changes nothing in docs/ops.md."""
    text = ops.PAGE.read_text(encoding="utf-8")
    assert ops.filled_page(text, table) == text


def test_a_wheel_in_the_cache_is_not_downloaded(wheel: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(ops, "WHEELS", tmp_path)
    assert ops.download("9.9") == wheel
    assert ops.download("9.9.0") == wheel


def test_a_version_that_pip_does_not_have(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def no_wheel(*_: object, **__: object) -> subprocess.CompletedProcess:
        return subprocess.CompletedProcess((), 1)

    monkeypatch.setattr(ops, "WHEELS", tmp_path)
    monkeypatch.setattr(ops.subprocess, "run", no_wheel)
    with pytest.raises(SystemExit, match=r"pip has no wheel of torch 1\.99: put one"):
        ops.download("1.99")
