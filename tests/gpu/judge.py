# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Demands on reports: each function returns the faults that it finds, one line each. Needs no torch and no GPU."""

import math
import statistics
from collections import Counter
from typing import Any

Report = dict[str, Any]
Amount = tuple[int, int]  # calls, bytes

#: NCCL's functions by kind of collective. An all_to_all is one call, or sends and receives.
FUNCTIONS: dict[str, tuple[str, ...]] = {
    "all_reduce": ("ncclAllReduce",),
    "all_gather": ("ncclAllGather",),
    "reduce_scatter": ("ncclReduceScatter",),
    "broadcast": ("ncclBroadcast", "ncclBcast"),
    "reduce": ("ncclReduce",),
    "send": ("ncclSend",),
    "recv": ("ncclRecv",),
    "all_to_all": ("ncclSend", "ncclAlltoAll"),
}
#: Ops that call NCCL once for each of their tensors, or for each rank: only their bytes are compared.
MANY_CALLS = ("coalesced", "alltoall", "all_to_all", "allgather_", "reduce_scatter_")


def members_of(report: Report) -> dict[str, str]:
    """Returns each group's ranks by its name.

    Two runs share neither names nor the number of groups: on a machine with CUDA, a job on Gloo gets a second group for
    a device mesh over all ranks (torch/distributed/device_mesh.py).
    """
    return {group["name"]: str(group["ranks"]) for group in report["groups"]}


def rows_of(report: Report) -> dict[tuple[str, ...], Amount]:
    """Returns calls and bytes by module, phase, kind and the ranks of the group."""
    members = members_of(report)
    counts: Counter[tuple[str, ...]] = Counter()
    sizes: Counter[tuple[str, ...]] = Counter()
    for row in report["collectives"]:
        key = row["module"], row["phase"], row["kind"], members.get(row["group"], row["group"])
        counts[key] += row["count"]
        sizes[key] += row["bytes"]
    return {key: (counts[key], sizes[key]) for key in counts}


def row_faults(found: Report, expected: Report) -> list[str]:
    """Returns the rows in which a run on NCCL differs from the same job on Gloo."""
    ours, theirs = rows_of(found), rows_of(expected)
    if not theirs:
        return ["the job on Gloo counted nothing"]
    return [
        f"{' '.join(key)}: {ours.get(key)} calls and bytes, {theirs.get(key)} on Gloo"
        for key in sorted(ours.keys() | theirs.keys())
        if ours.get(key) != theirs.get(key)
    ]


def nccl_amounts(report: Report, functions: tuple[str, ...], **where: Any) -> Amount:
    """Returns the calls and bytes of NCCL's functions in the rows whose fields have these values."""
    rows = [
        row
        for row in report["nccl"]["calls"]
        if row["function"] in functions and all(row[name] == value for name, value in where.items())
    ]
    return sum(row["count"] for row in rows), sum(row["bytes"] for row in rows)


def nccl_faults(report: Report) -> list[str]:
    """Returns the collectives whose calls to NCCL are not what they ask for."""
    if not report.get("nccl"):
        return ["no call to NCCL was counted"]
    asked: dict[tuple[str, ...], Counter[str]] = {}
    for row in report["collectives"]:
        key = row["kind"], row["op"], row["group"], row["module"], row["phase"]
        asked.setdefault(key, Counter()).update(count=row["count"], bytes=row["bytes"])
    faults = []
    for (kind, op, group, module, phase), amount in asked.items():
        if kind not in FUNCTIONS:
            continue
        count, size = nccl_amounts(report, FUNCTIONS[kind], op=op, group=group, module=module, phase=phase)
        has_one_call = not any(part in op for part in MANY_CALLS)
        if size != amount["bytes"] or count == 0 or (has_one_call and count != amount["count"]):
            expected = f"{amount['count']} calls of {amount['bytes']} bytes"
            faults.append(f"{module} {phase} {op}: NCCL has {count} calls of {size} bytes, the collective {expected}")
    failed = sum(row["failed"] for row in report["nccl"]["calls"])
    return faults + ([f"{failed} calls to NCCL failed"] if failed else [])


def sum_faults(said: list[dict[str, Any]]) -> list[str]:
    """Returns the ranks whose all_reduce has not the sum of all ranks' values, which are their number plus 1."""
    expected = float(sum(range(1, len(said) + 1)))
    return [
        f"rank {rank}: an all_reduce gave {each['least']} to {each['most']}, expected {expected}"
        for rank, each in enumerate(said)
        if (each["least"], each["most"]) != (expected, expected)
    ]


def faults_of_library(said: list[dict[str, Any]], preloaded: str | None, report: Report) -> list[str]:
    """Returns what is wrong with the NCCL that the ranks have loaded."""
    faults = []
    for rank, each in enumerate(said):
        if preloaded is not None and preloaded not in each["libraries"]:
            faults.append(f"rank {rank} has loaded {each['libraries']}, not {preloaded}")
        elif preloaded is None and len(each["libraries"]) != 1:
            faults.append(f"rank {rank} has loaded {len(each['libraries'])} libraries of NCCL: {each['libraries']}")
    counted = (report.get("nccl") or {}).get("version")
    if counted != said[0]["version"]:
        faults.append(f"the report says NCCL {counted}, the library {said[0]['version']}")
    return faults


def graph_faults(report: Report, said: dict[str, Any]) -> list[str]:
    """Returns the counts of eager, captured and launched all_reduces that are not the job's own."""
    rows = [row for row in report["collectives"] if row["kind"] == "all_reduce" and row["module"] == "Reduce"]
    calls = [row for row in report["nccl"]["calls"] if row["function"] == "ncclAllReduce" and row["module"] == "Reduce"]
    found = {
        "all_reduces": sum(row["count"] for row in rows),
        "bytes": sum(row["bytes"] for row in rows),
        "calls to NCCL": sum(row["count"] for row in calls),
        "bytes of NCCL": sum(row["bytes"] for row in calls),
        "captured calls": sum(row["captured"] for row in calls),
        "launches": sum(graph["launches"] for graph in report.get("cuda_graphs", [])),
    }
    expected = {
        "all_reduces": said["count"],
        "bytes": said["bytes"],
        "calls to NCCL": said["count"],
        "bytes of NCCL": said["bytes"],
        "captured calls": said["captured"],
        "launches": said["launches"],
    }
    return [f"{name}: {found[name]}, the job made {expected[name]}" for name in found if found[name] != expected[name]]


def time_faults(report: Report, kineto_ns: dict[str, int], counts: dict[str, int]) -> list[str]:
    """Returns the modules whose times by events are not those of the kernels, as Kineto measured them in the same run.

    Events enclose the kernel: they may take 30 us longer a call, and a tenth.
    """
    faults = []
    for module, kernels_ns in kineto_ns.items():
        rows = [row for row in report["collectives"] if row["module"] == module and row["kind"] == "all_reduce"]
        times = [row["time"]["running_ns"] for row in rows if "running_ns" in row.get("time", {})]
        timed, total = sum(time["count"] for time in times), sum(time["sum"] for time in times)
        if timed != counts[module]:
            faults.append(f"{module}: {timed} of {counts[module]} collectives are timed")
        if not 0.95 * kernels_ns <= total <= 1.1 * kernels_ns + 30_000 * counts[module]:
            faults.append(f"{module}: {total / 1e6:.3f} ms by events, {kernels_ns / 1e6:.3f} ms of kernels")
    return faults or ([] if kineto_ns else ["Kineto has no kernel of NCCL"])


def exposure_ms(report: Report, said: dict[str, Any]) -> list[dict[str, float]]:
    """Returns for each measured step the sums of the trace, and `exposed` of the report, in ms."""
    steps = {step["first_step"]: step["collectives"] for step in report["steps"] if step["steps"] == 1}
    found = []
    for number, sums in enumerate(said["steps"], said["first"]):
        exposed = sum(row.get("exposed_ns", 0) for row in steps.get(number, []))
        found.append({name: round(ns / 1e6, 3) for name, ns in {**sums, "exposed": exposed}.items()})
    return found


def exposure_faults(report: Report, said: dict[str, Any]) -> list[str]:
    """Returns the steps whose exposed time is not that of the trace of the same step.

    It may differ by a tenth, and by 0.3 ms: an event is recorded a moment before a kernel begins or after it ends. It
    is never more than the time in which kernels of NCCL run, except for that moment.
    """
    return [
        f"step {number}: {ms}"
        for number, ms in enumerate(exposure_ms(report, said), said["first"])
        if abs(ms["exposed"] - ms["waited"]) > 0.1 * ms["waited"] + 0.3 or ms["exposed"] > 1.05 * ms["nccl"] + 0.3
    ]


def plugin_faults(report: Report, expected: dict[str, Amount]) -> list[str]:
    """Returns the functions whose calls NCCL has not reported to the plugin as the job made them."""
    if not report.get("nccl"):
        return ["no call to NCCL was counted"]
    found = {name: nccl_amounts(report, (name,), source="plugin") for name in expected}
    return [
        f"{name}: {found[name]} calls and bytes by the plugin, {amount} made"
        for name, amount in expected.items()
        if found[name] != amount
    ]


def verdict_faults(verdict: dict[str, Any], reasons: tuple[str, ...], cause: str, module: str) -> list[str]:
    """Returns what is wrong with the verdict of `commtap why`."""
    faults = []
    if verdict["status"] not in ("stuck", "wrong") or verdict["reason"] not in reasons:
        faults.append(f"{verdict['status']}, {verdict['reason']}: expected {' or '.join(reasons)}")
    if verdict["cause"] != cause:
        faults.append(f"the cause is {verdict['cause'] or 'no rank'}: expected rank {cause}")
    if (verdict["call"] or {}).get("module") != module:
        faults.append(f"the call is of {(verdict['call'] or {}).get('module')}: expected {module}")
    return [f"{fault}: {verdict['line']}" for fault in faults]


def paces(taken: dict[str, list[float]], bare: str = "bare") -> dict[str, dict[str, float]]:
    """Returns for each mode the median time, and that of the ratios to the bare run of the same round."""
    return {
        mode: {
            "us": round(statistics.median(times), 2),
            "ratio": round(statistics.median(mine / own for mine, own in zip(times, taken[bare], strict=True)), 3),
        }
        for mode, times in taken.items()
    }


def not_seen_of(report: Report) -> dict[str, str]:
    """Returns the detail of each reason why something of verify was not seen."""
    reasons = ("unsampled_parameters", "samples_lost", "internal_errors")
    return {entry["reason"]: entry["detail"] for entry in report["not_seen"] if entry["reason"] in reasons}


def twin_faults(samples: list[Any], steps: int, tensors: int) -> list[str]:
    """Returns where the digests of a GPU's tensors differ from those of their twins on the CPU.

    Bits must be equal. Sums are rounded in another order: they may be apart by 1e-5 of the norm.
    """
    if [sample.step for sample in samples] != list(range(1, steps + 1)):
        return [f"the samples are of steps {[sample.step for sample in samples]}"]
    faults = []
    for sample in samples:
        rows = {row.parameter["name"].rpartition(".")[2]: row for row in sample.rows}
        if len(rows) != 2 * tensors:
            faults.append(f"step {sample.step}: {len(rows)} rows, of {2 * tensors}")
        for name, one in rows.items():
            kind, _, number = name.partition("_")
            other = rows.get(f"other_{number}")
            if kind != "one" or other is None:
                continue
            pairs = {"values": (one.value, other.value), "gradient": (one.gradient, other.gradient)}
            faults += [f"step {sample.step}, {name}: other {what}" for what, pair in pairs.items() if differ(*pair)]
            if one.flags != other.flags:
                faults.append(f"step {sample.step}, {name}: flags {one.flags:x} and {other.flags:x}")
    return faults


def differ(one: Any, other: Any) -> bool:
    """Returns whether two digests are of different tensors."""
    if one is None or other is None:
        return one is not other
    if one.bits != other.bits or one.is_constant != other.is_constant:
        return True
    if not math.isfinite(one.squares):
        return False
    near = 1e-5 * math.sqrt(one.squares)
    sums = zip(one.sums, other.sums, strict=True)
    return abs(one.squares - other.squares) > 1e-5 * one.squares or any(abs(a - b) > near for a, b in sums)


def sample_cost(said: dict[str, Any], sampled: set[int]) -> dict[str, float]:
    """Returns what a sample costs: ms per GB with the GPU, ms of the host, and ms of the first one, which sets up."""
    steps = range(1, len(said["ms"]) + 1)
    gigabytes = said["bytes"] / 1e9

    def more(times: list[float]) -> float:
        with_sample = statistics.median(times[step - 1] for step in steps if step in sampled and step > 1)
        return with_sample - statistics.median(times[step - 1] for step in steps if step not in sampled)

    return {
        "ms_per_gb": round(more(said["ms"]) / gigabytes, 3),
        "host_ms": round(more(said["host_ms"]), 3),
        "first_ms": round(said["ms"][0], 3),
    }
