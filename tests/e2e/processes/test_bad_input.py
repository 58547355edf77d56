# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Bad settings, broken installations and full disks get one clear line, and the job runs unchanged."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from harness import BUILD, JOBS_FOLDER, LIBRARY, SITE, TRACKER
from other_torch import other_torch

from report import Report

#: A job of one process: five all-reduces in a group of one.
JOB = [sys.executable, str(JOBS_FOLDER / "children.py"), "helper"]
SAID = b"helper 4.0\n"


def run_job(folder: Path, library: Path = LIBRARY, **settings: str) -> subprocess.CompletedProcess:
    """Runs the job with these variables in its own folder; its output must not change."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("COMMTAP", "LD_PRELOAD", "RANK"))}
    variables = kept | {"LD_PRELOAD": str(library), "OMP_NUM_THREADS": "1", "TMPDIR": str(folder / "tmp")} | settings
    (folder / "tmp").mkdir(exist_ok=True)
    done = subprocess.run(JOB, env=variables, cwd=folder, capture_output=True, timeout=120)
    assert done.returncode == 0
    assert done.stdout == SAID
    return done


def lines(done: subprocess.CompletedProcess) -> list[str]:
    return done.stderr.decode().splitlines()


def one_report(folder: Path) -> Report:
    [path] = folder.rglob("*.json")
    report = Report.read(path)
    assert report.table("kind") == {"all_reduce": 5}
    return report


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the folder of the installed libcommtap.so."""
    root = tmp_path_factory.mktemp("installed")
    if SITE is None:
        meson = ["meson", "install", "-C", str(BUILD), "--no-rebuild", "--quiet", "--destdir", str(root)]
        subprocess.run(meson, check=True, capture_output=True)
    else:
        shutil.copytree(SITE / "commtap" / "_native", root, dirs_exist_ok=True)
        shutil.copytree(SITE / "share", root / "share", dirs_exist_ok=True)
        for tracker in root.rglob("libcommtap-tracker-*.so"):
            if tracker.name != TRACKER.name:
                tracker.unlink()
    [library] = root.rglob("libcommtap.so")
    return library.parent


@pytest.fixture
def installation(installed: Path, tmp_path: Path) -> Path:
    """Returns a copy of the installation that a test may break."""
    return Path(shutil.copytree(installed, tmp_path / "commtap"))


def test_bad_values_are_named(tmp_path: Path) -> None:
    """Each bad value gets its own line, and its default applies."""
    done = run_job(tmp_path, COMMTAP_OUT="out/%x", COMMTAP_LOG="loud", COMMTAP_OPS="nonsense", COMMTAP_TYPO="1")
    said = lines(done)
    assert len(said) == 4
    for name in ("COMMTAP_OUT=out/%x", "COMMTAP_LOG=loud", "COMMTAP_OPS=nonsense", "COMMTAP_TYPO"):
        assert sum(name in line for line in said) == 1
    assert one_report(tmp_path / "commtap-out").not_seen == []


def test_switched_off(tmp_path: Path) -> None:
    """COMMTAP=0 prints no line and writes no file."""
    done = run_job(tmp_path, COMMTAP="0", COMMTAP_OUT="out")
    assert done.stderr == b""
    assert not (tmp_path / "out").exists()


def test_output_pattern(tmp_path: Path) -> None:
    """%h, %p, %r and %j are replaced; missing folders are created."""
    done = run_job(tmp_path, COMMTAP_OUT="a/%h/%p-%r/%j", COMMTAP_RUN_ID="my run", RANK="7", WORLD_SIZE="8")
    assert done.stderr == b""
    report = one_report(tmp_path / "a")
    pid = report.job["pid"]
    assert report.path.parent == tmp_path / "a" / os.uname().nodename / f"{pid}-0" / "my_run"
    assert report.job["run_id"] == "my run"


def test_installed(installed: Path, tmp_path: Path) -> None:
    """The files that `meson install` writes work in place."""
    done = run_job(tmp_path, library=installed / "libcommtap.so", COMMTAP_OUT="out")
    assert done.stderr == b""
    assert one_report(tmp_path / "out").job["python"].startswith(f"3.{sys.version_info.minor}.")


def test_installed_command(installed: Path, tmp_path: Path) -> None:
    """The installed command finds the installed library."""
    root = next(parent for parent in installed.parents if (parent / "bin" / "commtap").exists())
    command = [root / "bin" / "commtap", "run", "--out", tmp_path / "out", "--", *JOB]
    done = subprocess.run(command, capture_output=True, timeout=120)
    assert done.returncode == 0
    assert done.stdout == SAID
    assert b"all_reduce" in done.stderr
    assert str(tmp_path / "out") in done.stderr.decode()
    one_report(tmp_path / "out")


@pytest.mark.parametrize(
    ("place", "arguments"),
    [
        ("man/man1/commtap.1", ("options", "--format", "man")),
        ("bash-completion/completions/commtap.bash", ("completion", "bash")),
        ("zsh/site-functions/_commtap", ("completion", "zsh")),
        ("fish/vendor_completions.d/commtap.fish", ("completion", "fish")),
    ],
)
def test_installed_manual_and_completions(installed: Path, place: str, arguments: tuple[str, ...]) -> None:
    """Each file is where man and the shells look, and equals the installed command's output."""
    root = next(parent for parent in installed.parents if (parent / "bin" / "commtap").exists())
    said = subprocess.run([root / "bin" / "commtap", *arguments], check=True, capture_output=True).stdout
    assert b"commtap" in said
    assert (root / "share" / place).read_bytes() == said


def test_tracker_is_missing(installation: Path, tmp_path: Path) -> None:
    shutil.rmtree(installation / "trackers")
    done = run_job(tmp_path, library=installation / "libcommtap.so", COMMTAP_OUT="out")
    [said] = lines(done)
    assert f"torch {torch.__version__} is not supported" in said
    assert said.endswith("nothing is counted: run `commtap doctor`")
    assert not (tmp_path / "out").exists()


def replace_tracker(installation: Path, content: bytes) -> Path:
    [tracker] = installation.rglob("libcommtap-tracker-*.so")
    tracker.write_bytes(content)
    return tracker


def test_tracker_is_foreign(installation: Path, tmp_path: Path) -> None:
    """The tracker's file is another project's library."""
    replace_tracker(installation, (installation / "libcommtap.so").read_bytes())
    [said] = lines(run_job(tmp_path, library=installation / "libcommtap.so", COMMTAP_OUT="out"))
    assert "is not a tracker of this version of commtap: install all files of commtap again" in said


def test_tracker_is_no_library(installation: Path, tmp_path: Path) -> None:
    tracker = replace_tracker(installation, b"cut off while it was copied")
    [said] = lines(run_job(tmp_path, library=installation / "libcommtap.so", COMMTAP_OUT="out"))
    assert f"{tracker} cannot be loaded: " in said
    assert f"install the tracker for torch {'.'.join(torch.__version__.split('.')[:2])}" in said


def test_python_part_is_missing(installation: Path, tmp_path: Path) -> None:
    """Under an unsupported Python, collectives are counted and the report says that modules are unknown."""
    shutil.rmtree(next(installation.rglob("python")))
    done = run_job(tmp_path, library=installation / "libcommtap.so", COMMTAP_OUT="out")
    [said] = lines(done)
    part = installation / "trackers" / "python" / f"libcommtap-python-3.{sys.version_info.minor}.so"
    assert f"no part for Python 3.{sys.version_info.minor} is installed: expected {part}" in said
    assert said.endswith("run `commtap doctor`")
    [entry] = one_report(tmp_path / "out").not_seen
    assert entry["reason"] == "module_hook_missing"


def test_tracker_is_a_fifo(installation: Path, tmp_path: Path) -> None:
    """Opening the FIFO would block the job until a writer comes."""
    [tracker] = installation.rglob("libcommtap-tracker-*.so")
    tracker.unlink()
    os.mkfifo(tracker)
    [said] = lines(run_job(tmp_path, library=installation / "libcommtap.so", COMMTAP_OUT="out"))
    assert f"{tracker} is not loaded: it is not a regular file" in said
    assert "nothing is counted" in said


def test_python_part_is_a_fifo(installation: Path, tmp_path: Path) -> None:
    """Collectives are counted without the Python part, and the report says that modules are unknown."""
    [part] = installation.rglob("libcommtap-python-*.so")
    part.unlink()
    os.mkfifo(part)
    [said] = lines(run_job(tmp_path, library=installation / "libcommtap.so", COMMTAP_OUT="out"))
    assert f"{part} is not loaded: it is not a regular file" in said
    [entry] = one_report(tmp_path / "out").not_seen
    assert entry["reason"] == "module_hook_missing"


def test_torch_is_unsupported(installation: Path, tmp_path: Path) -> None:
    """First torch's minor version has no tracker; then its tracker is built for another minor."""
    path = str(other_torch(tmp_path / "site", "2.99.1"))
    library = installation / "libcommtap.so"
    [said] = lines(run_job(tmp_path, library=library, COMMTAP_OUT="out", PYTHONPATH=path))
    assert "torch 2.99.1 is not supported" in said
    [tracker] = (installation / "trackers").glob("*.so")
    renamed = tracker.rename(tracker.with_name("libcommtap-tracker-2.99.so"))
    [said] = lines(run_job(tmp_path, library=library, COMMTAP_OUT="out", PYTHONPATH=path))
    assert "torch 2.99 is loaded: " in said
    assert f"{renamed} is built for torch 2.13: install the tracker for torch 2.99" in said
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("label", ["a0+git123", "a0+abc.nv25.10", ".dev20261001", "rc1+cpu", "+git1a2b3c4"])
def test_torch_is_no_release(installation: Path, tmp_path: Path, label: str) -> None:
    """A nightly or a vendor's build has the number of a release, but not its classes."""
    version = f"{torch.__version__.split('+')[0]}{label}"
    library = installation / "libcommtap.so"
    path = str(other_torch(tmp_path / "site", version))
    [said] = lines(run_job(tmp_path, library=library, COMMTAP_OUT="out", PYTHONPATH=path))
    assert f"torch {version} is not a release" in said
    assert (
        "install a release of torch, make a tracker for it (`commtap build-tracker`), or try it with "
        "COMMTAP_TORCH=force; " in said
    )
    assert said.endswith("nothing is counted: run `commtap doctor`")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("flag", ["RTLD_LOCAL", "RTLD_DEEPBIND"])
def test_torch_that_no_hook_notices(tmp_path: Path, flag: str) -> None:
    """With RTLD_DEEPBIND torch finds its own function before the stub's: a line at the end says so."""
    job = f"import os, sys; sys.setdlopenflags(os.RTLD_NOW | os.{flag}); import torch; print(torch.ones(2).sum())"
    variables = os.environ | {"LD_PRELOAD": str(LIBRARY), "COMMTAP_OUT": "out"}
    done = subprocess.run([sys.executable, "-c", job], env=variables, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "tensor(2.)\n")
    said = done.stderr.splitlines()
    assert len(said) == (flag == "RTLD_DEEPBIND")
    assert all(
        "libtorch_cpu.so was loaded, and commtap was not called: the process ended while it imported torch" in each
        for each in said
    )
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("version", ["2.99.1", f"{torch.__version__.split('+')[0]}a0+git123"])
def test_torch_is_forced(installation: Path, tmp_path: Path, version: str) -> None:
    """COMMTAP_TORCH=force takes a tracker of another version, and counts if torch's classes are the tracker's."""
    [tracker] = (installation / "trackers").glob("*.so")
    tracker.rename(tracker.with_name(f"libcommtap-tracker-{'.'.join(version.split('.')[:2])}.so"))
    path = str(other_torch(tmp_path / "site", version))
    settings = {"COMMTAP_OUT": "out", "PYTHONPATH": path, "COMMTAP_TORCH": "force"}
    done = run_job(tmp_path, library=installation / "libcommtap.so", **settings)
    assert done.stderr == b""
    assert one_report(tmp_path / "out").not_seen == []


def test_output_cannot_be_made(tmp_path: Path) -> None:
    """A file blocks the output path: one line says so, and another names the report's new folder."""
    (tmp_path / "file").write_text("not a folder")
    said = lines(run_job(tmp_path, COMMTAP_OUT="file/out"))
    assert len(said) == 2
    assert "file/out: Not a directory" in said[0]
    assert "the report goes to" in said[1]
    assert "COMMTAP_OUT" in said[1]
    assert one_report(tmp_path / "tmp").not_seen == []


def test_nothing_can_be_written(tmp_path: Path) -> None:
    """The job goes on if neither the output folder nor the temporary folder is writable."""
    (tmp_path / "file").write_text("not a folder")
    said = lines(run_job(tmp_path, COMMTAP_OUT="file/out", TMPDIR=str(tmp_path / "file" / "tmp")))
    assert all("file" in line or "kept in memory" in line for line in said)
    assert 2 <= len(said) <= 6


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Mounts a file system of 64 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], capture_output=True)
    if mounted.returncode != 0:
        pytest.skip(f"cannot mount a small file system here: {mounted.stderr.decode().strip()}")
    yield folder
    subprocess.run(["umount", folder], check=True)


def test_disk_is_full(small_disk: Path, tmp_path: Path) -> None:
    """No SIGBUS occurs: the ledger allocates its space before it writes."""
    (small_disk / "ballast").write_bytes(bytes(60 << 10))
    said = lines(run_job(tmp_path, COMMTAP_OUT=str(small_disk / "out")))
    assert len(said) == 2
    assert "No space left on device" in said[0]
    assert "the report goes to" in said[1]
    one_report(tmp_path / "tmp")


def test_preloaded_twice(installed: Path, tmp_path: Path) -> None:
    """With a cluster's commtap and a user's own, only one counts, and it counts every collective once."""
    other = tmp_path / "other"
    shutil.copytree(installed, other)
    both = f"{installed / 'libcommtap.so'} {other / 'libcommtap.so'}"
    done = run_job(tmp_path, COMMTAP_OUT="out", LD_PRELOAD=both)
    assert done.stderr == b""
    one_report(tmp_path / "out")
