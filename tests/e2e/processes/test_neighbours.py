# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Neighbours of commtap in a job behave as without the shim, and the counts are right.

They are PyTorch features that reach into calls and dispatching, programs of all kinds that inherit the preload, and
other preloaded libraries.
"""

import json
import os
import shutil
import subprocess
import sysconfig
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from harness import LIBRARY, Job, Mode, Runner, assert_unchanged, program

#: Python's debug allocator ends a process that uses Python's memory without the GIL or out of bounds.
VARIABLES = (("COMMTAP_OPS", "neighbours_late::*"), ("PYTHONMALLOC", "debug"))
FEATURES = Job("neighbours.py", ranks=1, variables=VARIABLES)


def sections(runner: Runner, mode: Mode) -> dict[str, dict[str, Any]]:
    """Returns the output of each section of the job."""
    run = runner.pair(FEATURES)[0 if mode is Mode.BARE else 1]
    assert run.ended_as_meant(), run.outcomes[0].stderr.decode()
    lines = [json.loads(line) for line in run.outcomes[0].stdout.splitlines()]
    return {line["section"]: line for line in lines}


def test_features_do_what_they_do(runner: Runner) -> None:
    """Results to the last bit, logs, tracebacks, profiles and compile counters are equal, section by section."""
    assert sections(runner, Mode.SHIM) == sections(runner, Mode.BARE)
    assert len(sections(runner, Mode.SHIM)) > 30


def test_collectives_of_features_are_counted(runner: Runner) -> None:
    """Each section logs its calls by module in its own group: each counts once, and nothing else counts."""
    report = runner.shim(FEATURES).report()
    counted: dict[str, Counter] = {group["desc"]: Counter() for group in report.groups}
    descriptions = {group["name"]: group["desc"] for group in report.groups}
    for row in report.collectives:
        counted[descriptions[row["group"]]][row["module"]] += row["count"]
    noted = {name: Counter(section["calls"]) for name, section in sections(runner, Mode.SHIM).items()}
    assert sum(map(Counter.total, noted.values())) > 40
    assert {name: counted[name] for name in noted} == noted
    # commtap does not know the kind of the library's own op.
    assert [(each["reason"], each["detail"]) for each in report.not_seen] == [("unknown_op", "neighbours_late.talk")]


HELLO = '#include <stdio.h>\nint main(void) { puts("hello"); return 7; }\n'
#: Calls each function that the shim interposes, and ends as its argument says.
ENDS = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <signal.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <unistd.h>
    int main(int argc, char** argv) {
      printf("%d %d %d\\n", argc, dlopen(NULL, RTLD_NOW) != NULL, kill(getpid(), 0));
      fflush(stdout);
      switch (argv[1][0]) {
        case 'a': abort();
        case 'k': kill(getpid(), SIGTERM);
        case 'q': quick_exit(8);
        case '_': _exit(9);
        default: return 7;
      }
    }
"""
ENDINGS = {"abort": -6, "kill": -15, "quick_exit": 8, "_exit": 9, "return": 7}
CRASH = """
    #include <stdlib.h>
    #include <stdio.h>
    void third(void) { abort(); }
    void second(void) { third(); }
    int main(void) { puts("hello"); fflush(stdout); second(); return 0; }
"""
#: Uses no headers and no start files, which would need a 32-bit tool chain.
BARE_32 = 'int puts(const char*); void exit(int); void _start(void) { puts("hello"); exit(7); }\n'
FREED = "#include <stdlib.h>\nint main(void) { int* x = malloc(4); free(x); return x[0]; }\n"
SHELL = """
    trap 'echo trapped; exit 5' EXIT
    f() { (echo in a subshell; exit 3); echo $?; }
    f | tr a-z A-Z; set -o pipefail; false | true || echo failed
    echo "$(env | grep -v ^LD_PRELOAD= | sort)" "${BASH_VERSION%%.*}"
    kill -TERM $BASHPID
"""


def build(folder: Path, source: str, *flags: str, compiler: str = "cc", name: str = "program") -> Path:
    """Builds a small C program and returns its path."""
    (folder / f"{name}.c").write_text(source)
    subprocess.run([compiler, f"{name}.c", "-o", name, *flags], check=True, cwd=folder)
    return folder / name


def need(*programs: str) -> None:
    """Skips the test if a program is not installed."""
    for each in programs:
        if shutil.which(each) is None:
            pytest.skip(f"{each} is not installed")


def library(name: str) -> str:
    """Returns a Debian library's path; skips the test if it is not installed."""
    folder = Path("/usr/lib") / (sysconfig.get_config_var("MULTIARCH") or "")
    if not (folder / name).exists():
        pytest.skip(f"{folder / name} is not installed")
    return str(folder / name)


def start(command: list[Any], folder: Path, *preloads: Any, **more: str) -> subprocess.CompletedProcess:
    """Runs a program as in a job, with an environment that differs only in LD_PRELOAD."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    fixed = {"COMMTAP_OUT": str(folder / "reports"), "GIT_CONFIG_GLOBAL": "/dev/null", "PWD": str(folder), **more}
    preload = {"LD_PRELOAD": ":".join(map(str, preloads))} if preloads else {}
    return subprocess.run(command, cwd=folder, env=kept | fixed | preload, capture_output=True, timeout=120)


def assert_same(command: list[Any], folder: Path, **more: str) -> subprocess.CompletedProcess:
    """Asserts that a program has the same status and output with the shim, and leaves no trace in the folder."""
    bare = start(command, folder, **more)
    shim = start(command, folder, LIBRARY, **more)
    assert (shim.returncode, shim.stdout, shim.stderr) == (bare.returncode, bare.stdout, bare.stderr)
    assert not (folder / "reports").exists()
    return bare


def test_shell(tmp_path: Path) -> None:
    """Pipes, subshells, traps, signals, and the output of env are unchanged."""
    done = assert_same(["bash", "-c", SHELL], tmp_path)
    assert b"IN A SUBSHELL" in done.stdout
    assert b"trapped" in done.stdout


def test_compiler(tmp_path: Path) -> None:
    """The compiler makes the same program to the byte, and the same errors."""
    (tmp_path / "good.c").write_text(HELLO)
    (tmp_path / "bad.c").write_text("int main(void) { return nothing; }\n")
    script = "gcc -flto -O2 good.c -o good && sha256sum good && gcc bad.c"
    assert assert_same(["bash", "-c", script], tmp_path).returncode == 1


def test_git(tmp_path: Path) -> None:
    """A commit has the same hash, with hooks and a pager too."""
    need("git")
    script = """
        rm -rf repository && git init -q repository && cd repository && echo text > file && git add file
        printf '#!/bin/sh\\necho hook ran\\n' > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit
        git -c user.name=n -c user.email=e commit -m message && git --paginate log --stat && git show missing
    """
    when = "2026-01-01T00:00:00Z"
    done = assert_same(["bash", "-c", script], tmp_path, GIT_AUTHOR_DATE=when, GIT_COMMITTER_DATE=when)
    assert done.returncode == 128
    assert b"hook ran" in done.stderr


@pytest.mark.parametrize(
    ("flags", "compiler"),
    [([], "cc"), (["-static"], "cc"), (["-static-pie", "-fPIE"], "cc"), ([], "musl-gcc")],
    ids=["dynamic", "static", "static_pie", "musl"],
)
def test_program(tmp_path: Path, flags: list[str], compiler: str) -> None:
    """Static programs have no loader; another libc's loader loads the preload too."""
    need(compiler)
    path = build(tmp_path, ENDS, *flags, "-w", compiler=compiler)
    for ending, status in ENDINGS.items():
        done = assert_same([path, ending], tmp_path)
        assert (done.returncode, done.stdout.split()[::2]) == (status, [b"2", b"0"])


def test_program_of_32_bits(tmp_path: Path) -> None:
    """The loader reports that it skips the preload, as it does for any; the program is unaffected."""
    if not Path("/lib/ld-linux.so.2").exists():
        pytest.skip("libc6-i386 is not installed")
    flags = ["-m32", "-fno-pie", "-no-pie", "-nostdlib", "-Wl,--dynamic-linker=/lib/ld-linux.so.2", "/lib32/libc.so.6"]
    path = build(tmp_path, BARE_32, *flags)
    bare, shim = start([path], tmp_path), start([path], tmp_path, LIBRARY)
    assert (shim.returncode, shim.stdout) == (bare.returncode, bare.stdout) == (7, b"hello\n")
    [line] = shim.stderr.splitlines()
    assert b"wrong ELF class" in line


def test_setuid_program(tmp_path: Path) -> None:
    """The loader ignores a preload with a path in a setuid program, so the shim is not loaded."""
    need("setpriv")
    if os.geteuid() != 0:
        pytest.skip("only root can make a program that runs as root for others")
    copy = Path(shutil.copy(shutil.which("cat"), tmp_path / "cat"))
    for folder in (tmp_path, *tmp_path.parents[:-2]):
        folder.chmod(0o755)
    as_nobody = ["setpriv", "--reuid=65534", "--clear-groups", copy, "/proc/self/maps"]
    copy.chmod(0o755)
    assert LIBRARY.name.encode() in start(as_nobody, tmp_path, LIBRARY).stdout
    copy.chmod(0o4755)
    done = start(as_nobody, tmp_path, LIBRARY)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"libc.so" in done.stdout
    assert LIBRARY.name.encode() not in done.stdout


def test_debugger(tmp_path: Path) -> None:
    """gdb stops at a breakpoint, and an aborting program's stack has only its own frames."""
    need("gdb")
    path = build(tmp_path, CRASH, "-g", "-O0")
    commands = ("set confirm off", "break second", "run", "bt", "continue", "bt", "kill")
    options = [option for command in commands for option in ("-ex", command)]
    said = []
    for preloads in ((), (LIBRARY,)):
        done = start(["gdb", "-nx", "-batch", *options, path], tmp_path, *preloads)
        said.append(
            [line.partition(" in ")[2] or line for line in done.stdout.decode().splitlines() if line[:1] == "#"]
        )
    assert any("third ()" in line for line in said[0])
    assert said[1] == said[0]


def test_system_call_tracer(tmp_path: Path) -> None:
    """strace follows the program and its children as without the shim."""
    need("strace")
    script = ["strace", "-f", "-qq", "-e", "trace=write,exit_group", "-e", "signal=none", "-o", "log"]
    done = [*script, "bash", "-c", "echo a; (echo b; exit 2); exec sh -c 'echo c; exit 7'"]
    lines = []
    for preloads in ((), (LIBRARY,)):
        assert start(done, tmp_path, *preloads).returncode == 7
        lines.append(sorted(line.split(None, 1)[1] for line in (tmp_path / "log").read_text().splitlines()))
    assert lines[0] == lines[1] != []


ALLOCATORS = ("libjemalloc.so.2", "libtcmalloc_minimal.so.4")
FAKETIME = "faketime/libfaketime.so.1"
ORDERS: dict[str, Callable[[Any], tuple]] = {
    "before": lambda other: (other, LIBRARY),
    "after": lambda other: (LIBRARY, other),
}


@pytest.mark.parametrize("order", ORDERS)
def test_false_time(tmp_path: Path, order: str) -> None:
    """Programs see libfaketime's time, whether it is preloaded before or after the shim."""
    preloads = ORDERS[order](library(FAKETIME))
    done = start(["date", "-u", "+%F %H"], tmp_path, *preloads, FAKETIME="@2001-02-03 04:05:06", TZ="UTC")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"2001-02-03 04\n", b"")


def address_sanitizer() -> str:
    """Returns the compiler's ASan runtime, which must be a program's first library."""
    done = subprocess.run(["cc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True)
    if "/" not in done.stdout:
        pytest.skip("the compiler has no libasan")
    return str(Path(done.stdout.strip()).resolve())


def test_address_sanitizer(tmp_path: Path) -> None:
    """A program built with ASan reports only its own error, with the shim after the runtime."""
    runtime = address_sanitizer()
    path = build(tmp_path, FREED, "-fsanitize=address", "-g")
    errors = []
    for preloads in ((runtime,), (runtime, LIBRARY)):
        done = start([path], tmp_path, *preloads)
        errors.append((done.returncode, [line for line in done.stderr.splitlines() if line.startswith(b"SUMMARY")]))
    assert errors[0] == errors[1]
    assert b"heap-use-after-free" in errors[1][1][0]


def assert_counts_are_right(runner: Runner, job: Job) -> None:
    """Asserts the C++ job's counts: per step 2 all_reduces forward, 2 backward and 1 in the optimizer; one barrier."""
    bare, shim = runner.pair(job)
    assert_unchanged(bare, shim)
    steps = len(bare.outcomes[0].stdout.splitlines())
    for rank in range(job.ranks):
        report = shim.report(rank)
        assert report.not_seen == []
        assert report.table("kind") == {"all_reduce": 5 * steps, "barrier": 1}


@pytest.mark.skipif(not program("scopes").is_file(), reason="built where there are Gloo headers")
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("other", [*ALLOCATORS, FAKETIME])
def test_job_with_another_preload(runner: Runner, other: str, order: str) -> None:
    """The counts are right with an allocator or a false time preloaded before or after the shim."""
    preloads = {order: (library(other),)}
    assert_counts_are_right(runner, Job("scopes", ("store",), variables=(("FAKETIME", "+100d"),), **preloads))


@pytest.mark.skipif(not program("scopes").is_file(), reason="built where there are Gloo headers")
def test_job_under_address_sanitizer(runner: Runner) -> None:
    """The counts are right with the ASan runtime before the shim, in a job not built for it."""
    options = (("ASAN_OPTIONS", "detect_leaks=0"),)
    assert_counts_are_right(runner, Job("scopes", ("store",), variables=options, before=(address_sanitizer(),)))


def test_python_job_with_another_allocator(runner: Runner) -> None:
    """A Python job with another allocator is unchanged."""
    bare, shim = runner.pair(Job("mlp_tp.py", before=(library(ALLOCATORS[0]),)))
    assert_unchanged(bare, shim)
    for rank in range(2):
        report = shim.report(rank)
        assert report.not_seen == []
        assert report.table("module", phase="forward", kind="all_reduce") == {"MLPModule.net2": 1}
