# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Sets up the compiler that links for an older glibc than this machine's.

Zig's compiler is clang with the headers and symbol versions of every glibc. Its C++ library is libc++, which it links
in: the command line takes that. What is loaded into a job shares libstdc++ with torch, so it is compiled with this
machine's headers of libstdc++ and linked with an old one (old_libstdcxx.py).
"""

import importlib.util
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import old_libstdcxx

REPOSITORY = Path(__file__).resolve().parents[2]
GLIBC = "2.28"


@dataclass(frozen=True)
class Target:
    """A processor, and the names that tools have for it."""

    arch: str
    compiler: str  #: this machine's g++ for it, for libstdc++

    @property
    def system(self) -> str:
        """The folder in which Debian's cross compiler keeps the C library of the processor."""
        return f"/usr/{self.arch}-linux-gnu"

    @property
    def triple(self) -> str:
        return f"{self.arch}-linux-gnu.{GLIBC}"


TARGETS = {
    "x86_64": Target("x86_64", "x86_64-linux-gnu-g++"),
    "aarch64": Target("aarch64", "aarch64-linux-gnu-g++"),
}


def _ask(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True, input="").stdout.strip()


def _libstdcxx_headers(target: Target) -> list[str]:
    said = subprocess.run(
        [target.compiler, "-xc++", "-E", "-v", "-"], check=True, capture_output=True, text=True, input=""
    ).stderr
    folders = [line.strip() for line in said.splitlines() if line.startswith(" /")]
    return [str(Path(folder).resolve()) for folder in folders if "c++" in folder and not folder.endswith("backward")]


def zig() -> Path:
    """Returns Zig's program, which is a Python package."""
    spec = importlib.util.find_spec("ziglang")
    if spec is None or spec.origin is None:
        raise FileNotFoundError("ziglang is not installed: see .dev/wheel/requirements.txt")
    return Path(spec.origin).with_name("zig")


def job_arguments(target: Target, folder: Path) -> tuple[list[str], list[str]]:
    """Returns the arguments of the compiler and the linker for what is loaded into a job. Makes files in `folder`."""
    headers = [f"-isystem{folder}" for folder in _libstdcxx_headers(target)]
    # Sections: what nothing calls must not need a newer libstdc++ than what is called.
    sections = ["-ffunction-sections", "-fdata-sections"]
    # libstdc++ calls its own deprecated functions in std::stable_sort.
    quiet = ["-Wno-deprecated-declarations"]
    shared, static, unwinder = (
        _ask(target.compiler, f"-print-file-name={name}") for name in ("libstdc++.so.6", "libstdc++.a", "libgcc_s.so.1")
    )

    def compile_shared(*arguments: object) -> None:
        command = [zig(), "cc", "-target", target.triple, "-shared", "-nostdlib", *arguments]
        subprocess.run([str(word) for word in command], check=True)

    libraries = old_libstdcxx.make(Path(shared), Path(static), folder / "libstdcxx", compile_shared)
    return (
        ["-nostdinc++", f"-I{REPOSITORY / 'tracker' / 'compat'}", *headers, *sections, *quiet],
        ["-nostdlib++", "-Wl,--gc-sections", *map(str, libraries), unwinder],
    )


def write_machine_file(target: Target, zig: Path, folder: Path) -> Path:
    """Writes Meson's description of the compiler, and the commands that it names."""
    folder.mkdir(parents=True, exist_ok=True)
    commands = {"c": "cc", "cpp": "c++", "ar": "ar", "ranlib": "ranlib"}
    # Texts of assertions have a source's path, which ccache makes relative to the build's folder.
    same_paths = f"-ffile-prefix-map={REPOSITORY}=commtap -ffile-prefix-map=../../../..=commtap"
    for tool, name in commands.items():
        script = folder / f"zig-{tool}"
        options = f"-target {target.triple} -idirafter /usr/include {same_paths}" if tool in ("c", "cpp") else ""
        script.write_text(f'#!/bin/sh\nexec "{zig}" {name} {options} "$@"\n', encoding="utf-8")
        script.chmod(0o755)
    found = {tool: f"'{folder / f'zig-{tool}'}'" for tool in commands}
    if shutil.which("ccache") is not None:
        found |= {tool: f"['ccache', {found[tool]}]" for tool in ("c", "cpp")}
    lines = ["[binaries]", *(f"{tool} = {command}" for tool, command in found.items()), "pkg-config = 'pkg-config'"]
    # No symbols for debuggers: they are nine tenths of the size.
    lines += ["[built-in options]", "c_link_args = ['-s']", "cpp_link_args = ['-s']"]
    if target.arch != os.uname().machine:
        lines += [
            "[host_machine]",
            "system = 'linux'",
            f"cpu_family = '{target.arch}'",
            f"cpu = '{target.arch}'",
            "endian = 'little'",
            "[properties]",
            "needs_exe_wrapper = true",
        ]
        lines.insert(1, f"exe_wrapper = ['qemu-{target.arch}', '-L', '{target.system}']")
    machine_file = folder / "machine.ini"
    machine_file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return machine_file
