# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Reads samples files, and computes digests a second time: by their definition, in plain Python."""

import json
import math
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MASK = (1 << 64) - 1
BLOCK = 4096
SUMS = 8

HAS_GRADIENT, IS_PARTIAL, HAS_SUMS, IS_CONSTANT, NON_FINITE, GRADIENT_CONSTANT, GRADIENT_NON_FINITE, UNKNOWN = (
    1 << bit for bit in range(8)
)


@dataclass
class Digest:
    """As in report/samples/samples.h."""

    bits: int
    squares: float
    sums: tuple[float, ...]
    is_constant: bool


@dataclass
class Row:
    """One parameter in a sample."""

    parameter: dict[str, Any]
    flags: int
    value: Digest
    gradient: Digest | None
    summed_over: int = 0
    has_gradient_place: bool = False
    is_gradient_whole: bool = False


@dataclass
class Reduction:
    """A tensor that the rank put into a reduction."""

    group: str
    sequence: int
    part: int
    module: str
    elements: int
    is_gradient: bool
    input: Digest


@dataclass
class Sample:
    """One optimizer's step, and what entered the model and the reductions before it."""

    optimizer: int
    step: int
    groups: dict[str, int]
    rows: list[Row]
    reductions: list[Reduction]
    gradient_elements: int
    forwards: int
    data_rows: int
    hashes: list[int]
    gaps: dict[str, int]
    has_draws: bool = False
    has_autocast: bool = False


class SamplesFile:
    """A file as report/samples/samples.h describes it, up to its last complete block."""

    def __init__(self, path: Path) -> None:
        self.data = path.read_bytes()
        magic, version, _check = struct.unpack_from("<8sII", self.data)
        assert (magic, version) == (b"ctsampl\n", 3)
        self.job: dict[str, Any] = {}
        self.parameters: list[dict[str, Any]] = []
        self.samples: list[Sample] = []
        at = 16
        while at + 24 <= len(self.data):
            size, kind, _number, _payload_check, _check = struct.unpack_from("<QIIII", self.data, at)
            if at + 24 + size > len(self.data):
                break
            self._read(kind, self.data[at + 24 : at + 24 + size])
            at += 24 + size

    def _read(self, kind: int, payload: bytes) -> None:
        if kind == 0:
            self.job = json.loads(payload)["job"]
        elif kind == 1:
            block = json.loads(payload)
            for each in block["parameters"]:
                each["mesh"] = json.loads(block["meshes"][each["mesh"]]) if "mesh" in each else None
                each["ddp"] = block["rank_lists"][each["ddp"]] if "ddp" in each else None
            self.parameters += block["parameters"]
        else:
            self.samples.append(self._sample(payload))

    def _sample(self, payload: bytes) -> Sample:
        optimizer, step, _time, group_count = struct.unpack_from("<IQQI", payload)
        at = struct.calcsize("<IQQI")
        groups = {}
        for _ in range(group_count):
            (length,) = struct.unpack_from("<I", payload, at)
            name = payload[at + 4 : at + 4 + length].decode()
            (groups[name],) = struct.unpack_from("<Q", payload, at + 4 + length)
            at += 12 + length
        (row_count,) = struct.unpack_from("<I", payload, at)
        at += 4
        rows = []
        for _ in range(row_count):
            row, at = self._row(payload, at)
            rows.append(row)
        inputs, at = _inputs(payload, at)
        assert at == len(payload)
        return Sample(optimizer, step, groups, rows, *inputs)

    def _row(self, payload: bytes, at: int) -> tuple[Row, int]:
        parameter, flags, place = struct.unpack_from("<IBB", payload, at)
        value, at = _digest(payload, at + 6, flags, IS_CONSTANT)
        gradient = None
        if flags & HAS_GRADIENT:
            gradient, at = _digest(payload, at, flags, GRADIENT_CONSTANT)
        return Row(self.parameters[parameter], flags, value, gradient, place & 127, place < 255, place >= 128), at


def _text(payload: bytes, at: int) -> tuple[str, int]:
    (length,) = struct.unpack_from("<I", payload, at)
    return payload[at + 4 : at + 4 + length].decode(), at + 4 + length


def _reduction(payload: bytes, at: int) -> tuple[Reduction, int]:
    group, at = _text(payload, at)
    sequence, part = struct.unpack_from("<QI", payload, at)
    module, at = _text(payload, at + 12)
    elements, flags = struct.unpack_from("<QB", payload, at)
    digest, at = _digest(payload, at + 9, HAS_SUMS | flags, IS_CONSTANT)
    return Reduction(group, sequence, part, module, elements, bool(flags & HAS_GRADIENT), digest), at


def _inputs(payload: bytes, at: int) -> tuple[tuple[Any, ...], int]:
    (count,) = struct.unpack_from("<I", payload, at)
    at += 4
    reductions = []
    for _ in range(count):
        reduction, at = _reduction(payload, at)
        reductions.append(reduction)
    elements, forwards, rows, _sum, flags, count = struct.unpack_from("<QQQQBI", payload, at)
    at += struct.calcsize("<QQQQBI")
    hashes = list(struct.unpack_from(f"<{count}Q", payload, at))
    at += 8 * count
    (count,) = struct.unpack_from("<I", payload, at)
    at += 4
    gaps = {}
    for _ in range(count):
        why, at = _text(payload, at)
        (gaps[why],) = struct.unpack_from("<Q", payload, at)
        at += 8
    return (reductions, elements, forwards, rows, hashes, gaps, bool(flags & 1), bool(flags & 2)), at


def _digest(payload: bytes, at: int, flags: int, constant: int) -> tuple[Digest, int]:
    bits, squares = struct.unpack_from("<Qf", payload, at)
    at += 12
    sums: tuple[float, ...] = ()
    if flags & HAS_SUMS:
        sums = struct.unpack_from(f"<{SUMS}f", payload, at)
        at += 4 * SUMS
    return Digest(bits, squares, sums, bool(flags & constant)), at


def _mix(x: int) -> int:
    x ^= x >> 33
    x = x * 0xFF51AFD7ED558CCD & MASK
    x ^= x >> 33
    x = x * 0xC4CEB9FE1A85EC53 & MASK
    return x ^ (x >> 33)


def places_of(parameter: dict[str, Any]) -> list[int] | None:
    """Returns the index in the whole of each element that a parameter has here; None for the whole."""
    numbers = list(parameter.get("part", []))
    shape = parameter["shape"]
    dims = []
    while numbers:
        count = numbers.pop(0)
        ranges = [(numbers.pop(0), numbers.pop(0)) for _ in range(count)]
        dims.append([start + i for start, length in ranges for i in range(length)])
    if len(dims) != len(shape):  # a part of FSDP1's flat parameter
        shape = [math.prod(shape)]
    places = [0]
    for size, indices in zip(shape, dims, strict=False):
        places = [place * size + index for place in places for index in indices]
    return places if dims else None


def digest_of(values: list[float], places: list[int] | None = None) -> Digest:
    """Returns the digest of a float32 tensor, whose elements have these places in the whole."""
    bits = 0
    sums = [0.0] * SUMS
    words = struct.unpack(f"<{len(values)}I", struct.pack(f"<{len(values)}f", *values))
    for i, (value, word) in enumerate(zip(values, words, strict=True)):
        bits = (bits + _mix(word ^ (i * 0x9E3779B97F4A7C15 & MASK))) & MASK
        place = i if places is None else places[i]
        signs = (_mix(place % BLOCK + 1) ^ _mix(~(place // BLOCK) & MASK)) & 0xFF
        for j in range(SUMS):
            sums[j] += -value if signs >> j & 1 else value
    squares = sum(value * value for value in values)
    return Digest(bits, squares, tuple(sums), len(set(words)) <= 1)
