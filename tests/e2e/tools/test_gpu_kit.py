# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The checks for a machine with a GPU (tests/gpu): each fails on wrong data, and the kit runs where it was carried."""

import copy
import json
import lzma
import os
import shutil
import struct
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from harness import ATTEMPTS, COMMAND, LIBRARY, TORCHS_ABORT
from installed import newest_wheel
from torch.profiler import DeviceType

from report import REPOSITORY

sys.path.insert(0, str(REPOSITORY / "tests" / "gpu"))
sys.path.insert(0, str(REPOSITORY / ".dev" / "gpu"))

import check
import exposed
import judge
import pack
import ranks
import results
import small_nccl
from samples_file import Digest, Row, Sample

PLACE = {"module": "Net", "phase": "forward", "group": "0"}


def collective(kind: str, op: str, count: int, size: int, **more: Any) -> dict[str, Any]:
    return PLACE | {"kind": kind, "op": op, "count": count, "bytes": size} | more


def call(function: str, op: str | None, count: int, size: int, **more: Any) -> dict[str, Any]:
    row = {"function": function, "op": op, "count": count, "bytes": size, "failed": 0, "captured": 0, "source": "call"}
    return PLACE | row | more


@pytest.fixture
def report() -> dict[str, Any]:
    return {
        "groups": [{"name": "0", "desc": "default_pg", "ranks": "0-1"}],
        "collectives": [
            collective("all_reduce", "c10d.allreduce_", 3, 96, time={"running_ns": {"count": 3, "sum": 300_000}}),
            collective("all_to_all", "c10d.alltoall_base_", 2, 64),
            collective("broadcast", "c10d.broadcast_", 1, 32),
            collective("barrier", "c10d.barrier", 1, 0),
        ],
        "nccl": {
            "version": "2.30.7",
            "calls": [
                call("ncclAllReduce", "c10d.allreduce_", 3, 96),
                call("ncclSend", "c10d.alltoall_base_", 4, 64),
                call("ncclRecv", "c10d.alltoall_base_", 4, 64),
                call("ncclBcast", "c10d.broadcast_", 1, 32),
                call("ncclAllReduce", "c10d.barrier", 1, 4),
            ],
        },
        "cuda_graphs": [],
    }


def changed(report: dict[str, Any], table: list[Any], **values: Any) -> dict[str, Any]:
    """Returns a copy of a report with other values in a row: `table` is the path of the row."""
    made = copy.deepcopy(report)
    row: Any = made
    for step in table:
        row = row[step]
    row.update(values)
    return made


def test_rows_are_compared_with_those_on_gloo(report: dict[str, Any]) -> None:
    renamed = changed(report, ["groups", 0], name="7")
    for row in renamed["collectives"]:
        row["group"] = "7"
    assert judge.row_faults(report, renamed) == []
    for values in ({"count": 4}, {"bytes": 95}, {"module": "Other"}, {"phase": "backward"}, {"kind": "reduce"}):
        assert judge.row_faults(changed(report, ["collectives", 0], **values), report)
    assert judge.row_faults(changed(report, ["groups", 0], ranks="0-3"), report)
    assert judge.row_faults(report, report | {"collectives": []})


def test_calls_to_nccl_are_compared_with_the_rows(report: dict[str, Any]) -> None:
    assert judge.nccl_faults(report) == []
    for row, values in (
        (0, {"count": 2}),
        (0, {"bytes": 100}),
        (0, {"op": None}),
        (0, {"failed": 1}),
        (1, {"bytes": 32}),
        (3, {"module": "Global"}),
    ):
        assert judge.nccl_faults(changed(report, ["nccl", "calls", row], **values)), values
    assert judge.nccl_faults(report | {"nccl": None})


def test_sums_and_the_loaded_library(report: dict[str, Any]) -> None:
    said = [{"least": 3.0, "most": 3.0, "version": "2.30.7", "libraries": ["/x/libnccl.so.2"]} for _ in range(2)]
    assert judge.sum_faults(said) == []
    assert judge.sum_faults([said[0], said[1] | {"least": 1.0}]) == [
        "rank 1: an all_reduce gave 1.0 to 3.0, expected 3.0"
    ]
    assert judge.faults_of_library(said, "/x/libnccl.so.2", report) == []
    assert judge.faults_of_library(said, None, report) == []
    assert judge.faults_of_library(said, "/y/libnccl.so.2", report)
    assert judge.faults_of_library([said[0] | {"libraries": []}], None, report)
    both = [said[0] | {"libraries": ["/torchs/libnccl.so.2", "/x/libnccl.so.2"]}]
    assert judge.faults_of_library(both, "/x/libnccl.so.2", report) == []
    assert judge.faults_of_library(both, None, report)
    assert judge.faults_of_library([said[0] | {"version": "2.28.9"}], None, report)


def test_graphs(report: dict[str, Any]) -> None:
    made = {"count": 3, "bytes": 96, "captured": 2, "launches": 7}
    right = {
        "collectives": [collective("all_reduce", "c10d.allreduce_", 3, 96, module="Reduce")],
        "nccl": {"calls": [call("ncclAllReduce", "c10d.allreduce_", 3, 96, module="Reduce", captured=2)]},
        "cuda_graphs": [{"launches": 7}],
    }
    assert judge.graph_faults(right, made) == []
    for name in made:
        assert judge.graph_faults(right, made | {name: 1})
    assert judge.graph_faults(right | {"cuda_graphs": []}, made) == ["launches: 0, the job made 7"]


def test_times_are_compared_with_kinetos(report: dict[str, Any]) -> None:
    assert judge.time_faults(report, {"Net": 290_000}, {"Net": 3}) == []
    assert judge.time_faults(report, {"Net": 400_000}, {"Net": 3})  # events end before their kernel
    assert judge.time_faults(report, {"Net": 50_000}, {"Net": 3})  # events take far longer
    assert judge.time_faults(report, {"Net": 290_000}, {"Net": 4})  # one is not timed
    assert judge.time_faults(report, {}, {})


@dataclass
class Event:
    """An event of a trace, as Kineto has it."""

    named: str
    begin: int
    ns: int
    stream: int
    number: int = 0
    where: DeviceType = DeviceType.CUDA

    def name(self) -> str:
        return self.named

    def device_type(self) -> DeviceType:
        return self.where

    def device_resource_id(self) -> int:
        return self.stream

    def correlation_id(self) -> int:
        return self.number

    def start_ns(self) -> int:
        return self.begin

    def duration_ns(self) -> int:
        return self.ns


def test_gaps_of_a_trace() -> None:
    """The host is late in the first gap by 100; the second gap does not end with a collective."""
    events = [
        Event("gemm", 0, 100, 7),
        Event("ncclDevKernel_AllGather", 50, 450, 9),
        Event("cudaStreamWaitEvent", 200, 5, 1, where=DeviceType.CPU),
        Event("cudaLaunchKernel", 210, 5, 1, 42, DeviceType.CPU),
        Event("gemm", 505, 100, 7, 42),
        Event("ncclDevKernel_AllReduce", 600, 100, 9),
        Event("gemm", 700_000, 100, 7),
    ]
    assert exposed.sums_of(events) == {"nccl": 550, "uncovered": 400 + 95, "gaps": 400, "waited": 300}


def test_exposed_time_is_compared_with_the_traces() -> None:
    report = {"steps": [{"first_step": 3, "steps": 1, "collectives": [{"exposed_ns": 4_000_000}, {}]}]}
    trace = {"nccl": 9_000_000, "uncovered": 5_000_000, "waited": 4_200_000}
    assert judge.exposure_faults(report, {"first": 3, "steps": [trace]}) == []
    assert judge.exposure_faults(report, {"first": 3, "steps": [trace | {"waited": 2_000_000}]})
    assert judge.exposure_faults(report, {"first": 3, "steps": [trace | {"nccl": 1_000_000}]})
    assert judge.exposure_faults(report, {"first": 4, "steps": [trace]})  # the step is not in the report


def test_the_plugin(report: dict[str, Any]) -> None:
    told = changed(report, ["nccl", "calls", 0], source="plugin", op=None)
    assert judge.plugin_faults(told, {"ncclAllReduce": (3, 96)}) == []
    assert judge.plugin_faults(told, {"ncclAllReduce": (3, 90)})
    assert judge.plugin_faults(report, {"ncclAllReduce": (3, 96)})
    assert judge.plugin_faults(report | {"nccl": None}, {"ncclAllReduce": (3, 96)})


def test_verdicts() -> None:
    verdict = {"status": "stuck", "reason": "skipped", "cause": "1", "call": {"module": "Net.b"}, "line": "a line"}
    assert judge.verdict_faults(verdict, ("skipped",), "1", "Net.b") == []
    for values in ({"status": "healthy"}, {"reason": "size"}, {"cause": "0-1"}, {"call": None}):
        [fault] = judge.verdict_faults(verdict | values, ("skipped",), "1", "Net.b")
        assert fault.endswith(": a line")


def test_paces_are_paired() -> None:
    taken = {"bare": [10.0, 20.0, 30.0], "host": [11.0, 24.0, 33.0]}
    assert judge.paces(taken) == {"bare": {"us": 20.0, "ratio": 1.0}, "host": {"us": 24.0, "ratio": 1.1}}


def test_ranks_share_one_gpu_as_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs need no change: LOCAL_RANK is 0. Without a GPU to share, NCCL keeps its own settings."""
    assert [ranks.ranks_for(1, (2, 28)), ranks.ranks_for(1, (2, 30)), ranks.ranks_for(4, (2, 28))] == [1, 2, 4]
    monkeypatch.setenv("NCCL_NVLS_ENABLE", "1")
    monkeypatch.setenv("COMMTAP_TIMING", "off")
    machine = ranks.Machine(Path("/c.so"), Path("/c"), gpus=("H100",), nccl=Path("/n.so"), ranks=2)
    shared = list(ranks.environments(machine, Path("/out"), {}))
    assert [(each["RANK"], each["LOCAL_RANK"], each["WORLD_SIZE"]) for each in shared] == [
        ("0", "0", "2"),
        ("1", "0", "2"),
    ]
    assert shared[0]["NCCL_MULTI_RANK_GPU_ENABLE"] == "1"
    assert shared[0]["NCCL_MAX_CTAS"] == "4"
    assert shared[0]["LD_PRELOAD"] == "/c.so:/n.so"
    assert not {"NCCL_NVLS_ENABLE", "COMMTAP_TIMING"} & shared[0].keys()
    assert len({each["MASTER_PORT"] for each in shared}) == 1
    [bare, _] = ranks.environments(machine, None, {})
    assert bare["LD_PRELOAD"] == "/n.so"
    machine.gpus, machine.nccl = ("H100", "H100"), None
    apart = list(ranks.environments(machine, None, {}))
    assert [each["LOCAL_RANK"] for each in apart] == ["0", "1"]
    assert not {"NCCL_MULTI_RANK_GPU_ENABLE", "LD_PRELOAD"} & apart[0].keys()


@pytest.fixture
def kit(tmp_path: Path) -> check.Kit:
    machine = ranks.Machine(LIBRARY, COMMAND, "cpu", "gloo", ranks=2)
    return check.Kit(machine, tmp_path, {}, tmp_path / "results.json", is_dry=True)


def test_a_part_that_fails_or_has_no_time_is_no_end(kit: check.Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    """A job that fails, hangs or leaves no report is a failed check, and the next part runs."""

    def fails(_: check.Kit) -> None:
        """Fails."""
        with kit.attempt("a job"):
            raise ranks.Failed("rank 0 ended with 1")
        with kit.attempt("a report"):
            judge.nccl_faults({})["x"]  # type: ignore[call-overload]
        with kit.attempt("a hang", 0.01):
            time.sleep(0.02)
            kit.machine.left_s()
        kit.judge("another", [])

    monkeypatch.setattr(check, "PARTS", {"a": (9, fails), "b": (9, fails)})
    check.run_parts(kit, "a", 100)
    assert [each["result"] for each in kit.checks] == ["failed", "failed", "failed", "passed"]
    check.run_parts(kit, "b", 1)
    assert kit.checks[-1]["result"] == "not run"
    assert kit.checks[-1]["faults"] == ["no time left"]
    assert json.loads(kit.results.read_text())["checks"] == kit.checks


def twins(**other: Any) -> list[Sample]:
    """Returns a sample of one tensor and its twin, which differs in `other`."""
    digest = {"bits": 7, "squares": 4.0, "sums": (1.0,) * 8, "is_constant": False}
    rows = [
        Row({"name": f"Twins.{name}_0"}, 1, Digest(**digest | change), Digest(**digest))
        for name, change in (("one", {}), ("other", other))
    ]
    return [Sample(0, 1, {}, rows, reductions=[], gradient_elements=0, forwards=1, data_rows=0, hashes=[], gaps={})]


def test_digests_of_a_gpu_are_held_against_those_of_the_cpu() -> None:
    assert judge.twin_faults(twins(squares=4.00001, sums=(1.00001,) * 8), 1, 1) == []
    assert judge.twin_faults(twins(bits=8), 1, 1) == ["step 1, one_0: other values"]
    assert judge.twin_faults(twins(sums=(1.001,) * 8), 1, 1) == ["step 1, one_0: other values"]
    assert judge.twin_faults(twins(is_constant=True), 1, 1) != []
    assert judge.twin_faults(twins(), 1, 2) == ["step 1: 2 rows, of 4"]
    assert judge.twin_faults(twins(), 2, 1) == ["the samples are of steps [1]"]


def test_the_cost_of_a_sample_is_that_of_steps_with_samples() -> None:
    said = {"bytes": 2_000_000_000, "ms": [90.0, 5.0, 5.0, 1.0, 1.0], "host_ms": [80.0, 0.5, 0.7, 0.1, 0.1]}
    assert judge.sample_cost(said, {1, 2, 3}) == {"ms_per_gb": 2.0, "host_ms": 0.5, "first_ms": 90.0}


def elf_with(code: bytes) -> bytes:
    """Returns an ELF file with a section of code for GPUs and one of debug information."""
    names = b"\0.nv_fatbin\0.debug_info\0.shstrtab\0"
    parts = [(1, code), (12, b"debug!!!"), (24, names)]
    image, rows = bytearray(64), [struct.pack("<IIQQQQIIQQ", *([0] * 10))]
    for name, part in parts:
        rows.append(struct.pack("<IIQQQQIIQQ", name, 1, 0, 0, len(image), len(part), 0, 0, 0, 0))
        image += part
    struct.pack_into("<Q", image, 0x28, len(image))
    struct.pack_into("<HHH", image, 0x3A, 64, len(rows), len(rows) - 1)
    return bytes(image) + b"".join(rows)


def code_for(arch: int, body: bytes) -> bytes:
    entry = bytearray(64)
    struct.pack_into("<HHIQ", entry, 0, 2, 0, len(entry), len(body))
    struct.pack_into("<I", entry, 28, arch)
    return bytes(entry) + body


def test_the_copy_of_nccl_has_the_code_of_one_gpu(tmp_path: Path) -> None:
    entries = code_for(80, b"A" * 16) + code_for(90, b"H" * 16) + code_for(100, b"B" * 16)
    container = struct.pack("<IHHQ", small_nccl.MAGIC, 1, 16, len(entries)) + entries
    library = tmp_path / "libnccl.so.2"
    library.write_bytes(elf_with(container + bytes(8) + container))
    assert small_nccl.write_small(library, tmp_path / "small.xz", 90) == 32
    small = lzma.decompress((tmp_path / "small.xz").read_bytes())
    assert len(small) == library.stat().st_size
    assert small == library.read_bytes().replace(b"A", b"\0").replace(b"B", b"\0").replace(b"debug!!!", bytes(8))
    assert small_nccl.write_small(library, tmp_path / "none.xz", 75) == 0


def test_results_are_written_to_the_page() -> None:
    page = f"# Page\n{results.BEGIN}\nold\n{results.END}\nend\n"
    facts = {"date": "2026-11-30", "gpus": ["NVIDIA H100"], "ranks": 2, "mps": False, "torch": "2.11.0+cu130"}
    facts |= {"cuda": "13.0", "nccl": [2, 28, 9], "nccl_loaded": "2.30.7", "python": "3.12.3"}
    checks = [
        {"part": "a", "what": "sum", "result": "passed", "faults": []},
        {"part": "b", "what": "tp", "result": "failed", "faults": ["a | b", "more"]},
    ]
    pace = {"bare": {"us": 10.0, "ratio": 1.0}, "rounds": 3}
    steps = [{"nccl": 9.0, "uncovered": 5.0, "gaps": 4.5, "waited": 4.0, "exposed": 4.25}] * 2
    filled = results.filled(page, {"facts": facts, "checks": checks, "pace": pace, "exposed": {"ddp, rank 0": steps}})
    assert filled.startswith(
        f"# Page\n{results.BEGIN}\nOn 2026-11-30, on 1 NVIDIA H100, 2 ranks that shared it in turns, "
    )
    assert "NCCL 2.30.7 in place of its 2.28.9, CPython 3.12.3. **1 passed, 1 failed.**" in filled
    assert "| b | tp | failed: a / b |" in filled
    assert "| bare | 10.0 | 1.0 |" in filled
    assert "| ddp, rank 0 | 9.00 | 5.00 | 4.50 | 4.00 | 4.25 |" in filled
    assert filled.endswith(f"{results.END}\nend\n")
    assert "old" not in filled
    assert results.BEGIN in results.PAGE.read_text(encoding="utf-8")


def carried(folder: Path) -> Path:
    """Returns a folder as `./dev gpu pack` makes it, without NCCL, that was carried elsewhere."""
    (folder / "made").mkdir()
    pack.pack_checks(folder / "made", newest_wheel())
    return Path(shutil.move(folder / "made", folder / "else where"))


def dry_run(folder: Path, *arguments: str, **variables: str) -> tuple[int, dict[str, Any]]:
    """Runs the kit without a GPU, again if PyTorch aborts; returns its exit status and results."""
    own = {} if newest_wheel() else {"LIBRARY": str(LIBRARY), "COMMAND": str(COMMAND)}
    environment = os.environ | {"PYTHON": sys.executable} | own | variables
    command = ["bash", folder / "tests" / "gpu" / "run.sh", "--dry-run", *arguments]
    path = folder / "gpu-results.json"
    for _ in range(ATTEMPTS):
        done = subprocess.run(
            command, cwd=folder, env=environment, check=False, capture_output=True, text=True, timeout=120
        )
        assert path.exists(), done.stderr
        if TORCHS_ABORT.decode() not in done.stdout:
            break
    print(done.stdout)
    return done.returncode, json.loads(path.read_text(encoding="utf-8"))


def test_the_kit_runs_where_it_was_carried(tmp_path: Path) -> None:
    status, found = dry_run(carried(tmp_path), "--parts", "abcdh", "--jobs", "tp")
    assert [(each["part"], each["result"]) for each in found["checks"]] == [
        ("a", "passed"),
        ("b", "passed"),
        ("c", "not run"),
        ("d", "not run"),
        ("h", "passed"),
        ("h", "passed"),
        ("h", "passed"),
        ("h", "not run"),
    ]
    assert status == 0
    assert found["facts"]["ranks"] == 2


def test_the_kit_fails_without_commtap(tmp_path: Path) -> None:
    """With commtap switched off in every job, nothing is counted."""
    status, found = dry_run(
        carried(tmp_path), "--parts", "b", "--jobs", "tp", LIBRARY=str(tmp_path / "no.so"), COMMAND="x"
    )
    assert status == 1
    assert [each["faults"] for each in found["checks"]] == [["rank 0 has left no report"]]


@pytest.mark.long
def test_the_whole_kit_without_a_gpu(tmp_path: Path) -> None:
    status, found = dry_run(carried(tmp_path), "--rounds", "1")
    assert {each["part"] for each in found["checks"]} == set(check.PARTS)
    assert [each for each in found["checks"] if each["result"] == "failed"] == []
    assert status == 0
    assert found["pace"]["rounds"] == 1
