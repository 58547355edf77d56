# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Tables that tests make and pages of docs/ have."""

import os
from pathlib import Path


def hold(page: Path, marks: tuple[str, str], table: str) -> None:
    """Fails unless the page has the table between the marks. With COMMTAP_REMAKE=1, writes it there instead."""
    before, rest = page.read_text(encoding="utf-8").split(marks[0])
    made, after = rest.split(marks[1])
    if os.environ.get("COMMTAP_REMAKE"):
        page.write_text(before + marks[0] + table + marks[1] + after, encoding="utf-8")
    else:
        assert made == table
