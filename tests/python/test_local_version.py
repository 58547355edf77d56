# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""local_version: a wheel for some releases of torch says so in its name and in its description."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / ".dev" / "wheel"))

from local_version import add_torches


def test_the_minors_are_in_the_version_and_in_the_description(tmp_path: Path) -> None:
    tree = tmp_path / "commtap-0.1.0"
    (tree / "commtap-0.1.0.data").mkdir(parents=True)
    (tree / "commtap-0.1.0.dist-info").mkdir()
    (tree / "commtap-0.1.0.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.4\nName: commtap\nVersion: 0.1.0\n\n# commtap\n\nVersion: of a table\n", encoding="utf-8"
    )
    changed = add_torches(tree, ["2.13", "2.14"])
    assert changed == tmp_path / "commtap-0.1.0+torch2.13.torch2.14"
    assert sorted(path.name for path in changed.iterdir()) == [f"{changed.name}.data", f"{changed.name}.dist-info"]
    text = (changed / f"{changed.name}.dist-info" / "METADATA").read_text(encoding="utf-8")
    head, _, description = text.partition("\n\n")
    assert head == "Metadata-Version: 2.4\nName: commtap\nVersion: 0.1.0+torch2.13.torch2.14"
    assert description.startswith("This wheel has ")
    assert "trackers for torch 2.13 and 2.14 only: `commtap build-tracker`" in text
    assert text.endswith("\n\n# commtap\n\nVersion: of a table\n")
