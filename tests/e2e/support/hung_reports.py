# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The reports of a job that hangs, made from those of a job that ended well."""

import json
from pathlib import Path

CORPUS = Path(__file__).parents[2] / "corpus" / "ddp"


def write_hung_reports(folder: Path) -> Path:
    """Rank 0 has exited before the last collective, for which rank 1 waits. Returns the folder, which is made."""
    reports = [json.loads((CORPUS / f"rank-0000{rank}.json").read_text()) for rank in (0, 1)]
    reports[0]["last"].pop()
    reports[0]["groups"][0]["collectives"] -= 1
    reports[1]["job"] |= {"exit": "running", "ended_at": None}
    folder.mkdir()
    for rank, report in enumerate(reports):
        (folder / f"rank-0000{rank}.json").write_text(json.dumps(report))
    return folder
