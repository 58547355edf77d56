# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Describes a torch or a Python for meson.build, on two lines: its minor version, and the folder of its headers or its
package.

    describe.py torch [FOLDER]   the package in FOLDER; without it, the one that this Python would import
    describe.py python           this Python
"""

import importlib.util
import sys
import sysconfig
from pathlib import Path


def imported_package() -> Path:
    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None:
        sys.exit("this Python has no torch: see README.md")
    return Path(spec.origin).parent


def minor_of(package: Path) -> str:
    variables: dict[str, str] = {}
    exec((package / "version.py").read_text(encoding="utf-8"), variables)
    return ".".join(variables["__version__"].split(".")[:2])


def main() -> None:
    what, *folder = sys.argv[1:]
    if what == "torch":
        package = Path(folder[0]) if folder else imported_package()
        print(minor_of(package), package, sep="\n")
    else:
        print(f"{sys.version_info[0]}.{sys.version_info[1]}", sysconfig.get_paths()["include"], sep="\n")


if __name__ == "__main__":
    main()
