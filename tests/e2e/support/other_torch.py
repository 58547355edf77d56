# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The installed torch under another version."""

from pathlib import Path

import torch


def other_torch(folder: Path, version: str) -> Path:
    """Returns a folder of links to this torch, with a version.py that names another version."""
    real = Path(torch.__file__).parent
    fake = folder / "torch"
    (fake / "lib").mkdir(parents=True)
    for entry in real.iterdir():
        if entry.name not in ("lib", "version.py", "__pycache__"):
            (fake / entry.name).symlink_to(entry)
    for entry in (real / "lib").iterdir():
        (fake / "lib" / entry.name).symlink_to(entry)
    text = (real / "version.py").read_text(encoding="utf-8")
    (fake / "version.py").write_text(text.replace(torch.__version__, version), encoding="utf-8")
    return folder
