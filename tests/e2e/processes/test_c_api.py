# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Jobs without Python: labels and scopes as the module hierarchy, and every function of commtap.h."""

import json
import subprocess
from pathlib import Path

import pytest
from harness import LIBRARY, Job, Mode, Run, Runner, assert_unchanged, environment, program

from report import Report

SCOPES = Job("scopes", ("store",))
C_API = Job("c_api", ("snapshot.json",), ranks=1)
STEPS = 3
#: 2 samples of 4 features, float32.
ACTIVATION_BYTES = 2 * 4 * 4

pytestmark = pytest.mark.skipif(not program("scopes").is_file(), reason="built where there are Gloo headers")


def test_job_is_unchanged(runner: Runner) -> None:
    """Output is the same with and without commtap. The job calls two of its functions."""
    assert_unchanged(*runner.pair(SCOPES))


def test_labels_and_scopes_are_the_hierarchy(runner: Runner) -> None:
    """Each of three steps makes one all-reduce in mix and one in Decoder forward, and two more in backward."""
    for rank in range(2):
        report = runner.shim(SCOPES).report(rank)
        assert report.tree() == {
            "Global": None,
            "Encoder": "Global",
            "Encoder.mix": "Encoder",
            "Decoder": "Global",
        }
        assert report.table("module", "phase", kind="all_reduce") == {
            ("Encoder.mix", "forward"): STEPS,
            ("Encoder.mix", "backward"): STEPS,
            ("Decoder", "forward"): STEPS,
            ("Decoder", "backward"): STEPS,
            ("Global", "optimizer"): STEPS,
        }
        assert report.total("bytes", module="Decoder") == 2 * STEPS * ACTIVATION_BYTES
        assert report.table("phase", kind="barrier") == {"other": 1}
        assert report.module("Encoder.mix")["calls"] == {"forward": STEPS}
        assert report.job["exit_status"] == 0
        assert "python_version" not in report.job
        assert report.not_seen == []


def test_rank_and_group_of_a_job_without_python(runner: Runner) -> None:
    """The group is known from its first collective."""
    for rank in range(2):
        report = runner.shim(SCOPES).report(rank)
        assert (report.job["rank"], report.job["world_size"], report.job["exit"]) == (rank, 2, "normal")
        [group] = report.groups
        assert (group["name"], group["desc"], group["backend"], group["ranks"]) == ("0", "default_pg", "gloo", [0, 1])


class Answers:
    """The output of the job c_api: one line per answer, and two reports."""

    def __init__(self, run: Run) -> None:
        text = run.outcomes[0].stdout.decode()
        self.lines = [line for line in text.splitlines() if line and not line.startswith((" ", "{", "}"))]
        decoder = json.JSONDecoder()
        starts = [at for at in range(len(text)) if text.startswith("{\n", at)]
        self.reports = [decoder.raw_decode(text, at)[0] for at in starts]

    def of(self, name: str) -> list[str]:
        """Returns the answers of one name, in order."""
        return [line.partition(" ")[2] for line in self.lines if line.startswith(name + " ")]


def test_without_commtap_every_function_says_so(runner: Runner) -> None:
    """The symbols are weak: the program runs, and each call returns COMMTAP_ABSENT."""
    answers = Answers(runner.bare(C_API))
    for name in ("push", "pop", "where", "snapshot_file", "set_collective_callback", "stop", "start", "reset"):
        assert answers.of(name) == ["-1"], name
    assert answers.of("told") == ["0"]


@pytest.fixture(scope="module")
def answers(runner: Runner) -> Answers:
    """Returns the answers of the run under commtap."""
    return Answers(runner.shim(C_API))


def test_scopes(answers: Answers) -> None:
    """Names nest; invalid names and pops are refused."""
    assert answers.of("module") == ["outer.inner", "Global"]
    assert answers.of("module_length") == [str(len("outer.inner"))]
    assert answers.of("module_cut") == ["out"]
    assert answers.of("place") == ["outer.inner forward"]
    assert answers.of("parent") == ["outer"]
    assert answers.of("pop_nothing") == answers.of("push_empty") == answers.of("module_info_unknown") == ["-2"]
    assert answers.of("push") == answers.of("pop") == ["0"]


def test_captures(answers: Answers) -> None:
    """The capture counts 4 floats on the thread that opened it and 16 on another."""
    row = "Global other c10d.allreduce_ all_reduce 0 float32"
    assert answers.of("row") == [f"{row} 2 80", f"{row} 1 16"]
    assert answers.of("capture_rows") == ["1", "1"]
    assert answers.of("capture_end") == ["0", "0"]
    assert answers.of("capture_ended") == ["-2"]


def test_callbacks(answers: Answers) -> None:
    """Callbacks run while they are set, and not afterwards."""
    assert [line for line in answers.lines if line.startswith("told")] == ["told c10d.allreduce_ 1 8", "told 1"]
    [ops] = answers.of("ops")
    assert ops.split().count("aten::mm") == 1


def test_backward(answers: Answers) -> None:
    """is_backward() is 1 in a gradient hook and 0 outside."""
    assert (answers.of("is_backward"), answers.of("is_backward_in_hook")) == (["0"], ["1"])


def test_snapshots(answers: Answers, runner: Runner) -> None:
    """A snapshot has everything except what ran between stop and start; after a reset it is empty."""
    before, after = (Report(document, Path("snapshot")) for document in answers.reports)
    file = Report.read(runner.shim(C_API).folder / "snapshot.json")
    assert before.collectives == file.collectives
    assert before.total("bytes", kind="all_reduce") == (8 + 4 + 16 + 2 + 2) * 4
    assert before.total(kind="all_reduce", module="outer.inner") == 1
    assert before.job["exit"] == "running"
    assert after.collectives == []
    assert after.names() == before.names()
    assert answers.of("snapshot_nowhere") == ["-3"]
    assert answers.of("snapshot_same_length") == ["1", "1"]


def test_kept_in_memory(runner: Runner) -> None:
    """The job asks for no report, so neither a report nor a ledger is left."""
    run = runner.shim(C_API)
    assert run.reports == run.ledgers == []


def test_weak_symbols(tmp_path: Path) -> None:
    """The symbols resolve under the preload and are null without it, also in a program at fixed addresses."""
    source = tmp_path / "weak.c"
    body = "return (commtap_api_stop ? 10 : 20) - commtap_is_backward();"
    source.write_text(f'#include "shim/commtap.h"\nint main(void) {{ {body} }}\n')
    for options in (["-no-pie", "-O2"], ["-pie", "-fPIE", "-O0"]):
        exe = tmp_path / "weak"
        repository = Path(__file__).resolve().parents[3]
        subprocess.run(["cc", *options, "-Wall", "-Werror", f"-I{repository}", source, "-o", exe], check=True)
        plain = environment(Run(C_API, Mode.BARE, tmp_path))
        assert subprocess.run([exe], env=plain).returncode == 20 + 1
        # The library is preloaded, but torch is not.
        assert subprocess.run([exe], env=plain | {"LD_PRELOAD": str(LIBRARY)}).returncode == 10 + 1
