# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Makes what is published: `./dev wheel [--torch 2.13 ...] [--python PATH ...] [--arch x86_64 | aarch64]`.

One Meson build makes all: a tracker for each torch minor, a Python part for each Python, the stub and the command line.
meson-python makes the wheel of it, and the archive of the sources. What is not the build's is added after that:
licences of what is linked in, and the list of parts (SPDX). The files go to dist/, with their checksums.
"""

import argparse
import glob
import hashlib
import os
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import contents
import library_sources
import needs
import toolchain
import torches

REPOSITORY = Path(__file__).resolve().parents[2]
WORK = REPOSITORY / "build" / "wheel"
#: Its arguments are the folder for the archive, the build folder and Meson's options.
MAKE_SDIST = """
import mesonpy, sys
_, dest, tree, *options = sys.argv
mesonpy.build_sdist(dest, {"build-dir": tree, "setup-args": options})
"""
#: Ends with 0 if the interpreter has its headers.
HAS_HEADERS = "import os, sys, sysconfig; sys.exit(not os.path.exists(sysconfig.get_paths()['include'] + '/Python.h'))"
PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14", "3.15")


def interpreters() -> list[str]:
    """Returns an interpreter of each minor whose headers are on this machine."""
    found = []
    for minor in PYTHONS:
        places = [
            *sorted(glob.glob(str(Path.home() / f".pyenv/versions/{minor}.*/bin/python{minor}"))),
            f"python{minor}",
        ]
        for place in places:
            path = shutil.which(place)
            if (
                path is not None
                and subprocess.run([path, "-c", HAS_HEADERS], check=False, capture_output=True).returncode == 0
            ):
                found.append(path)
                break
    return found


def time_of_commit() -> str:
    command = ["git", "-C", str(REPOSITORY), "log", "-1", "--format=%ct"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def options_of_build(arguments: argparse.Namespace, target: toolchain.Target) -> list[str]:
    """Returns Meson's arguments."""
    releases = torches.releases()
    minors = arguments.torch or sorted(releases, key=lambda minor: [int(part) for part in minor.split(".")])
    packages = [torches.package(releases[minor], WORK / "torches") for minor in minors]
    compile_arguments, link_arguments = toolchain.job_arguments(target, WORK / target.arch)
    lists = {
        "torches": [str(package) for package in packages],
        "pythons": [os.path.abspath(path) for path in arguments.python or interpreters()],
        "job_cpp_args": compile_arguments,
        "job_link_args": link_arguments,
    }
    machine_file = toolchain.write_machine_file(target, toolchain.zig(), WORK / target.arch)
    return [
        f"{'--native-file' if target.arch == os.uname().machine else '--cross-file'}={machine_file}",
        f"-Dsource_libraries={library_sources.fetch(WORK / 'sources')}",
        *(f"-D{name}=[{','.join(repr(each) for each in values)}]" for name, values in lists.items()),
    ]


def build(options: list[str], target: toolchain.Target, environment: dict[str, str]) -> Path:
    """Returns meson-python's wheel."""
    made, tree = WORK / target.arch / "made", WORK / target.arch / "tree"
    shutil.rmtree(made, ignore_errors=True)
    # Ninja does not see that the compiler's own command has changed.
    commands = "".join(path.read_text(encoding="utf-8") for path in sorted(tree.parent.glob("zig-*")))
    stamp = tree / "compiler"
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != commands:
        shutil.rmtree(tree, ignore_errors=True)
        tree.mkdir()
        stamp.write_text(commands, encoding="utf-8")
    settings = [f"--config-settings=setup-args={option}" for option in options]
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", f"--wheel-dir={made}"]
    subprocess.run(
        [*pip, f"--config-settings=build-dir={tree}", *settings, str(REPOSITORY)], check=True, env=environment
    )
    [wheel] = made.glob("*.whl")
    return wheel


def sources_in(folder: Path) -> list[Path]:
    return [path for path in folder.glob("commtap-*.tar.gz") if "-linux-" not in path.name]


def write_sdist(options: list[str], target: toolchain.Target, dest: Path, environment: dict[str, str]) -> Path:
    """Writes the sources of this commit, of which pip makes a wheel for the torch that is installed."""
    command = [sys.executable, "-c", MAKE_SDIST, str(dest), str(WORK / target.arch / "tree"), *options]
    subprocess.run(command, check=True, cwd=REPOSITORY, env=environment, stdout=subprocess.DEVNULL)
    [archive] = sources_in(dest)
    return archive


def write_checksums(folder: Path) -> None:
    files = sorted(folder.glob("commtap-*"))
    lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files]
    (folder / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")


def link_faults(tree: Path, target: toolchain.Target) -> list[str]:
    """Returns a line for each symbol that a tracker needs and its torch for Linux lacks."""
    faults = []
    releases = torches.releases()
    for tracker in sorted(tree.rglob("libcommtap-tracker-*.so")):
        version = releases[tracker.stem.rpartition("-")[2]]
        of_torch = torches.libraries(version, target.arch, WORK / "torches")
        missing = needs.missing_symbols(tracker, of_torch)
        faults += [f"torch {version} for {target.arch} does not export {name}" for name in missing]
    return faults


def main() -> None:
    parser = argparse.ArgumentParser(prog="./dev wheel", description="make the wheel and the archive in dist/")
    parser.add_argument("--torch", action="append", choices=list(torches.releases()), help="a minor; default: all")
    parser.add_argument("--python", action="append", metavar="PATH", help="an interpreter; default: each that is found")
    parser.add_argument("--dest", type=Path, default=REPOSITORY / "dist", metavar="FOLDER", help="default: dist/")
    parser.add_argument("--link-check", action="store_true", help="compare with torch's libraries: 2 GB of downloads")
    parser.add_argument("--arch", choices=list(toolchain.TARGETS), default=os.uname().machine)
    arguments = parser.parse_args()
    target = toolchain.TARGETS[arguments.arch]
    environment = os.environ | {
        "SOURCE_DATE_EPOCH": time_of_commit(),
        "CCACHE_COMPILERTYPE": "clang",
        "CCACHE_COMPILERCHECK": f"string:{metadata.version('ziglang')} {target.triple}",
        "ZIG_GLOBAL_CACHE_DIR": str(WORK / "zig-cache"),
        "ZIG_LOCAL_CACHE_DIR": str(WORK / "zig-cache"),
    }
    options = options_of_build(arguments, target)
    made = build(options, target, environment)
    dest: Path = arguments.dest.resolve()
    dest.mkdir(parents=True, exist_ok=True)
    for old in (*dest.glob(f"commtap-*{target.arch}*"), *sources_in(dest)):
        old.unlink()
    wheel, tree = contents.complete(made, target, WORK, environment, arguments.torch or [])
    final = Path(shutil.copy(wheel, dest))
    archive = contents.write_archive(tree, target, dest, int(environment["SOURCE_DATE_EPOCH"]))
    sources = write_sdist(options, target, dest, environment)
    write_checksums(dest)
    faults = needs.faults_of(tree, final)
    if arguments.link_check:
        faults += link_faults(tree, target)
    for file in (final, archive, sources):
        print(f"{file}: {file.stat().st_size / 1e6:.1f} MB")
    if faults:
        sys.exit("\n".join(["wheel: it would not run everywhere that its name says:", *faults]))


if __name__ == "__main__":
    main()
