# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Compiles the kernel of `commtap verify` to PTX: `./dev kernel`; with --check, only compares it with what is there.

NVRTC needs no GPU. Its oldest release that knows C++17 and compute capability 7.0 writes a version of PTX that the
drivers of CUDA 11.7 and later read; the driver compiles it for the GPU at hand.
"""

import argparse
import ctypes
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
PACKAGE = "nvidia-cuda-nvrtc-cu11==11.7.99"
LIBRARY = "nvidia/cuda_nvrtc/lib/libnvrtc.so.11.2"
OPTIONS = ("--gpu-architecture=compute_70", "--std=c++17")
#: In this order the unit test has them, too.
SOURCES = ("tracker/verify/digest_terms.h", "tracker/verify/digest_kernel.h", "tracker/verify/digest_kernel.cu")
RESULT = REPOSITORY / "tracker/verify/digest_kernel.ptx"
#: C++ includes it as one string, so the first and the last line are C++. The unit test compares the checksum.
FILE = """\
R"ptx(// Made by `./dev kernel` of texts whose Checksum is {checksum}.
{ptx})ptx"
"""


def library(folder: Path) -> ctypes.CDLL:
    """Returns NVRTC, which is installed into a folder if it is not there."""
    if not (folder / LIBRARY).exists():
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(folder), PACKAGE]
        subprocess.run(command, check=True)
    return ctypes.CDLL(str(folder / LIBRARY))


def text_of(nvrtc: ctypes.CDLL, program: ctypes.c_void_p, what: str) -> str:
    """Returns the log or the PTX of a program."""
    size = ctypes.c_size_t()
    getattr(nvrtc, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value)
    getattr(nvrtc, f"nvrtcGet{what}")(program, text)
    return text.value.decode()


def compiled(nvrtc: ctypes.CDLL, texts: list[bytes]) -> str:
    """Returns the PTX of the last text, which includes the others."""
    program, count = ctypes.c_void_p(), len(texts) - 1
    names = (ctypes.c_char_p * count)(*(name.encode() for name in SOURCES[:count]))
    headers, name = (ctypes.c_char_p * count)(*texts[:count]), Path(SOURCES[-1]).name.encode()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), texts[-1], name, count, headers, names)
    options = (ctypes.c_char_p * len(OPTIONS))(*(option.encode() for option in OPTIONS))
    if nvrtc.nvrtcCompileProgram(program, len(OPTIONS), options) != 0:
        sys.exit(text_of(nvrtc, program, "ProgramLog"))
    return text_of(nvrtc, program, "PTX")


def checksum_of(texts: list[bytes]) -> int:
    """Returns what the class Checksum of report/base/checksum.h does."""
    mask, state = (1 << 64) - 1, 0x636F6D6D74617000
    for text in texts:
        for number in (len(text), *(int.from_bytes(text[at : at + 8], "little") for at in range(0, len(text), 8))):
            state = (state ^ number) * 0x9E3779B97F4A7C15 & mask
            state ^= state >> 32
    return ((state * 0xFF51AFD7ED558CCD & mask) >> 32) or 1


def main() -> int:
    """Returns 1 if the file is not what NVRTC makes of the sources."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument("--folder", type=Path, default=REPOSITORY / "build/nvrtc", help="of NVRTC (%(default)s)")
    arguments = parser.parse_args()
    texts = [(REPOSITORY / name).read_bytes() for name in SOURCES]
    made = FILE.format(checksum=checksum_of(texts), ptx=compiled(library(arguments.folder), texts))
    if arguments.check:
        return int(not RESULT.exists() or RESULT.read_text(encoding="utf-8") != made)
    RESULT.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
