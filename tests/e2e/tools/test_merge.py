# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Generated reports of large jobs and a real one: `export --format job`, `show --ranks`, `diff` and `check`."""

import functools
import json
import random
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
from catalogue import JOBS
from generate_reports import Document, Layout, nccl, report, write_many, write_reports
from harness import COMMAND, Job, Runner
from referencing import Registry, Resource

from report import REPOSITORY, Report, closed, ranges_of, ranks_of, validator

SCHEMAS = REPOSITORY / "docs" / "schema"
LAYOUT = Layout(ranks=16, tp=2, pp=2, layers=2)


@functools.cache
def validator_of(name: str) -> jsonschema.Draft202012Validator:
    """Returns the validator of a command's output, whose schema may refer to others."""
    schemas = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(SCHEMAS.glob("*.json"))]
    registry = Registry().with_resources((each["$id"], Resource.from_contents(each)) for each in schemas)
    version = 2 if name == "job" else 1
    schema = closed(registry[f"commtap-{name}-{version}.schema.json"].contents)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema, registry=registry)


def commtap(*arguments: str | Path, status: int | None = 0) -> subprocess.CompletedProcess:
    done = subprocess.run([COMMAND, *arguments], capture_output=True, text=True, timeout=120)
    assert status is None or done.returncode == status, done.stderr + done.stdout
    return done


def merged(folder: Path, *arguments: str, status: int = 0) -> Document:
    document = json.loads(commtap("export", folder, "--format", "job", *arguments, status=status).stdout)
    validator_of("job").validate(document)
    return document


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Writes the reports of a sound job."""
    path = tmp_path_factory.mktemp("reports") / "out"
    write_reports(path, LAYOUT)
    return path


def copy_with(folder: Path, change: Any, layout: Layout = LAYOUT) -> Path:
    write_reports(folder, layout, change)
    return folder


def test_generated_reports_are_reports(tmp_path: Path) -> None:
    """Both ways of generating reports follow the schema."""
    write_many(tmp_path, LAYOUT)
    for rank in range(LAYOUT.ranks):
        validator().validate(report(LAYOUT, rank))
        assert json.loads((tmp_path / f"rank-{rank:05d}.json").read_text()) == report(LAYOUT, rank)


def key_of(row: Document, groups: dict[str, str]) -> tuple:
    names = ("module", "phase", "op", "kind", "dtype", "reduce_op", "async", "issued_in")
    return (*(row[name] for name in names), groups[row["group"]])


def test_rows_are_the_ranks_rows(tmp_path: Path) -> None:
    """Sum, minimum, maximum and mean of every row equal those computed in Python."""
    chance = random.Random(7)

    def change(rank: int, document: Document) -> None:
        for row in document["collectives"]:
            row["bytes"] += chance.randrange(1000)
            row["count"] += chance.randrange(3)

    folder = copy_with(tmp_path / "out", change)
    expected: dict[tuple, dict[int, tuple[int, int]]] = {}
    for rank in range(LAYOUT.ranks):
        each = Report.read(folder / f"rank-{rank:05d}.json")
        groups = {group["name"]: group["desc"] for group in each.groups}
        for row in each.collectives:
            expected.setdefault(key_of(row, groups), {})[rank] = (row["count"], row["bytes"])
    document = merged(folder)
    names = {group["name"]: group["name"] for group in document["groups"]}
    assert {key_of(row, names) for row in document["collectives"]} == set(expected)
    for row in document["collectives"]:
        by_rank = expected[key_of(row, names)]
        assert row["rank_count"] == len(by_rank)
        assert set(ranks_of(document["rank_sets"][row["rank_set"]])) == set(by_rank)
        for i, field in enumerate(("count", "bytes")):
            numbers = {rank: pair[i] for rank, pair in by_rank.items()}
            assert row[field]["sum"] == sum(numbers.values())
            assert row[field]["min"] == min(numbers.values())
            assert row[field]["max"] == max(numbers.values())
            assert row[field]["mean"] == pytest.approx(sum(numbers.values()) / len(numbers))
            assert row[field]["min_rank"] == min(rank for rank in numbers if numbers[rank] == row[field]["min"])
            assert row[field]["max_rank"] == min(rank for rank in numbers if numbers[rank] == row[field]["max"])


def test_calls_to_nccl_are_the_ranks_calls(tmp_path: Path) -> None:
    """NCCL rows cover the ranks that called NCCL, with their spread, in the job's group, and survive a reread."""

    def change(rank: int, document: Document) -> None:
        if rank > 0:
            document["nccl"] = nccl(document, "2.27.5" if rank == 3 else "2.29.7")
            document["nccl"]["calls"][0]["count"] += rank
            validator().validate(document)

    folder = copy_with(tmp_path / "out", change)
    section = merged(folder)["nccl"]
    assert section["processes"] == 15
    assert section["communicators"] == 15 * 4
    assert section["versions"] == [
        {"version": "2.27.5", "ranks": "3"},
        {"version": "2.29.7", "ranks": "1-2,4-15"},
    ]
    expected: dict[tuple, dict[int, tuple[int, int, int]]] = {}
    names = ("function", "op", "module", "phase", "dtype")
    for rank in range(1, LAYOUT.ranks):
        document = json.loads((folder / f"rank-{rank:05d}.json").read_text())
        groups = {group["name"]: group["desc"] for group in document["groups"]}
        for row in document["nccl"]["calls"]:
            key = (*(row[name] for name in names), groups.get(row["group"]))
            before = expected.setdefault(key, {}).get(rank, (0, 0, 0))
            now = (row["count"], row["failed"], row["bytes"])
            expected[key][rank] = tuple(map(sum, zip(before, now, strict=True)))
    assert {(*(row[name] for name in names), row["group"]) for row in section["calls"]} == set(expected)
    for row in section["calls"]:
        by_rank = expected[(*(row[name] for name in names), row["group"])]
        assert row["rank_count"] == len(by_rank)
        for i, field in enumerate(("count", "failed", "bytes")):
            numbers = {rank: amounts[i] for rank, amounts in by_rank.items()}
            assert row[field]["sum"] == sum(numbers.values())
            assert row[field]["max"] == max(numbers.values())
            assert row[field]["min_rank"] == min(rank for rank in numbers if numbers[rank] == row[field]["min"])
    assert section["calls"][-1]["module"] == "Engine"
    commtap("export", folder, "--format", "job", "-o", tmp_path / "job.json")
    assert merged(tmp_path / "job.json")["nccl"] == section
    text = commtap("show", "--ranks", "--nccl", folder).stdout
    assert "NCCL 2.27.5 (rank 3), 2.29.7 (ranks 1-2, 4-15): 60 communicators in 15 processes\n" in text


def test_without_nccl_there_is_no_section(folder: Path) -> None:
    assert "nccl" not in merged(folder)


def test_totals_add_up(folder: Path) -> None:
    """The totals of job, groups, modules and processes each count every row once."""
    document = merged(folder)
    bytes_of_rows = sum(row["bytes"]["sum"] for row in document["collectives"])
    assert sum(total["bytes"]["sum"] for total in document["totals"]) == bytes_of_rows
    assert sum(total["bytes"] for group in document["groups"] for total in group["totals"]) == bytes_of_rows
    assert sum(total["bytes"] for module in document["modules"] for total in module["own"]) == bytes_of_rows
    assert sum(total["bytes"] for total in document["modules"][0]["inclusive"]) == bytes_of_rows
    assert sum(total["bytes"] for each in document["processes"] for total in each["totals"]) == bytes_of_rows
    assert document["ranks"] == "0-15"
    assert document["disagreements"] == []
    sizes = {group["name"]: (group["size"], len(group["members"])) for group in document["groups"]}
    assert sizes == {"mesh_tp": (2, 8), "mesh_dp": (4, 4), "mesh_pp": (2, 8), "default_pg": (16, 1)}


def test_module_tree_of_stages(folder: Path) -> None:
    """A layer has the ranks of its stage; parents come before children."""
    document = merged(folder)
    modules = document["modules"]
    assert all(module["parent"] < module["id"] for module in modules[1:])
    places = {module["name"]: document["rank_sets"][module["rank_set"]] for module in modules}
    assert places["Transformer.layers.0.attention"] == "0-7"
    assert places["Transformer.layers.3.attention"] == "8-15"
    assert places["Transformer"] == "0-15"
    calls = next(module for module in modules if module["name"] == "Transformer.layers.3")["calls"]
    assert calls["forward"] == {"sum": 80, "min": 10, "mean": 10, "max": 10, "min_rank": 8, "max_rank": 8}


def test_any_subset_whatever_the_names(folder: Path, tmp_path: Path) -> None:
    """Reports are identified by content; missing ranks are named and are not a disagreement."""
    (tmp_path / "deep").mkdir()
    for rank, name in ((3, "a.json"), (12, "deep/b.json"), (5, "zz.json")):
        (tmp_path / name).write_text((folder / f"rank-{rank:05d}.json").read_text())
    document = merged(tmp_path)
    assert document["ranks"] == "3,5,12"
    assert document["missing_ranks"] == "0-2,4,6-11,13-15"
    assert [each["file"] for each in document["processes"]] == ["a.json", "zz.json", "deep/b.json"]


def test_a_rank_that_stopped_early(tmp_path: Path) -> None:
    """With one reduce_scatter missing in one layer, only that group and rank are named."""

    def change(rank: int, document: Document) -> None:
        if rank == 6:
            row = next(
                row
                for row in document["collectives"]
                if row["module"] == "Transformer.layers.1.attention" and row["phase"] == "backward"
            )
            row["count"] -= 1

    folder = copy_with(tmp_path / "out", change)
    [found] = merged(folder)["disagreements"]
    assert found["what"] == "count"
    assert found["group"] == "mesh_tp"
    assert found["members"] == "6-7"
    assert found["module"] == "Transformer.layers.1.attention"
    assert {(value["count"], value["ranks"]) for value in found["values"]} == {(10, "7"), (9, "6")}
    text = commtap("show", "--ranks", folder, status=1).stdout
    assert "RANKS DISAGREE" in text
    assert (
        "in Transformer.layers.1.attention (backward) on mesh_tp of ranks 6-7: 10 calls on rank 7; 9 on rank 6" in text
    )


def test_a_send_that_nobody_received(tmp_path: Path) -> None:
    def change(rank: int, document: Document) -> None:
        if rank == 8:
            next(row for row in document["collectives"] if row["kind"] == "recv")["count"] -= 1

    [found] = merged(copy_with(tmp_path / "out", change))["disagreements"]
    assert found["what"] == "unmatched"
    assert found["members"] == "0,8"
    assert found["sent"]["count"] == found["received"]["count"] + 1


def test_not_seen_and_problems(folder: Path, tmp_path: Path) -> None:
    def change(rank: int, document: Document) -> None:
        if rank % 2:
            document["not_seen"] = [{"reason": "unknown_op", "count": 3, "detail": f"op{rank}", "meaning": "m"}]

    out = copy_with(tmp_path / "out", change)
    (out / "cut.json").write_text((out / "rank-00000.json").read_text()[:5000])
    document = merged(out, status=1)
    [entry] = document["not_seen"]
    assert entry["count"] == 24
    assert entry["detail"] == "op1"
    assert entry["ranks"] == ranges_of(list(range(1, 16, 2)))
    [problem] = document["problems"]
    assert problem.startswith(str(out / "cut.json"))


def test_a_merged_report_is_as_good_as_the_folder(folder: Path, tmp_path: Path) -> None:
    """A merged report gives the same results, and does not disturb the reports next to it."""
    commtap("export", folder, "--format", "job", "-o", tmp_path / "job.json")
    assert json.loads((tmp_path / "job.json").read_text()) == merged(folder)
    assert merged(tmp_path / "job.json") == merged(folder)
    assert commtap("diff", tmp_path / "job.json", folder).stdout.startswith("no differences\n")
    (folder / "job.json").write_text((tmp_path / "job.json").read_text())
    assert commtap("show", folder).stderr == ""
    assert merged(folder) == json.loads((tmp_path / "job.json").read_text())
    (folder / "job.json").unlink()


def grown(rank: int, document: Document) -> None:
    """Adds an all_gather to each attention, and 5 % more bytes on dp."""
    groups = {group["name"]: group["desc"] for group in document["groups"]}
    for row in document["collectives"]:
        if row["module"].endswith("attention") and row["phase"] == "forward" and row["kind"] == "all_gather":
            row["bytes"] += row["bytes"] // row["count"]
            row["count"] += 1
        if groups[row["group"]] == "mesh_dp":
            row["bytes"] += row["bytes"] // 20


def test_which_module_grew(folder: Path, tmp_path: Path) -> None:
    """One command on two folders names the module."""
    today = copy_with(tmp_path / "today", grown)
    done = commtap("diff", folder, today, status=1)
    assert (
        "+1 all_gather per run in Transformer.layers.*.attention (4 modules; forward, mesh_tp): 10 to 11 calls"
        in done.stdout
    )
    assert "+5.0 % bytes of reduce_scatter in Transformer.layers.*" in done.stdout
    first = done.stdout.split("By module")[1].splitlines()[2]
    assert first.startswith("Transformer.layers.* (4 modules, each)")
    document = json.loads(commtap("diff", folder, today, "--json", status=1).stdout)
    validator_of("diff").validate(document)
    change = next(each for each in document["changes"] if each["group"] == "mesh_tp")
    assert change["after"]["count"] - change["before"]["count"] == 1
    assert change["modules"] == [f"Transformer.layers.{i}.attention" for i in range(4)]
    tolerance = ("--tolerance", "count=1", "--tolerance", "bytes=10%")
    assert commtap("diff", folder, today, *tolerance).stdout.startswith("no differences\n")
    only = commtap("diff", folder, today, "--tolerance", "group=mesh_dp,bytes=5%", status=1).stdout
    assert "mesh_dp):" not in only.split("Differences")[1]


def test_runs_in_one_folder(tmp_path: Path) -> None:
    """`commtap diff FOLDER` compares the newest run with the previous one, or with the one a day earlier."""
    days = {"a": "2026-11-18T08:00:00", "b": "2026-11-19T08:00:00", "c": "2026-11-20T07:00:00"}
    for run_id, started_at in days.items():
        layout = Layout(ranks=4, tp=2, pp=1, layers=1, run_id=run_id, started_at=started_at)
        write_reports(tmp_path / run_id, layout, grown if run_id == "c" else None)
    assert "run b," in commtap("diff", tmp_path, status=1).stdout
    assert "run a," in commtap("diff", tmp_path, "--since", "24h", status=1).stdout
    assert "no run that began so long before" in commtap("diff", tmp_path, "--since", "7d", status=2).stderr
    assert merged(tmp_path, "--run", "b")["job"]["other_runs"] == 2


def test_markdown_of_hostile_names(folder: Path, tmp_path: Path) -> None:
    def change(rank: int, document: Document) -> None:
        for module in document["modules"]:
            module["name"] = module["name"].replace("attention", "<img src=x>|`@all`\x1b[2J")
        for row in document["collectives"]:
            row["module"] = row["module"].replace("attention", "<img src=x>|`@all`\x1b[2J")

    hostile = copy_with(tmp_path / "out", change)
    for verb in (("diff", folder, hostile), ("check", hostile, "--baseline", folder)):
        for form in ("markdown", "text"):
            done = commtap(*verb, "--format", form, status=1)
            assert "\x1b" not in done.stdout
            assert form == "text" or ("<img" not in done.stdout and "@all" not in done.stdout)
    junit = commtap("check", hostile, "--baseline", folder, "--format", "junit", status=1).stdout
    assert "<img src=x>" in ElementTree.tostring(ElementTree.fromstring(junit), encoding="unicode", method="text")


def test_check_against_a_baseline(folder: Path, tmp_path: Path) -> None:
    commtap("check", folder)
    commtap("export", folder, "--format", "job", "-o", tmp_path / "main.json")
    assert "all 15 checks passed" in commtap("check", folder, "--baseline", tmp_path / "main.json").stdout
    today = copy_with(tmp_path / "today", grown)
    failed = commtap("check", today, "--baseline", tmp_path / "main.json", status=1).stdout
    assert "FAILED all_gather on mesh_tp differs from the baseline\n  +1 all_gather per run" in failed
    assert commtap("check", folder, "--baseline", today, "--allow", "less").returncode == 0
    assert commtap("check", folder, "--baseline", today, status=1)
    document = json.loads(commtap("check", today, "--baseline", tmp_path / "main.json", "--json", status=1).stdout)
    validator_of("check").validate(document)
    assert {finding["what"] for check in document["checks"] for finding in check["findings"]} == {"more"}
    rules = ("--tolerance", "module=**.attention,count=1,bytes=10%", "--tolerance", "group=mesh_dp,bytes=5%")
    assert commtap("check", today, "--baseline", tmp_path / "main.json", *rules)


def test_check_against_itself(folder: Path, tmp_path: Path) -> None:
    """That would always pass. A merged report of the same run is a baseline."""
    for baseline in (folder, folder / "."):
        assert "is the run that is checked" in commtap("check", folder, "--baseline", baseline, status=2).stderr
    job = tmp_path / "job.json"
    commtap("export", folder, "--format", "job", "-o", job)
    commtap("check", folder, "--baseline", job)


def test_check_annotates_that_nothing_could_be_read(folder: Path, tmp_path: Path) -> None:
    done = commtap("check", tmp_path, "--format", "github", status=None)
    assert done.returncode != 0
    assert done.stdout.startswith(f"::error title=commtap check::{tmp_path}: not checked; ")
    empty = tmp_path / "empty.toml"
    empty.write_text("")
    for rule in ("--budget", "--baseline"):
        done = commtap("check", folder, rule, empty, "--format", "github", status=None)
        assert done.returncode != 0
        assert done.stdout.startswith("::error ")


def test_check_against_a_budget(folder: Path, tmp_path: Path) -> None:
    """A run passes its own budget and a larger run fails it; --write keeps lines added by hand."""
    budget = tmp_path / "budget.toml"
    commtap("check", folder, "--write", budget)
    assert "all " in commtap("check", folder, "--budget", budget).stdout
    text = budget.read_text()
    assert len(text.splitlines()) < 60
    assert 'module = "Transformer.layers.*.attention", phase = "forward", kind = "all_gather"' in text
    today = copy_with(tmp_path / "today", grown)
    failed = commtap("check", today, "--budget", budget, "--format", "junit", status=1).stdout
    suite = ElementTree.fromstring(failed).find("testsuite")
    assert suite is not None
    cases = {case.get("name"): case.find("failure") for case in suite}
    assert int(suite.get("failures") or 0) == sum(failure is not None for failure in cases.values()) > 0
    assert len(cases) == int(suite.get("tests") or 0)
    name = "all_gather in Transformer.layers.*.attention (forward) on mesh_tp is within its budget"
    assert "+1 all_gather per run" in (cases[name].text or "")
    with budget.open("a") as file:
        file.write('\n[[tolerance]]\nmodule = "**"\ncount = "1"\nbytes = "10%"\n')
    commtap("check", today, "--budget", budget)
    commtap("check", folder, "--write", budget)
    commtap("check", today, "--budget", budget)


def test_check_says_what_is_not_sound(folder: Path, tmp_path: Path) -> None:
    """Missing ranks fail a check unless allowed: an absent number must not pass for a good one."""
    for rank in (0, 1):
        (tmp_path / f"{rank}.json").write_text((folder / f"rank-{rank:05d}.json").read_text())
    assert "FAILED ranks have no report\n  no report of ranks 2-15\n" in commtap("check", tmp_path, status=1).stdout
    commtap("check", tmp_path, "--allow", "missing_ranks")
    document = json.loads(commtap("check", tmp_path, "--json", status=1).stdout)
    validator_of("check").validate(document)
    assert [check["passed"] for check in document["checks"]] == [True, False, True, True, True, True]
    assert document["checks"][1]["findings"] == [{"what": "missing_ranks", "text": "no report of ranks 2-15"}]


def test_errors_name_file_and_field(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text(
        'schema = "commtap.budget/1"\nbudget = [ { kind = "x", count = 1, bytes = 1 } ]\n'
    )
    (tmp_path / "bad.json").write_text('{"schema": "commtap.job/2", "job": {}}')
    wrong = {
        ("check", folder, "--budget", tmp_path / "bad.toml"): "bad.toml: line 2: budget[0].kind is",
        ("check", folder, "--baseline", tmp_path / "bad.json"): "bad.json: report.job.run_id is missing",
        ("check", folder, "--budget", "x", "--baseline", "y"): "do not go together",
        ("check", folder, "--tolerance", "bytes=lots"): '"bytes=lots" is not',
        ("check", tmp_path / "none"): "none does not exist",
        ("diff", folder): "no earlier run to compare",
        ("diff", folder, folder, folder): "see commtap diff --help",
        ("diff", folder, tmp_path / "none"): "none does not exist",
        ("diff", folder, "--since", "yesterday"): '"yesterday" is not a duration',
        ("show", "--ranks", folder, "--run", "none"): 'no report of run "none"',
    }
    for arguments, said in wrong.items():
        done = commtap(*arguments, status=None)
        assert done.returncode in (1, 2)
        assert done.stdout == ""
        assert said in done.stderr
        assert len(done.stderr.splitlines()) == 1


def test_many_ranks_in_bounded_memory(tmp_path: Path) -> None:
    """Four times as many ranks must not take four times the memory."""
    peak = []
    for ranks in (256, 1024):
        write_many(tmp_path / str(ranks), Layout(ranks=ranks, tp=8, pp=4, layers=3))
        done = subprocess.run(
            ["/usr/bin/env", "python3", "-c", MEASURE, COMMAND, tmp_path / str(ranks)], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        peak.append(int(done.stdout))
    assert peak[1] < 2 * peak[0]
    assert peak[1] < 200_000


#: Prints the peak memory of `commtap show --ranks` in KiB.
MEASURE = """
import resource, subprocess, sys
subprocess.run([sys.argv[1], "show", "--ranks", sys.argv[2]], check=True, stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


@pytest.mark.parametrize("name", ["fsdp2_tp", "pipeline"])
def test_a_real_job(runner: Runner, name: str) -> None:
    """Ranks of sound jobs agree, and the merged report has all of the ranks' numbers."""
    run = runner.shim(JOBS[name])
    document = merged(run.output_folder)
    assert document["ranks"] == ranges_of(list(range(JOBS[name].ranks)))
    counts: Counter = Counter()
    for each in run.reports:
        counts.update(each.table("module", "phase", "kind"))
    found: Counter = Counter()
    for row in document["collectives"]:
        found[row["module"], row["phase"], row["kind"]] += row["count"]["sum"]
    assert found == counts


@pytest.mark.parametrize(("name", "known"), [("ddp", True), ("fsdp2", True), ("fsdp1", False)])
def test_members_of_all_ranks(runner: Runner, name: str, known: bool) -> None:
    """Each rank's part of a row is added up by module. Ranks know no members under FSDP1."""
    run = runner.shim(Job("variants.py", (name,)))
    expected: Counter = Counter()
    for rank in run.reports:
        for member in rank.members:
            row = rank.collectives[member["row"]]
            expected[row["module"], row["phase"], row["kind"], member["module"]] += member["bytes"]
    document = merged(run.output_folder)
    found: Counter = Counter()
    for member in document.get("members", []):
        row = document["collectives"][member["row"]]
        found[row["module"], row["phase"], row["kind"], member["module"]] += member["bytes"]
    assert found == expected
    assert bool(found) == known


def test_steps_of_all_ranks(runner: Runner) -> None:
    """Counts and payload of each step are the ranks' sums; durations are within the ranks' range."""
    run = runner.shim(Job("steps.py"))
    document = merged(run.output_folder)
    steps = document["steps"] + document["outside_steps"]  # the last forward is of no training step
    reports = [each.steps for each in run.reports]
    assert [step["first_step"] for step in steps] == [step["first_step"] for step in reports[0]]
    for step, *of_ranks in zip(steps, *reports, strict=True):
        assert step["rank_count"] == len(of_ranks)
        for amount in step["collectives"]:
            for key in ("count", "bytes"):
                assert amount[key]["sum"] == sum(
                    each[key] for rank in of_ranks for each in rank["collectives"] if each["kind"] == amount["kind"]
                )
    *ended, last = steps
    assert all(step["timed_rank_count"] == len(reports) for step in ended)
    assert all(0 < step["duration_ns"]["min"] <= step["duration_ns"]["max"] for step in ended)
    assert (last["timed_rank_count"], last["duration_ns"]) == (0, None)
    text = commtap("show", "--ranks", "--steps", run.output_folder).stdout
    assert "By step" in text


def test_calls_to_nccl_of_a_real_job(runner: Runner) -> None:
    """Counts by function, op and module are the ranks' sums."""
    run = runner.shim(Job("nccl", ranks=2))
    section = merged(run.output_folder)["nccl"]
    counts: Counter = Counter()
    for each in run.reports:
        assert each.nccl is not None
        for row in each.nccl["calls"]:
            counts[row["function"], row["op"], row["module"], row["phase"]] += row["count"]
    found: Counter = Counter()
    for row in section["calls"]:
        found[row["function"], row["op"], row["module"], row["phase"]] += row["count"]["sum"]
    assert found == counts
