# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Reports of the current formats, as a job wrote them, are read without loss: tests/corpus.

`ddp` is a run of the job of that name, and `ddp.job.json` is its merged report. If a test fails here, the format has
changed: it needs a new version, and a corpus of that version.
"""

import csv
import io
import json
import subprocess
from pathlib import Path

import pytest
from harness import COMMAND, TIMEOUT_S

from report import REPOSITORY

CORPUS = REPOSITORY / "tests" / "corpus"


def commtap(*arguments: object, status: int = 0) -> subprocess.CompletedProcess:
    done = subprocess.run([COMMAND, *arguments], capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    return done


def test_reports_and_their_merged_report_agree() -> None:
    """The folder and the merged report have the same numbers, and all modules are below the user's class."""
    for source in (CORPUS / "ddp", CORPUS / "ddp.job.json"):
        document = json.loads(commtap("export", source, "--format", "job").stdout)
        assert document["ranks"] == "0-1"
        assert {module["name"] for module in document["modules"] if module["parent"] == 0} == {"Net"}
        assert {row["module"].split(".")[0] for row in document["collectives"]} == {"Global", "Net"}
    assert commtap("diff", CORPUS / "ddp", CORPUS / "ddp.job.json").stdout.startswith("no differences\n")


def test_counts_are_unchanged() -> None:
    """The exported table has the counts that the document has."""
    document = json.loads((CORPUS / "ddp" / "rank-00000.json").read_text(encoding="utf-8"))
    shown = list(
        csv.DictReader(io.StringIO(commtap("export", "--rank", "0", "--format", "csv", CORPUS / "ddp").stdout))
    )
    for field in ("count", "bytes"):
        assert [int(row[field]) for row in shown] == [row[field] for row in document["collectives"]]


@pytest.mark.parametrize("source", ["ddp/rank-00000.json", "ddp.job.json"])
def test_another_version_is_one_sentence(tmp_path: Path, source: str) -> None:
    """It names the version of the file and the one that this commtap reads."""
    text = (CORPUS / source).read_text(encoding="utf-8")
    schema = json.loads(text)["schema"]
    other = f"{schema[:-1]}1"
    path = tmp_path / "other.json"
    path.write_text(text.replace(f'"{schema}"', f'"{other}"', 1), encoding="utf-8")
    said = commtap("show", "--ranks", path, status=1).stderr
    assert f"of schema {other}, this commtap reads {schema}: use the commtap that" in said
