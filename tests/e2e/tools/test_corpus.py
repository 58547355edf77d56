# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Reports and ledgers of commtap/1, as an older commtap wrote them, stay readable: tests/corpus/v1.

`ddp`, `fsdp2` and `pipeline` are runs of the jobs of these names; `*.job.json` are their merged reports. The ledgers
are of a DDP job that was killed.
"""

import csv
import io
import json
import lzma
import subprocess
from pathlib import Path

import pytest
from harness import COMMAND, TIMEOUT_S

from report import REPOSITORY, Report

CORPUS = REPOSITORY / "tests" / "corpus" / "v1"
ROOTS = {"ddp": "Net", "fsdp2": "Transformer", "pipeline": "MLPModule"}


def commtap(*arguments: object, status: int = 0) -> subprocess.CompletedProcess:
    done = subprocess.run([COMMAND, *arguments], capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    return done


@pytest.mark.parametrize("name", ROOTS)
def test_old_reports_have_the_names_of_today(name: str) -> None:
    """Folders and merged reports agree, and all their modules are below the user's class."""
    for source in (CORPUS / name, CORPUS / f"{name}.job.json"):
        document = json.loads(commtap("merge", source, "--format", "json").stdout)
        assert document["schema"] == "commtap.job/2"
        assert document["ranks"] == "0-1"
        roots = {module["name"] for module in document["modules"] if module["parent"] == 0}
        assert roots == {ROOTS[name]}
        modules = {row["module"] for row in document["collectives"]}
        assert all(module == "Global" or module.split(".")[0] == ROOTS[name] for module in modules)
        assert {row["label"] for row in document["collectives"]} == {None}
    said = commtap("diff", CORPUS / name, CORPUS / f"{name}.job.json").stdout
    assert said.endswith("no differences\n")
    assert ("is of an older commtap" in said) == (name != "pipeline")


def test_old_counts_are_unchanged() -> None:
    """The exported table has the counts that the document has."""
    document = json.loads((CORPUS / "ddp" / "rank-00000.json").read_text(encoding="utf-8"))
    shown = list(
        csv.DictReader(io.StringIO(commtap("export", "--rank", "0", "--format", "csv", CORPUS / "ddp").stdout))
    )
    for field in ("count", "bytes"):
        assert [int(row[field]) for row in shown] == [row[field] for row in document["collectives"]]


def test_old_ledgers_become_reports_of_today(tmp_path: Path) -> None:
    """The processes were killed, so `recover` converts what they left."""
    for packed in sorted(CORPUS.glob("*.ledger.xz")):
        (tmp_path / packed.stem).write_bytes(lzma.decompress(packed.read_bytes()))
    commtap("recover", tmp_path)
    reports = [Report.read(path) for path in sorted(tmp_path.glob("*.json"))]
    assert [report.job["rank"] for report in reports] == [0, 1]
    for report in reports:
        assert (report.job["exit"], report.job["exit_signal"]) == ("signal", 9)
        assert report.not_seen == []
        assert report.names()[:5] == ["Global", "Net", "Net", "Net.net1", "Net.net2"]
        assert report.raw_names()[3] == "DistributedDataParallel.module.net1"
        assert report.table("module", "phase", kind="all_reduce") == {("Net", "backward"): 2}
        assert report.total(kind="barrier") == 1


def test_a_budget_with_old_names_says_the_new_ones(tmp_path: Path) -> None:
    """A pattern that names nothing would pass unseen."""
    budget = tmp_path / "budget.toml"
    commtap("check", CORPUS / "ddp", "--write", budget)
    commtap("check", CORPUS / "ddp", "--budget", budget)
    text = budget.read_text(encoding="utf-8")
    assert 'module = "Net"' in text
    budget.write_text(text.replace('module = "Net"', 'module = "DistributedDataParallel"'), encoding="utf-8")
    said = commtap("check", CORPUS / "ddp", "--budget", budget, status=1).stdout
    assert "no module is named DistributedDataParallel; most likely it is Net now" in said


def test_an_old_baseline_is_compared_by_new_names(tmp_path: Path) -> None:
    """`check` says which names it compares."""
    done = commtap("check", CORPUS / "ddp", "--baseline", CORPUS / "ddp.job.json")
    assert "older commtap: DistributedDataParallel is Net here" in done.stderr
