# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Makes libraries to link with on a system whose libstdc++ has the age of glibc 2.28's systems (GCC 8).

A shared one has the names and versions that an old libstdc++.so.6 exports; nothing ever loads it. A static one has the
parts of this machine's libstdc++.a that define the newer names in use, which the linker puts inside. Red Hat's newer
compilers link programs for these systems in the same way. No other part is in it: the linker would prefer it to torch's
copy, and two copies of what holds data, such as locales, are a risk.
"""

import re
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

#: https://gcc.gnu.org/onlinedocs/libstdc++/manual/abi.html
NEWEST = {"GLIBCXX": (3, 4, 25), "CXXABI": (1, 3, 11)}
#: A line of `readelf --dyn-syms`: size, type, binding, name, version.
SYMBOL = re.compile(r"\s+\d+: \w+\s+(\w+) (FUNC|OBJECT|TLS)\s+(GLOBAL|WEAK|UNIQUE)\s+DEFAULT\s+\d+ ([^@\s]+)@@?(\S+)")

#: The newer names in use: of std::filesystem, of string streams, and what containers throw.
IN_USE = re.compile(r"_ZNK?St10filesystem|_ZNSt7__cxx1119basic_[io]stringstream|_ZSt28__throw_bad_array_new_length")


@dataclass
class Member:
    """An object file of the static library."""

    defined: set[str] = field(default_factory=set)
    undefined: set[str] = field(default_factory=set)


def _number(version: str) -> tuple[str, tuple[int, ...]]:
    name, _, numbers = version.partition("_")
    return name, tuple(int(part) for part in numbers.split(".") if part.isdigit())


def _is_old(version: str) -> bool:
    family, number = _number(version)
    return number <= NEWEST.get(family, ())


def _exports(library: Path) -> Iterator[tuple[str, str, str, int]]:
    """Yields the name, version, type and size of each symbol."""
    said = subprocess.run(["readelf", "--dyn-syms", "--wide", library], check=True, capture_output=True, text=True)
    for size, kind, _, name, version in SYMBOL.findall(said.stdout):
        yield name, version, "function" if kind == "FUNC" else "object", int(size, 0)


def _old_symbols(library: Path) -> dict[str, tuple[str, str, int]]:
    """Returns the version, type and size of each symbol: the newest that is old enough."""
    found: dict[str, tuple[str, str, int]] = {}
    for name, version, kind, size in _exports(library):
        if _is_old(version) and (name not in found or _number(found[name][0])[1] < _number(version)[1]):
            found[name] = (version, kind, size)
    return found


def _make_shared(symbols: dict[str, tuple[str, str, int]], folder: Path, compile_shared: Callable[..., None]) -> Path:
    source, script, made = folder / "libstdcxx.s", folder / "libstdcxx.map", folder / "libstdc++.so.6"
    lines, versions = [".text"], dict[str, list[str]]()
    for name, (version, kind, size) in sorted(symbols.items()):
        lines += [f".globl {name}", f".type {name}, %{kind}", f".size {name}, {size}", f"{name}:"]
        versions.setdefault(version, []).append(name)
    source.write_text("\n".join([*lines, ""]), encoding="utf-8")
    text = [f"{version} {{ global: {' '.join(f'{name};' for name in names)} }};" for version, names in versions.items()]
    script.write_text("\n".join([*text, ""]), encoding="utf-8")
    compile_shared(source, f"-Wl,-soname,{made.name}", f"-Wl,--version-script={script}", "-o", made)
    return made


def _members(archive: Path) -> dict[str, Member]:
    said = subprocess.run(["nm", "--print-file-name", archive], check=True, capture_output=True, text=True)
    members: dict[str, Member] = {}
    for line in said.stdout.splitlines():
        place, _, rest = line.rpartition(": ") if ": " in line else line.rpartition(":")
        *_, kind, name = rest.split()
        member = members.setdefault(place.rpartition(":")[2], Member())
        if kind == "U":
            member.undefined.add(name)
        elif kind.isupper() or kind in "uvw":
            member.defined.add(name)
    return members


def _needed_members(members: dict[str, Member], newer: set[str], old: set[str]) -> list[str]:
    """Returns the members that define newer names, and what these need that no old library exports."""
    needed = {name for name, member in members.items() if member.defined & newer}
    while True:
        missing = {symbol for name in needed for symbol in members[name].undefined} - old
        missing -= {symbol for name in needed for symbol in members[name].defined}
        more = {name for name, member in members.items() if member.defined & missing} - needed
        if not more:
            return sorted(needed)
        needed |= more


def make(library: Path, archive: Path, folder: Path, compile_shared: Callable[..., None]) -> tuple[Path, Path]:
    """Returns the shared and the static library, made from this machine's `library` and `archive`.

    Calls `compile_shared` with a compiler's arguments.
    """
    folder.mkdir(parents=True, exist_ok=True)
    old = _old_symbols(library)
    newer = {name for name, version, _, _ in _exports(library) if not _is_old(version) and IN_USE.match(name)}
    needed = _needed_members(_members(archive), newer - old.keys(), set(old))
    parts = folder / "parts"
    parts.mkdir(exist_ok=True)
    subprocess.run(["ar", "x", archive, *needed], check=True, cwd=parts)
    static = folder / "libstdcxx_newer.a"
    static.unlink(missing_ok=True)
    subprocess.run(["ar", "rcsD", static, *needed], check=True, cwd=parts)
    return _make_shared(old, folder, compile_shared), static
