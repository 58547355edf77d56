# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Makes the folder that tests/gpu/run.sh needs on a bare machine with a GPU, torch and Python: `./dev gpu pack`.

It has the wheel, the checks, and a copy of NCCL that lets ranks share a GPU, for a torch whose own does not. The folder
may be carried anywhere.
"""

import argparse
import lzma
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import small_nccl

REPOSITORY = Path(__file__).resolve().parents[2]
DOWNLOADS = REPOSITORY / "build" / "gpu" / "downloads"
CHECKS = REPOSITORY / "tests" / "gpu"
SAMPLES_FILE = Path("tests") / "e2e" / "support" / "samples_file.py"
#: Where check.py looks for it.
NCCL_IN_PACK = Path("nccl") / "libnccl.so.2.xz"
#: The first release that lets ranks share a GPU, and the smallest of these.
NCCL_RELEASE = "2.30.7"
LARGEST = 60 << 20

#: Prints NCCL's version code, and makes the calls that need no GPU.
LOAD = """
import ctypes, sys
nccl = ctypes.CDLL(sys.argv[1])
version = ctypes.c_int()
assert nccl.ncclGetVersion(ctypes.byref(version)) == 0
assert nccl.ncclGetUniqueId((ctypes.c_char * 128)()) == 0
assert nccl.ncclGroupStart() == nccl.ncclGroupEnd() == 0
print(version.value)
"""


def version_code(release: str) -> int:
    """Returns 23007 for "2.30.7"."""
    major, minor, patch = (int(part) for part in release.split("."))
    return 10000 * major + 100 * minor + patch


def download_nccl(release: str, folder: Path) -> Path:
    """Returns libnccl.so.2 of a release of NVIDIA's wheel for CUDA 13."""
    library = folder / release / "nvidia" / "nccl" / "lib" / "libnccl.so.2"
    if not library.exists():
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
        subprocess.run([*pip, "--dest", folder, f"nvidia-nccl-cu13=={release}"], check=True)
        [wheel] = folder.glob(f"nvidia_nccl_cu13-{release}-*.whl")
        shutil.unpack_archive(wheel, folder / release, "zip")
        wheel.unlink()
    return library


def loaded_version(compressed: Path) -> int:
    """Returns the version that a compressed libnccl.so.2 gives once it is loaded. It needs no GPU for that."""
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "libnccl.so.2"
        library.write_bytes(lzma.decompress(compressed.read_bytes()))
        done = subprocess.run([sys.executable, "-c", LOAD, library], check=True, capture_output=True, text=True)
    return int(done.stdout)


def pack_nccl(library: Path, target: Path, arch: int, release: str) -> None:
    """Writes a copy of NCCL with the code for one kind of GPU, and loads it."""
    if small_nccl.write_small(library, target, arch) == 0:
        sys.exit(f"NCCL {release} has no code for sm_{arch}: name another kind of GPU by --arch")
    if (version := loaded_version(target)) != version_code(release):
        sys.exit(f"the copy of NCCL {release} says that it is {version}")


def pack_checks(folder: Path, wheel: Path | None) -> None:
    """Copies the checks, in the folders of the checkout, and the wheel, if there is one."""
    if wheel is not None:
        shutil.copy(wheel, folder)
    (folder / "tests" / "gpu").mkdir(parents=True)
    for file in [*sorted(CHECKS.glob("*.py")), CHECKS / "run.sh"]:
        shutil.copy(file, folder / "tests" / "gpu")
    (folder / SAMPLES_FILE).parent.mkdir(parents=True)
    shutil.copy(REPOSITORY / SAMPLES_FILE, folder / SAMPLES_FILE)


def size_of(folder: Path) -> int:
    """Returns the bytes of all files."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def main() -> None:
    parser = argparse.ArgumentParser(prog="./dev gpu pack", description=__doc__.split("\n\n")[0])
    parser.add_argument("--wheel", type=Path, required=True, help="default: a new one")
    parser.add_argument("--dest", type=Path, default=REPOSITORY / "build" / "gpu" / "pack", help="default: %(default)s")
    parser.add_argument("--arch", type=int, default=90, help="the kind of GPU; default: 90, an H100 or H200")
    parser.add_argument("--nccl", default=NCCL_RELEASE, metavar="RELEASE", help="default: %(default)s")
    parser.add_argument("--without-nccl", action="store_true", help="for a torch that brings NCCL 2.30 or later")
    arguments = parser.parse_args()
    folder = arguments.dest.resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    pack_checks(folder, arguments.wheel)
    if not arguments.without_nccl:
        DOWNLOADS.mkdir(parents=True, exist_ok=True)
        library = download_nccl(arguments.nccl, DOWNLOADS)
        pack_nccl(library, folder / NCCL_IN_PACK, arguments.arch, arguments.nccl)
    size = size_of(folder)
    print(f"{folder}: {size / 2**20:.1f} MiB; on the machine with the GPU: bash tests/gpu/run.sh")
    if size > LARGEST:
        sys.exit(f"the folder has more than {LARGEST >> 20} MiB: leave out NCCL by --without-nccl")


if __name__ == "__main__":
    main()
