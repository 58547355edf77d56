# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Makes a libstdc++.so.6 to link with that has the symbols of GCC 8's, as systems with glibc 2.28 have.

What this machine's headers need beyond it, the linker then takes from the static libstdc++, as Red Hat's newer
compilers do on these systems. The library has names, versions and sizes only: nothing ever loads it.
"""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

#: https://gcc.gnu.org/onlinedocs/libstdc++/manual/abi.html
NEWEST = {"GLIBCXX": (3, 4, 25), "CXXABI": (1, 3, 11)}
#: A line of `readelf --dyn-syms`: size, type, binding, name, version.
SYMBOL = re.compile(r"\s+\d+: \w+\s+(\w+) (FUNC|OBJECT|TLS)\s+(GLOBAL|WEAK|UNIQUE)\s+DEFAULT\s+\d+ ([^@\s]+)@@?(\S+)")


def _number(version: str) -> tuple[str, tuple[int, ...]]:
    name, _, numbers = version.partition("_")
    return name, tuple(int(part) for part in numbers.split(".") if part.isdigit())


def _symbols(library: Path) -> dict[str, tuple[str, str, int]]:
    """Returns the version, type and size of each symbol: the newest that is old enough."""
    said = subprocess.run(["readelf", "--dyn-syms", "--wide", library], check=True, capture_output=True, text=True)
    found: dict[str, tuple[str, str, int]] = {}
    for size, kind, _, name, version in SYMBOL.findall(said.stdout):
        family, number = _number(version)
        newest = NEWEST.get(family)
        if newest is None or number > newest:
            continue
        if name not in found or _number(found[name][0])[1] < number:
            found[name] = (version, "function" if kind == "FUNC" else "object", int(size, 0))
    return found


def make(library: Path, folder: Path, compile_shared: Callable[..., None]) -> Path:
    """Returns the library, made from this machine's `library`. Calls `compile_shared` with a compiler's arguments."""
    folder.mkdir(parents=True, exist_ok=True)
    source, script, made = folder / "libstdcxx.s", folder / "libstdcxx.map", folder / "libstdc++.so.6"
    symbols = _symbols(library)
    lines = [".text"]
    for name, (_, kind, size) in sorted(symbols.items()):
        lines += [f".globl {name}", f".type {name}, %{kind}", f".size {name}, {size}", f"{name}:"]
    source.write_text("\n".join(lines) + "\n", encoding="utf-8")
    versions: dict[str, list[str]] = {}
    for name, (version, _, _) in sorted(symbols.items()):
        versions.setdefault(version, []).append(name)
    text = [f"{version} {{ global: {' '.join(f'{name};' for name in names)} }};" for version, names in versions.items()]
    script.write_text("\n".join([*text, ""]), encoding="utf-8")
    compile_shared(source, f"-Wl,-soname,{made.name}", f"-Wl,--version-script={script}", "-o", made)
    return made
