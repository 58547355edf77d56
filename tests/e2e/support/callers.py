# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Programs that open a library which only the RPATH or RUNPATH of the caller of dlopen() finds."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

#: The functions that search the caller's path.
FUNCTIONS = ("dlopen", "dlmopen")
#: What the programs exit with, if they found the library.
FOUND = 42

_MAIN = """
    int open_plugin(const char* function, const char* name);
    int main(int count, char** words) { return count == 3 ? open_plugin(words[1], words[2]) : 2; }
"""

_CALLER = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <stdio.h>
    int open_plugin(const char* function, const char* name) {
      void* plugin = function[2] == 'm' ? dlmopen(LM_ID_NEWLM, name, RTLD_NOW) : dlopen(name, RTLD_NOW);
      int (*answer)(void) = plugin ? (int (*)(void))dlsym(plugin, "answer") : 0;
      if (answer == 0) puts(dlerror());
      return answer ? answer() : 1;
    }
"""

_PLUGIN = f"int answer(void) {{ return {FOUND}; }}"


@dataclass(frozen=True)
class Caller:
    """A caller of dlopen(), and how its path was linked in."""

    #: The program itself, or a library that it links.
    place: str
    #: The linker's option: for a RUNPATH, or for an RPATH, as older linkers and torch's wheels have it.
    tags: str
    #: The path's first component: $ORIGIN, or that folder.
    start: str

    def __str__(self) -> str:
        return f"{self.place}-{'RUNPATH' if 'enable' in self.tags else 'RPATH'}-{self.start}"


CALLERS = [
    Caller(place, tags, start)
    for place in ("program", "library")
    for tags in ("--enable-new-dtags", "--disable-new-dtags")
    for start in ("$ORIGIN", "absolute")
]


def compile_c(compiler: str, output: Path, source: str, *arguments: object) -> Path:
    command = [compiler, "-xc", "-", "-xnone", "-o", output, *arguments]
    subprocess.run([str(word) for word in command], input=source, text=True, check=True)
    return output


def openings(caller: Caller, folder: Path, compiler: str = "cc") -> list[list[str]]:
    """Makes a program in `folder`. Returns commands that run it, one for each function that opens the library."""
    plugins = folder / "plugins"
    plugins.mkdir()
    compile_c(compiler, plugins / "libplugin.so", _PLUGIN, "-shared", "-fPIC")
    start = caller.start if caller.start == "$ORIGIN" else folder
    paths = [f"-Wl,{caller.tags},-rpath,{start}/plugins", "-ldl"]
    if caller.place == "program":
        program = compile_c(compiler, folder / "program", _MAIN + _CALLER, *paths)
    else:
        library = compile_c(compiler, folder / "libcaller.so", _CALLER, "-shared", "-fPIC", *paths)
        program = compile_c(compiler, folder / "program", _MAIN, library)
    return [[str(program), function, "libplugin.so"] for function in FUNCTIONS]
