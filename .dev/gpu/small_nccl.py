# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Makes a small copy of a libnccl.so.2 for checks on one kind of GPU: `small_nccl.py LIBRARY TARGET.xz [--arch 90]`.

The device code of other kinds of GPU becomes zeros, so that it compresses to nothing. Offsets and symbols stay, and the
library loads as before. A copy for tests, not to be distributed.
"""

import argparse
import lzma
import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

#: A fat binary begins with this number, its version (16 bits), the size of its header (16) and of its entries (64).
MAGIC = 0xBA55ED50
CODE_SECTIONS = (".nv_fatbin", "__nv_relfatbin")
#: What a library does not need to run.
DEBUG_PREFIXES = (".debug_", ".zdebug_")


@dataclass(frozen=True)
class Part:
    """Some bytes of a file."""

    name: str
    at: int
    size: int


@dataclass(frozen=True)
class Code:
    """The code for one kind of GPU in a fat binary."""

    arch: int
    at: int
    size: int


def sections(image: bytes | bytearray) -> list[Part]:
    """Returns the sections of a 64-bit little-endian ELF file."""
    [table] = struct.unpack_from("<Q", image, 0x28)
    row_size, count, names = struct.unpack_from("<HHH", image, 0x3A)
    rows = [struct.unpack_from("<IIQQQQ", image, table + row_size * number) for number in range(count)]
    found = []
    for name, _, _, _, at, size in rows:
        begin = rows[names][4] + name
        found.append(Part(image[begin : image.index(b"\0", begin)].decode(), at, size))
    return found


def codes(image: bytes | bytearray, section: Part) -> Iterator[Code]:
    """Yields the entries of all fat binaries in a section. Between fat binaries are zeros up to a multiple of 8."""
    at, end = section.at, section.at + section.size
    while at + 16 <= end:
        magic, _, header, size = struct.unpack_from("<IHHQ", image, at)
        if magic != MAGIC:
            at += 8
            continue
        entry, end_of_entries = at + header, at + header + size
        while entry + 32 <= end_of_entries:
            entry_header, entry_size = struct.unpack_from("<IQ", image, entry + 4)
            if entry_header == 0:
                break
            [arch] = struct.unpack_from("<I", image, entry + 28)
            yield Code(arch, entry + entry_header, entry_size)
            entry += entry_header + entry_size
        at = end_of_entries


def reduce_to(image: bytearray, arch: int) -> int:
    """Empties the code of other GPUs and the debug sections. Returns the bytes of code that stay."""
    kept = 0
    for section in sections(image):
        if section.name.startswith(DEBUG_PREFIXES):
            image[section.at : section.at + section.size] = bytes(section.size)
        for code in codes(image, section) if section.name in CODE_SECTIONS else ():
            if code.arch == arch:
                kept += code.size
            else:
                image[code.at : code.at + code.size] = bytes(code.size)
    return kept


def write_small(library: Path, target: Path, arch: int) -> int:
    """Writes the copy, compressed. Returns the bytes of code that it has for the GPU."""
    image = bytearray(library.read_bytes())
    kept = reduce_to(image, arch)
    target.parent.mkdir(parents=True, exist_ok=True)
    with lzma.open(target, "wb", preset=3) as file:
        file.write(image)
    return kept


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("original", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--arch", type=int, default=90, help="the GPU's kind, 90 for an H100 or H200")
    arguments = parser.parse_args()
    kept = write_small(arguments.original, arguments.target, arguments.arch)
    size = arguments.target.stat().st_size
    print(f"{kept / 2**20:.1f} MiB of code for sm_{arguments.arch}, {size / 2**20:.1f} MiB in all, compressed")
    if kept == 0:
        sys.exit(f"{arguments.original} has no code for sm_{arguments.arch}: name another kind of GPU by --arch")


if __name__ == "__main__":
    main()
