# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""CONTRIBUTING.md's recipe for a field of a collective row is complete: a made-up field, added by changes to the files
that the recipe names, is in everything that follows from it.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from report import REPOSITORY

FIELD = "shade"
SECTION = "### A field of a collective row"
#: The files of shim, tracker, report and tools that such a field may take.
MOST_FILES = 10


@dataclass(frozen=True)
class Change:
    """Puts `added` behind or before the text that a pattern finds first in a file."""

    file: str
    pattern: str
    added: str
    before: bool = False

    def apply(self, root: Path) -> None:
        path = root / self.file
        text = path.read_text(encoding="utf-8")
        found = re.search(self.pattern, text)
        assert found, f"{self.file} has no {self.pattern}"
        at = found.start() if self.before else found.end()
        path.write_text(text[:at] + self.added + text[at:], encoding="utf-8")


COLUMN = 'column<NullIfEmpty>(field::kShade, &Row::shade, "A made-up text.", {.key = true}),\n    '
CHANGES = (
    Change("tracker/collectives/collective_kernel.cc", r" : 0,\n(?=    };)", ".shade = facts_.name,\n"),
    Change("report/ledger/ledger_format.h", r'outside of every module; "" if not known\n', "StringId shade;\n"),
    Change("report/ledger/ledger_format.h", r"label\)(?=};)", ", shade"),
    Change("report/ledger/ledger_format.h", r"std::array<uint64_t, 4(?=> words)", "+1"),
    Change("report/ledger/ledger_format.h", r"sizeof\(CollectiveKey\) == 32", "+4"),
    Change("report/ledger/ledger_format.h", r"sizeof\(LedgerCollective\) == 64", "+8"),
    Change("report/ledger/ledger_format.h", r"kLedgerVersion = \d+", "+1"),
    Change(
        "report/ledger_reader/ledger_reading_rows.cc",
        r"records\.textView\(key\.label\),",
        "records.textView(key.shade),",
    ),
    Change("report/ledger_reader/ledger_reading_rows.cc", r"row\.label = .*;", "row.shade = records.text(key.shade);"),
    Change("report/model/model.h", r"struct Collective \{", "std::string shade;"),
    Change(
        "report/json/fields.h",
        r"(?=inline constexpr const char\* kReduceOp)",
        f'inline constexpr const char* kShade = "{FIELD}";\n',
    ),
    Change(
        "report/json/row_columns.h",
        r"column<NullIfEmpty>\(\s*field::kLabel,\s*&Row::",
        COLUMN,
        before=True,
    ),
    Change("report/job/job_report.h", r"struct JobCollective \{", "std::string shade;"),
    Change("tools/plan/commtap_plan/planner.py", r'    "setup",\n', f'    "{FIELD}",\n'),
    Change("tools/html/page_data.cc", r"\{field::kPhase, field::kOp,", "field::kShade,"),
    Change("tools/html/js/row_table.js", r"const words = \[", "job.strings[job.rows.shade[row]], "),
)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a copy of the repository with the field, built."""
    root = tmp_path_factory.mktemp("recipe") / "commtap"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=REPOSITORY, check=True, capture_output=True, text=True)
    for name in filter(None, listed.stdout.split("\0")):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(REPOSITORY / name, root / name)
    for change in CHANGES:
        change.apply(root)
    setup = ["meson", "setup", "build", f"-Dpython={sys.executable}", "-Doptimization=0"]
    subprocess.run(setup, cwd=root, check=True, capture_output=True)
    targets = ["shim/libcommtap.so", "tracker-library", "python-part", "tools/commtap"]
    made = subprocess.run(["ninja", "-C", "build", *targets], cwd=root, capture_output=True, text=True)
    assert made.returncode == 0, made.stdout[-3000:]
    return root


def commtap(root: Path, *arguments: str | Path, status: int = 0) -> str:
    done = subprocess.run([root / "build" / "tools" / "commtap", *arguments], capture_output=True, text=True)
    assert done.returncode == status, done.stderr + done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def report(checkout: Path) -> Path:
    """Returns the report of a small job."""
    out = checkout.parent / "out"
    library = checkout / "build" / "shim" / "libcommtap.so"
    variables = {"LD_PRELOAD": str(library), "COMMTAP_OUT": str(out), "OMP_NUM_THREADS": "1"}
    job = [sys.executable, REPOSITORY / "tests" / "jobs" / "children.py", "helper"]
    subprocess.run(job, env=os.environ | variables, check=True, capture_output=True)
    [path] = out.rglob("*.json")
    return path


def rows_of(text: str) -> list[dict]:
    return json.loads(text)["collectives"]


def test_the_recipe_names_the_files() -> None:
    """It names each file that the field takes, and not many others."""
    _, _, rest = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8").partition(SECTION)
    recipe, _, _ = rest.partition("\n### ")
    named = set(re.findall(r"`((?:shim|tracker|report|tools)/[\w/.]+\.\w+)`", recipe))
    assert {change.file for change in CHANGES} <= named
    assert len(named) <= MOST_FILES


@pytest.mark.long
def test_reports_and_merged_reports_have_the_field(checkout: Path, report: Path) -> None:
    rows = rows_of(report.read_text(encoding="utf-8"))
    assert rows
    assert [row[FIELD] for row in rows] == [row["op"] for row in rows]
    merged = rows_of(commtap(checkout, "export", report, "--format", "job"))
    assert sorted(row[FIELD] for row in merged) == sorted(row["op"] for row in merged)


def split_in_two(row: dict) -> list[dict]:
    """Returns two rows with the calls of one, which differ in the field alone."""
    [size] = row["sizes"]
    first, each = row["count"] // 2, row["bytes"] // row["count"]
    counts = {"light": first, "dark": row["count"] - first}
    return [
        row | {FIELD: shade, "count": count, "bytes": count * each, "sizes": {size: count}}
        for shade, count in counts.items()
    ]


@pytest.mark.long
def test_rows_that_differ_in_the_field_are_different_rows(checkout: Path, report: Path) -> None:
    """`commtap diff`, which compares by module, phase, kind, group and label, adds them up."""
    document = json.loads(report.read_text(encoding="utf-8"))
    [row] = document["collectives"]
    document["collectives"] = split_in_two(row)
    other = report.parent.parent / "other" / report.name
    other.parent.mkdir(exist_ok=True)
    other.write_text(json.dumps(document), encoding="utf-8")
    merged = rows_of(commtap(checkout, "export", other, "--format", "job"))
    assert sorted(each[FIELD] for each in merged) == ["dark", "light"]
    assert "no differences" in commtap(checkout, "diff", report, other)


@pytest.mark.long
def test_page_tables_and_schema_have_the_field(checkout: Path, report: Path) -> None:
    page = checkout.parent / "page.html"
    commtap(checkout, "html", report, "-o", page)
    assert f'"{FIELD}":' in page.read_text(encoding="utf-8")
    table = commtap(checkout, "export", report, "--format", "csv", "--table", "collectives")
    assert FIELD in table.splitlines()[0].split(",")
    for schema in ("commtap-2", "commtap-job-2"):
        path = checkout / "docs" / "schema" / f"{schema}.schema.json"
        assert f'"{FIELD}"' in commtap(checkout, "options", "--format", "schema", path)
