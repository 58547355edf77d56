# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a job of each mechanism with other versions: `matrix.py [TORCH [PYTHON]] [--prefix DIR] [--keep]`.

Each pair of a torch and a Python gets an environment below build/matrix with the newest wheel of dist/, or uses the
installation of `--prefix`. What its jobs count must be what they count with REFERENCE, except what DIFFERENCES names.
The table goes to docs/supported.md. Wheels of torch for Linux are CUDA builds of several gigabytes with their
libraries: an environment is removed after its run, unless `--keep`.
"""

import argparse
import datetime
import fnmatch
import hashlib
import importlib.metadata
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "e2e" / "support"))
from matrix_jobs import MECHANISMS

REPOSITORY = Path(__file__).resolve().parent.parent
FOLDER = REPOSITORY / "build" / "matrix"
PAGE = REPOSITORY / "docs" / "supported.md"
SUPPORT = REPOSITORY / "tests" / "e2e" / "support"

Pair = tuple[str, str]
Row = dict[str, Any]

REFERENCE: Pair = ("2.13", "3.11")

#: Each torch once, each Python once.
PAIRS: tuple[Pair, ...] = (("2.11", "3.10"), ("2.12", "3.12"), REFERENCE, ("2.14", "3.11"), ("2.15", "3.13"))


@dataclass(frozen=True)
class Difference:
    """A difference of torch itself in these versions."""

    torches: tuple[str, ...]
    #: A pattern of the names of jobs.
    jobs: str
    #: What may differ: rows, by op and dtype, or other keys of a report.
    keys: tuple[str, ...]
    reason: str


DIFFERENCES: tuple[Difference, ...] = (
    Difference(("2.11",), "collectives", ("c10d.alltoall_ float32",), "its Gloo cannot exchange lists of tensors"),
    Difference(
        ("2.11",),
        "pipeline_*",
        (
            *(f"c10d.{op} {dtype}" for op in ("send", "recv_") for dtype in ("int32", "float32", "int64", "uint8")),
            "steps",
        ),
        "stages agree on shapes by other messages, and learn them in a forward of their own before the step",
    ),
    Difference(
        ("2.15",),
        "pipeline_*",
        ("c10d.send int32", "c10d.recv_ int32", "c10d.allreduce_ int32"),
        "stages agree on shapes by two all_reduces instead of a send and a receive",
    ),
    Difference(
        ("2.15",),
        "collectives",
        tuple(f"c10d.{op} {dtype}" for op in ("allgather_", "_allgather_base_") for dtype in ("int64", "uint8")),
        "`all_gather_object` gathers into one tensor instead of a list",
    ),
)

BEGIN, END = "<!-- matrix -->", "<!-- end of matrix -->"


def say(text: str) -> None:
    print(f"== {text}", file=sys.stderr, flush=True)


class MissingError(Exception):
    """A pair needs what this machine lacks."""


@dataclass(frozen=True)
class Installed:
    """An installed commtap."""

    shim: Path
    command: Path


def first(found: Iterable[Path], what: str) -> Path:
    """Returns the first path of those found."""
    path = next(iter(found), None)
    if path is None:
        raise MissingError(f"{what} does not exist")
    return path


@dataclass(frozen=True)
class Source:
    """The place that commtap is installed from: a folder that has it, or the newest wheel of dist/."""

    prefix: Path | None

    @property
    def wheel(self) -> Path:
        wheels = (REPOSITORY / "dist").glob("commtap-*.whl")
        newest = sorted(wheels, key=lambda path: path.stat().st_mtime, reverse=True)
        return first(newest, "dist/commtap-*.whl: run ./dev wheel, or name an installation with --prefix; the wheel")

    @property
    def key(self) -> str:
        """Returns a hash of what is installed."""
        digest = hashlib.sha256()
        for path in sorted(self.prefix.rglob("*.so")) if self.prefix else [self.wheel]:
            digest.update(path.read_bytes())
        return digest.hexdigest()

    def install(self, venv: Path) -> Installed:
        """Installs the wheel into an environment, or returns what is below the prefix."""
        if self.prefix:
            return Installed(
                first(self.prefix.rglob("commtap/libcommtap.so"), f"libcommtap.so below {self.prefix}"),
                first(self.prefix.rglob("bin/commtap"), f"bin/commtap below {self.prefix}"),
            )
        pip = [venv / "bin/python", "-m", "pip", "install", "--quiet", "--no-deps", "--force-reinstall", "--no-index"]
        subprocess.run([*pip, self.wheel], check=True)
        package = first(venv.glob("lib/python3.*/site-packages/commtap"), "the package commtap")
        return Installed(package / "_native/lib/commtap/libcommtap.so", venv / "bin/commtap")


def find_python(version: str) -> str:
    """Returns an interpreter: `python3.N` on the PATH, or pyenv's."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates = [shutil.which(f"python{version}"), *map(str, sorted(pyenv.glob(f"{version}.*/bin/python3")))]
    for candidate in filter(None, candidates):
        command = [candidate, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
        if subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip() == version:
            return candidate
    raise MissingError(f"there is no python{version} on the PATH")


def minor(version: str) -> str:
    return ".".join(version.split(".")[:2])


def own_pair() -> Pair:
    """Returns the versions of the environment that this runs in."""
    return minor(importlib.metadata.version("torch")), minor(platform.python_version())


def borrow_packages(venv: Path) -> None:
    """Lets an environment import what the environment that this runs in has."""
    site = Path(sysconfig.get_path("purelib"))
    [own] = venv.glob("lib/python3.*/site-packages")
    torch = importlib.metadata.distribution("torch").locate_file("")
    (own / "borrowed.pth").write_text(f"{site}\n{torch}\n", encoding="utf-8")


def install_torch(venv: Path, pair: Pair) -> None:
    torch, python = pair
    pip = [venv / "bin/python", "-m", "pip", "install", "--quiet", "--no-cache-dir"]
    if subprocess.run([*pip, f"torch=={torch}.*", "numpy", "jsonschema"], check=False).returncode != 0:
        raise MissingError(f"pip cannot install torch {torch} for CPython {python}")


def make_environment(pair: Pair) -> Path:
    """Makes the environment of a pair, or returns the one that `--keep` left."""
    venv = FOLDER / f"torch-{pair[0]}-python-{pair[1]}"
    if not (venv / ".complete").exists():
        shutil.rmtree(venv, ignore_errors=True)
        borrows = pair == own_pair()
        subprocess.run([sys.executable if borrows else find_python(pair[1]), "-m", "venv", venv], check=True)
        if borrows:
            borrow_packages(venv)
        else:
            install_torch(venv, pair)
        (venv / ".complete").touch()
    return venv


def lend_packages(venv: Path) -> None:
    """Lets an environment with a torch of its own import all else from the environment that this runs in."""
    [own] = venv.glob("lib/python3.*/site-packages")
    (own / "lent.pth").write_text(f"{sysconfig.get_path('purelib')}\n", encoding="utf-8")


def run_jobs(venv: Path, installed: Installed) -> Row:
    """Returns what tests/e2e/support/matrix_jobs.py prints."""
    variables = os.environ | {"RUN_STORE": str(FOLDER / "runs")}
    command = [venv / "bin/python", SUPPORT / "matrix_jobs.py", installed.shim, installed.command]
    return json.loads(subprocess.run(command, env=variables, stdout=subprocess.PIPE, check=True).stdout)


def counted(pair: Pair, source: Source, keep: bool) -> Row:
    """Runs the jobs of a pair."""
    say(f"torch {pair[0]}, CPython {pair[1]}")
    venv = make_environment(pair)
    try:
        installed = source.install(venv)
        trackers = (installed.shim.parent / "trackers").rglob("*.so")
        first(
            (path for path in trackers if pair[0] in str(path)),
            f"a tracker for torch {pair[0]} in {installed.shim.parent}",
        )
        return run_jobs(venv, installed)
    finally:
        if not keep:
            shutil.rmtree(venv)


def reference_counts(source: Source, keep: bool, again: bool) -> Row:
    """Returns what the reference counts, from a former run of the same commtap if there is one."""
    kept = FOLDER / "reference.json"
    if not again and kept.exists():
        result = json.loads(kept.read_text(encoding="utf-8"))
        if result["key"] == source.key:
            return result
    result = counted(REFERENCE, source, keep) | {"key": source.key}
    kept.write_text(json.dumps(result), encoding="utf-8")
    return result


def row_changes(reference: list[Row], rows: list[Row]) -> list[tuple[str, str]]:
    """Returns the rows that only one of two reports has: op and dtype, and what to print."""
    old, new = (Counter(json.dumps(row, sort_keys=True) for row in each) for each in (reference, rows))
    found = [("-", text) for text in (old - new).elements()] + [("+", text) for text in (new - old).elements()]
    return [("{op} {dtype}".format(**json.loads(text)), f"{sign} {text}") for sign, text in found]


def changes(reference: Row, report: Row) -> list[tuple[str, str]]:
    """Returns what differs between two reports: op and dtype or another key, and what to print."""
    others = [key for key in reference if key != "rows" and reference[key] != report[key]]
    return row_changes(reference["rows"], report["rows"]) + [
        (key, f"{key}: {reference[key]} became {report[key]}") for key in others
    ]


@dataclass
class Verdict:
    """The outcome of a job with another version."""

    faults: list[str]
    of_torch: set[Difference]


def judge(pair: Pair, name: str, result: Row, reference: Row) -> Verdict:
    """Compares a job's reports with those of the reference; DIFFERENCES are torch's."""
    verdict = Verdict(list(result["faults"]), set())
    if len(result["reports"]) != len(reference["reports"]):
        verdict.faults.append(f"{len(result['reports'])} reports instead of {len(reference['reports'])}")
        return verdict
    known = [each for each in DIFFERENCES if pair[0] in each.torches and fnmatch.fnmatch(name, each.jobs)]
    for report, expected in zip(result["reports"], reference["reports"], strict=True):
        for key, text in changes(expected, report):
            excuse = next((each for each in known if key in each.keys), None)
            if excuse is None:
                verdict.faults.append(f"rank {report['rank']}: {text}")
            else:
                verdict.of_torch.add(excuse)
    return verdict


def cell(verdicts: list[Verdict]) -> str:
    """Returns a mechanism's cell of the table."""
    if any(verdict.faults for verdict in verdicts):
        return "**no**"
    numbers = sorted({DIFFERENCES.index(each) + 1 for verdict in verdicts for each in verdict.of_torch})
    return "yes" + "".join(f" [{number}]" for number in numbers)


def columns() -> dict[str, tuple[str, ...]]:
    """Returns the jobs by column of the table."""
    return {**MECHANISMS, "`commtap run`": ("commtap run",)}


def table_row(result: dict[str, Any], verdicts: dict[str, Verdict]) -> str:
    """Returns the line of a pair."""
    cells = [cell([verdicts[name] for name in names]) for names in columns().values()]
    today = datetime.datetime.now(tz=datetime.timezone.utc).date().isoformat()
    return f"| {result['torch']} | {result['python']} | {today} | {' | '.join(cells)} |"


def minors(line: str) -> Pair:
    """Returns the pair of a line of the table."""
    torch, python = (minor(each.strip()) for each in line.split("|")[1:3])
    return torch, python


def filled_page(page: str, line: str) -> str:
    """Returns the page with the line of a pair, in place of its former one, and the list of torch's differences."""
    head, _, rest = page.partition(BEGIN)
    former, _, tail = rest.partition(END)
    kept = [each for each in former.splitlines() if re.match(r"\| \d", each) and minors(each) != minors(line)]
    lines = sorted(
        [*kept, line], key=lambda each: [[int(part) for part in version.split(".")] for version in minors(each)]
    )
    titles = ["torch", "CPython", "date", *columns()]
    notes = [
        f"{number}. torch {' and '.join(each.torches)}: {each.reason}" for number, each in enumerate(DIFFERENCES, 1)
    ]
    table = [f"| {' | '.join(titles)} |", "|---" * len(titles) + "|", *lines, ""]
    return "\n".join([f"{head}{BEGIN}", "", *table, *notes, *([""] if notes else []), f"{END}{tail}"])


def report_on(pair: Pair, result: Row, reference: Row) -> bool:
    """Prints the verdict on a pair and writes its line of the page. Returns True if nothing is wrong."""
    verdicts = {name: judge(pair, name, result["jobs"][name], reference["jobs"][name]) for name in reference["jobs"]}
    for name, verdict in verdicts.items():
        for fault in verdict.faults:
            print(f"{name}: {fault}")
        for difference in verdict.of_torch:
            print(f"{name}: {difference.reason}")
    line = table_row(result, verdicts)
    PAGE.write_text(filled_page(PAGE.read_text(encoding="utf-8"), line), encoding="utf-8")
    print(line, flush=True)
    return not any(verdict.faults for verdict in verdicts.values())


def chosen(torch: str | None, python: str | None) -> list[Pair]:
    """Returns the pairs to run: all, that of a torch, or the one that is named."""
    if torch and python:
        return [(torch, python)]
    found = [pair for pair in PAIRS if torch in (None, pair[0])]
    return found or sys.exit(f"matrix: torch {torch} is in no pair: name a CPython too")


def main() -> None:
    parser = argparse.ArgumentParser(prog="./dev matrix", description=__doc__.partition("\n")[0])
    parser.add_argument("torch", nargs="?", help="a minor such as 2.14; without it all pairs are run")
    parser.add_argument("python", nargs="?", help="a minor such as 3.12")
    parser.add_argument("--prefix", type=Path, metavar="DIR", help="an installation, instead of the wheel in dist/")
    parser.add_argument("--keep", action="store_true", help="do not remove the environments")
    parser.add_argument("--environment", action="store_true", help="only make the environment, and print its Python")
    options = parser.parse_args()
    if options.environment:
        venv = make_environment((options.torch, own_pair()[1]))
        lend_packages(venv)
        print(venv / "bin" / "python")
        return
    pairs = chosen(options.torch, options.python)
    source = Source(options.prefix and options.prefix.resolve())
    FOLDER.mkdir(parents=True, exist_ok=True)
    failed = 0
    try:
        reference = reference_counts(source, options.keep, REFERENCE in pairs)
    except MissingError as error:
        sys.exit(f"matrix: {error}")
    for pair in pairs:
        try:
            result = reference if pair == REFERENCE else counted(pair, source, options.keep)
            failed += not report_on(pair, result, reference)
        except MissingError as error:
            print(f"matrix: torch {pair[0]}, CPython {pair[1]}: {error}", file=sys.stderr)
            failed += 1
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
