# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The outputs in docs/examples equal those of the examples."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from binaries import PACKAGE
from commtap.tracing_tables import without_color
from dtensor_harness import REPOSITORY

EXAMPLES = REPOSITORY / "docs" / "examples"


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("communication.py mlp --noise-level 2", "mlp-2.txt"),
        ("communication.py stacked --placements", "placements.txt"),
        ("communication.py checkpointed --noise-level 1", "checkpointed-1.txt"),
        ("modules.py", "modules.txt"),
        ("captures.py", "captures.txt"),
    ],
)
def test_output(command: str, output: str, tmp_path: Path) -> None:
    """Every line of the output is equal."""
    script, *arguments = command.split()
    run = subprocess.run(
        [sys.executable, str(EXAMPLES / script), *arguments],
        env=os.environ | {"PYTHONPATH": str(PACKAGE)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert without_color(run.stdout) == (EXAMPLES / output).read_text()
