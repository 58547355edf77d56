# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Compressed reports: other programs can decompress them, and every command reads them as it reads others."""

import gzip
import json
import subprocess
from pathlib import Path

import pytest
from catalogue import JOBS
from harness import COMMAND, Job, Run, Runner

PLAIN = JOBS["fsdp2"]


def compressed(how: str) -> Job:
    return Job(PLAIN.script, PLAIN.arguments, PLAIN.ranks, variables=(("COMMTAP_COMPRESS", how),))


def commtap(*arguments: object) -> str:
    command = [str(COMMAND), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def decompressed(path: Path) -> bytes:
    if path.suffix == ".gz":
        return gzip.decompress(path.read_bytes())
    return subprocess.run(["zstd", "--decompress", "--stdout", str(path)], check=True, capture_output=True).stdout


def rows_of(run: Run, folder: Path) -> list[object]:
    """Returns the output of commands that is the same in each run of the job."""
    folder.mkdir()
    job = folder / "job.json"
    commtap("export", run.output_folder, "--format", "job", "-o", job)
    commtap("html", run.output_folder, "-o", folder / "page.html")
    assert (folder / "page.html").stat().st_size > 1_000_000
    merged = json.loads(job.read_text(encoding="utf-8"))
    return [
        commtap("export", run.output_folder, "--format", "csv").count("\n"),
        commtap("export", run.output_folder, "--format", "jsonl", "--table", "modules").count("\n"),
        merged["collectives"],
        merged["modules"],
    ]


@pytest.mark.parametrize(("how", "ending"), [("gzip", ".json.gz"), ("zstd", ".json.zst")])
def test_every_command_reads_it(runner: Runner, tmp_path: Path, how: str, ending: str) -> None:
    plain, run = runner.shim(PLAIN), runner.shim(compressed(how))
    paths = sorted(run.output_folder.iterdir())
    assert [path.name for path in paths] == [f"rank-0000{rank}{ending}" for rank in range(PLAIN.ranks)]
    original = sorted(plain.output_folder.glob("*.json"))[0]
    assert paths[0].stat().st_size < original.stat().st_size / 8
    document = json.loads(decompressed(paths[0]))
    assert document["collectives"] == json.loads(original.read_text(encoding="utf-8"))["collectives"]
    assert document["own_cost"]["end_ns"] > 0
    assert "no differences" in commtap("diff", plain.output_folder, run.output_folder)
    assert rows_of(run, tmp_path / "compressed") == rows_of(plain, tmp_path / "plain")
