# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The version of a wheel that has trackers for some releases of torch only: 0.1.0+torch2.13."""

import re
from collections.abc import Sequence
from pathlib import Path


def add_torches(tree: Path, minors: Sequence[str]) -> Path:
    """Names the minors of torch in the version and the description of an unpacked wheel. Returns its new folder."""
    name, _, version = tree.name.partition("-")
    local = f"{version}+{'.'.join(f'torch{minor}' for minor in minors)}"
    for old in (*tree.glob("*.dist-info"), *tree.glob("*.data")):
        old.rename(old.with_name(f"{name}-{local}{old.suffix}"))
    description = tree / f"{name}-{local}.dist-info" / "METADATA"
    head, _, body = description.read_text(encoding="utf-8").partition("\n\n")
    head = re.sub(r"^Version: .*$", f"Version: {local}", head, flags=re.MULTILINE)
    torches = " and ".join(minors)
    only = f"This wheel has trackers for torch {torches} only: `commtap build-tracker` compiles one for another."
    description.write_text(f"{head}\n\n{only}\n\n{body}", encoding="utf-8")
    return tree.rename(tree.with_name(f"{name}-{local}"))
