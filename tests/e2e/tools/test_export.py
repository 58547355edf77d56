# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""`commtap export`: other tools read its output, and the numbers equal those of the reports."""

import csv
import json
import re
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from catalogue import JOBS
from generate_reports import Document, Layout, nccl, write_reports
from harness import COMMAND, Job, Run, Runner
from openmetrics import families
from prometheus import promtool


def export(source: Run | Path, *arguments: str, status: int = 0) -> str:
    """Returns the command's stdout."""
    folder = source if isinstance(source, Path) else source.output_folder
    done = subprocess.run(
        [COMMAND, "export", folder, *arguments], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == status, done.stderr
    return done.stdout


@pytest.fixture
def run(runner: Runner) -> Run:
    """Runs a job with modules, groups and all phases except recompute."""
    return runner.shim(JOBS["fsdp2_tp"])


def sums(run: Run, field: str) -> Counter:
    """Returns the reports' sums by the labels of the metrics."""
    expected: Counter = Counter()
    for report in run.reports:
        titles = {group["name"]: group["desc"] or group["name"] for group in report.groups}
        for row in report.collectives:
            key = (str(report.job["rank"]), row["module"], row["phase"], row["kind"], titles[row["group"]])
            expected[key] += row[field]
    return expected


@pytest.mark.parametrize(
    ("family", "field"),
    [("commtap_collectives", "count"), ("commtap_payload_bytes", "bytes"), ("commtap_bus_bytes", "bus_bytes")],
)
def test_openmetrics_says_what_the_reports_say(run: Run, family: str, field: str) -> None:
    """Every sample of the strict parser is a sum of rows, and every row is in one sample."""
    metric = families(export(run, "--format", "openmetrics"))[family]
    assert metric.type == "counter"
    found = {
        tuple(sample.labels[name] for name in ("rank", "module", "phase", "kind", "group")): sample.value
        for sample in metric.samples
    }
    assert found == pytest.approx(dict(sums(run, field)))
    assert len(found) > 10


def test_openmetrics_folded_has_the_same_sums(run: Run) -> None:
    """A limit on series changes no sum, and the metrics report the limit."""
    whole = families(export(run, "--format", "openmetrics"))
    folded = families(export(run, "--format", "openmetrics", "--max-series", "2"))

    def totals(metrics: dict[str, Any], *names: str) -> Counter:
        counts: Counter = Counter()
        for sample in metrics["commtap_payload_bytes"].samples:
            counts[tuple(sample.labels[name] for name in names)] += sample.value
        return counts

    assert totals(folded, "rank", "phase", "kind") == totals(whole, "rank", "phase", "kind")
    assert len({sample.labels["module"] for sample in folded["commtap_payload_bytes"].samples}) <= 3
    assert all(sample.value > 0 for sample in folded["commtap_folded_label_sets"].samples)
    assert "commtap_folded_label_sets" not in whole


def test_calls_to_nccl_are_counted_by_function_and_group(tmp_path: Path) -> None:
    """Sums equal the reports' under any limit on series; promtool accepts the output."""
    expected: Counter = Counter()

    def change(rank: int, document: Document) -> None:
        titles = {group["name"]: group["desc"] for group in document["groups"]}
        document["nccl"] = nccl(document)
        for row in document["nccl"]["calls"]:
            for name, count in (("calls", row["count"]), ("failed_calls", row["failed"]), ("bytes", row["bytes"])):
                expected[name, str(rank), row["function"], titles.get(row["group"])] += count

    write_reports(tmp_path, Layout(ranks=4, layers=1), change)
    metrics = families(export(tmp_path, "--format", "openmetrics"))
    found = {
        (name, sample.labels["rank"], sample.labels["function"], sample.labels.get("group")): sample.value
        for name in ("calls", "failed_calls", "bytes")
        for sample in metrics[f"commtap_nccl_{name}"].samples
    }
    assert found == dict(expected)
    folded = families(export(tmp_path, "--format", "openmetrics", "--max-series", "2"))["commtap_nccl_calls"].samples
    assert sum(sample.value for sample in folded) == sum(n for key, n in expected.items() if key[0] == "calls")
    assert len(folded) == 4 * 3
    promtool("check", "metrics", stdin=export(tmp_path, "--format", "prometheus"))


def test_the_textfile_collectors_format_passes_promtool(run: Run, tmp_path: Path) -> None:
    """The file is written atomically, is readable to other users, has no timestamps, and passes promtool."""
    path = tmp_path / "commtap.prom"
    export(run, "--format", "prometheus", "-o", str(path))
    text = path.read_text(encoding="utf-8")
    promtool("check", "metrics", stdin=text)
    assert [entry.name for entry in tmp_path.iterdir()] == ["commtap.prom"]
    assert path.stat().st_mode & 0o044 == 0o044
    for line in text.splitlines():
        assert line.startswith("# ") or re.fullmatch(r"[a-z_]+(\{.*\})? [0-9.e+-]+", line), line
    helps = re.findall(r"^# HELP (\S+)", text, re.MULTILINE)
    assert sorted(helps) == sorted(set(helps)) == sorted(re.findall(r"^# TYPE (\S+)", text, re.MULTILINE))


def test_tables_hold_what_the_reports_hold(run: Run) -> None:
    """CSV and JSON lines of every table have the reports' rows."""
    expected = {
        "processes": [report.job for report in run.reports],
        "groups": [group for report in run.reports for group in report.groups],
        "modules": [module for report in run.reports for module in report.modules],
        "collectives": [row for report in run.reports for row in report.collectives],
        "not_seen": [entry for report in run.reports for entry in report.not_seen],
    }
    for table, rows in expected.items():
        lines = [json.loads(line) for line in export(run, "--format", "jsonl", "--table", table).splitlines()]
        assert len(lines) == len(rows), table
        for line, row in zip(lines, rows, strict=True):
            common = line.keys() & row.keys() - {"parameters"}
            assert {name: line[name] for name in common} == {name: row[name] for name in common}
            if table == "modules":
                assert line["parameters"] == len(row["parameters"])
            if table == "processes":
                assert line["argv"] == row["argv"]
        text = export(run, "--format", "csv", "--table", table)
        found = list(csv.DictReader(text.splitlines()))
        assert len(found) == len(rows)
        if found:
            assert list(found[0]) == list(lines[0])


def check_node(node: dict[str, Any]) -> None:
    """Asserts the fields and types that PyTorch's page for CommDebugMode reads in every node."""
    assert isinstance(node["fqn"], str)
    assert isinstance(node["module_type"], str)
    for pairs, second in (("parameters", str), ("collectives_forward", int), ("collectives_backward", int)):
        for name, value in node[pairs]:
            assert isinstance(name, str)
            assert isinstance(value, second)
    for operations in ("operations_forward", "operations_backward", "operations_checkpointing"):
        assert node[operations] == []
    for child in node["children"]:
        check_node(child)


def nodes(node: dict[str, Any]) -> list[dict[str, Any]]:
    """Returns all nodes of the tree."""
    return [node, *(below for child in node["children"] for below in nodes(child))]


def shape_of(value: Any) -> Any:
    """Returns a node's keys and types, without its contents."""
    return {name: type(item) for name, item in value.items()}


def test_commdebug_is_what_commdebugmode_writes(runner: Runner) -> None:
    """The tree and its counts equal PyTorch's own dump of a step of this model."""
    run = runner.shim(Job("comm_debug_dump.py"))
    ours = json.loads(export(run, "--format", "commdebug", "--rank", "1"))
    theirs = json.loads((run.folder / "comm_debug.1.json").read_text(encoding="utf-8"))
    check_node(ours)
    assert shape_of(ours) == shape_of(theirs)

    def counts(tree: dict[str, Any], phase: str) -> dict[str, dict[str, int]]:
        return {node["fqn"]: dict(node[f"collectives_{phase}"]) for node in nodes(tree) if node["fqn"] != "Global"}

    assert counts(ours, "forward") == counts(theirs, "forward")
    assert counts(ours, "backward") == counts(theirs, "backward")
    assert any(counts(ours, "forward").values())
    for name in ("MLPModule.net1", "MLPModule.net2"):
        mine, other = (next(n for n in nodes(tree) if n["fqn"] == name)["parameters"] for tree in (ours, theirs))
        assert mine == other
