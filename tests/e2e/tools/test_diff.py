# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""`commtap diff` of jobs whose groups have the same role under other names."""

import json
import subprocess
from pathlib import Path

from harness import COMMAND, Job, Runner

DP = "group default_pg before and mesh_dp after are both the mesh dimension dp: "


def commtap(*arguments: str | Path) -> str:
    """Returns what the command printed. A difference is an answer too."""
    done = subprocess.run([COMMAND, *arguments], capture_output=True, text=True, timeout=60)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def test_a_mesh_of_all_ranks_compares_with_a_dimension_of_a_larger_mesh(runner: Runner) -> None:
    """Both replicate over 2 ranks. Each also sums over all ranks, which is the default group in both."""
    alone, both = (
        runner.shim(Job("mesh_dimensions.py", names, ranks)) for names, ranks in ((("dp",), 2), (("dp", "tp"), 4))
    )
    dimensions = [
        {group["name"]: group.get("mesh_dimension") for group in json.loads(merged)["groups"]}
        for merged in (commtap("export", run.output_folder, "--format", "job") for run in (alone, both))
    ]
    assert dimensions == [{"default_pg": "dp"}, {"default_pg": None, "mesh_dp": "dp"}]
    found = json.loads(commtap("diff", alone.output_folder, both.output_folder, "--json"))
    assert found["changes"] == []
    assert [note for note in found["notes"] if note.startswith(DP)]


def test_dimensions_of_other_names_do_not_compare(runner: Runner) -> None:
    alone, both = (
        runner.shim(Job("mesh_dimensions.py", names, ranks)) for names, ranks in ((("dp",), 2), (("fsdp", "tp"), 4))
    )
    changes = json.loads(commtap("diff", alone.output_folder, both.output_folder, "--json"))["changes"]
    assert {change["group"] for change in changes} == {"default_pg", "mesh_fsdp"}
