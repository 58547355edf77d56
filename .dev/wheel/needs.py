# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The needs of a wheel's binaries from a system, by the versions of the symbols that they import."""

import re
import subprocess
from pathlib import Path

#: The stub is put into every process of a machine, so it must never miss a symbol. Everything else needs torch or is
#: run on purpose.
NEWEST_GLIBC = {"libcommtap.so": (2, 17)}
NEWEST_ELSEWHERE = (2, 28)
#: The libstdc++ of GCC 8, which systems with glibc 2.28 have.
NEWEST_GLIBCXX = (3, 4, 25)
LARGEST_WHEEL = 15_000_000
#: What a binary may load: glibc's own libraries, and those that torch brings into a job.
LIBRARIES = re.compile(
    r"(libc|libm|libdl|libpthread|librt|ld-linux-(x86-64|aarch64))\.so\.[0126]|lib(stdc\+\+|gcc_s)\.so\.[16]|libtorch_cpu\.so|libc10\.so"
)


def imported_versions(binary: Path, name: str) -> set[tuple[int, ...]]:
    """Returns the versions of GLIBC or GLIBCXX that a binary needs."""
    said = subprocess.run(["readelf", "-VW", binary], check=True, capture_output=True, text=True).stdout
    needs = said.partition("Version needs section")[2]
    return {tuple(map(int, found.split("."))) for found in re.findall(rf"Name: {name}_([0-9.]+)", needs)}


def loaded_libraries(binary: Path) -> list[str]:
    said = subprocess.run(["readelf", "-dW", binary], check=True, capture_output=True, text=True).stdout
    return re.findall(r"\(NEEDED\).*\[(.+)\]", said)


def search_paths(binary: Path) -> list[str]:
    said = subprocess.run(["readelf", "-dW", binary], check=True, capture_output=True, text=True).stdout
    return re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.+)\]", said)


def _names(library: Path, which: str) -> set[str]:
    said = subprocess.run(["nm", "--dynamic", which, library], check=True, capture_output=True, text=True).stdout
    # Imported with a version: of glibc or libstdc++. Weak: may be missing.
    words = [line.split() for line in said.splitlines()]
    return {
        name.partition("@")[0]
        for *_, kind, name in words
        if which != "--undefined-only" or (kind == "U" and "@" not in name)
    }


def missing_symbols(tracker: Path, torch_libraries: list[Path]) -> list[str]:
    """Returns what a tracker imports from torch that the libraries do not export."""
    return sorted(
        _names(tracker, "--undefined-only").difference(*(_names(each, "--defined-only") for each in torch_libraries))
    )


def binaries_of(tree: Path) -> list[Path]:
    """Returns the programs and libraries below a folder."""
    return [path for path in sorted(tree.rglob("*")) if path.is_file() and path.open("rb").read(4) == b"\x7fELF"]


def faults_of(tree: Path, wheel: Path) -> list[str]:
    """Returns a line for each need that a system may not meet."""
    faults = []
    for binary in binaries_of(tree):
        for name, newest in (("GLIBC", NEWEST_GLIBC.get(binary.name, NEWEST_ELSEWHERE)), ("GLIBCXX", NEWEST_GLIBCXX)):
            faults += [
                f"{binary.name} needs {name} {'.'.join(map(str, version))}"
                for version in sorted(imported_versions(binary, name))
                if version > newest
            ]
        faults += [f"{binary.name} looks for libraries in {path}" for path in search_paths(binary)]
        faults += [f"{binary.name} loads {name}" for name in loaded_libraries(binary) if not LIBRARIES.fullmatch(name)]
    if wheel.stat().st_size > LARGEST_WHEEL:
        faults.append(f"{wheel.name} has {wheel.stat().st_size} bytes")
    return faults
