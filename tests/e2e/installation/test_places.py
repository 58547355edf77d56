# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""One installation among several torches and Pythons, and libraries of torch in unusual places."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import harness
import pytest
import torch
from harness import JOBS_FOLDER, LIBRARY, Job, Mode, Runner, program
from installed import Installed, environments

from report import Report

OWN_TORCH = ".".join(torch.__version__.split(".")[:2])
OWN_PYTHON = ".".join(map(str, sys.version_info[:2]))

#: A job of one process that makes five all_reduces.
HELPER = [str(JOBS_FOLDER / "children.py"), "helper"]

#: A job of one process whose child, another interpreter, prints its version.
PARENT = """
import subprocess, sys
import torch, torch.distributed as dist
dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
dist.all_reduce(torch.ones(4))
child = subprocess.run([sys.argv[1], "-c", "import sys; print(sys.version)"], capture_output=True, check=True)
assert child.stderr == b"", child.stderr
print(child.stdout.decode(), end="", flush=True)
dist.all_reduce(torch.ones(4))
dist.destroy_process_group()
"""


def variables(out: Path, library: Path = LIBRARY, **more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("COMMTAP", "LD_", "PYTHON"))}
    return kept | {"LD_PRELOAD": str(library), "COMMTAP_OUT": str(out), "OMP_NUM_THREADS": "1"} | more


def one_report(out: Path) -> Report:
    [path] = out.rglob("*.json")
    return Report.read(path)


def minor(version: str) -> str:
    return ".".join(version.split(".")[:2])


def other_pythons() -> list[str]:
    """Returns interpreters of other minors than this one, without looking at their packages."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    own = [shutil.which(f"python3.{each}") for each in range(8, 16) if f"3.{each}" != OWN_PYTHON]
    others = [path for path in sorted(pyenv.glob("3.*/bin/python3")) if minor(path.parts[-3]) != OWN_PYTHON]
    return [path for path in own if path and "shims" not in path] + [str(path) for path in others]


def test_two_torches_under_one_installation(installed: Installed, tmp_path: Path) -> None:
    """Jobs of two environments run at once; each gets the tracker of its torch and the Python part of its Python."""
    others = [each for each in environments(installed).items() if each[0][0] != OWN_TORCH]
    if not others:
        pytest.skip("one torch is here: ./dev matrix 2.14 3.11 --keep makes an environment with another")
    pythons = {(OWN_TORCH, OWN_PYTHON): Path(sys.executable), **dict(others)}
    jobs = {
        pair: subprocess.Popen(
            [python, *HELPER],
            env=variables(tmp_path / "-".join(pair), installed.shim),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for pair, python in pythons.items()
    }
    for pair, job in jobs.items():
        assert job.communicate(timeout=harness.TIMEOUT_S) == (b"helper 4.0\n", b"")
        report = one_report(tmp_path / "-".join(pair))
        assert (minor(report.job["torch"]), minor(report.job["python"])) == pair
        assert report.table("kind") == {"all_reduce": 5}
        assert report.not_seen == []


def test_child_of_another_python_without_torch(tmp_path: Path) -> None:
    """The preload that the child inherits changes nothing there, and only the parent leaves a report."""
    if not other_pythons():
        pytest.skip("one Python is here")
    other = other_pythons()[-1]
    expected = subprocess.run([other, "-c", "import sys; print(sys.version)"], check=True, capture_output=True).stdout
    done = subprocess.run(
        [sys.executable, "-c", PARENT, other], env=variables(tmp_path / "out"), cwd=tmp_path, capture_output=True
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, expected, b"")
    report = one_report(tmp_path / "out")
    assert report.table("kind") == {"all_reduce": 2}
    assert minor(report.job["python"]) == OWN_PYTHON


def test_children_of_another_python_with_torch(
    runner: Runner, installed: Installed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ranks of one Python start helpers of another that use torch; each process is counted by its own parts."""
    others = [(pair, python) for pair, python in environments(installed).items() if pair[1] != OWN_PYTHON]
    if not others:
        pytest.skip("no other Python with torch is here: ./dev matrix 2.11 3.10 --keep makes an environment")
    monkeypatch.setattr(harness, "LIBRARY", installed.shim)
    (_, other), python = others[0]
    run = runner.run(Job("children.py", ("subprocess", "--python", str(python))), Mode.SHIM)
    assert run.ended_as_meant(), run.outcomes
    helpers = [report for report in run.reports if report.job["argv"][-1] == "helper"]
    assert [minor(report.job["python"]) for report in helpers] == [other] * 4
    assert [report.table("kind") for report in helpers] == [{"all_reduce": 5}] * 4
    parents = [report for report in run.reports if report not in helpers]
    assert [minor(report.job["python"]) for report in parents] == [OWN_PYTHON] * 2
    assert [report.table("kind") for report in parents] == [{"all_reduce": 2, "barrier": 1}] * 2
    assert all(report.not_seen == [] for report in run.reports)


@pytest.fixture(scope="module")
def conda(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns an environment laid out as conda's: torch's libraries are in lib, CMake's files in share."""
    package = Path(torch.__file__).parent
    root = tmp_path_factory.mktemp("conda")
    site = root / "lib" / f"python{OWN_PYTHON}" / "site-packages"
    (site / "torch" / "lib").mkdir(parents=True)
    for entry in package.parent.iterdir():
        if entry.name != "torch":
            (site / entry.name).symlink_to(entry)
    for entry in package.iterdir():
        if entry.name not in ("lib", "share"):
            (site / "torch" / entry.name).symlink_to(entry)
    for library in (package / "lib").iterdir():
        (root / "lib" / library.name).symlink_to(library)
    # torch opens this one by its path.
    (site / "torch" / "lib" / "libtorch_global_deps.so").symlink_to(package / "lib" / "libtorch_global_deps.so")
    (root / "share").symlink_to(package / "share")
    return root


def test_layout_of_conda(conda: Path, tmp_path: Path) -> None:
    """version.py is not above the libraries, but next to the module that links them."""
    site = conda / "lib" / f"python{OWN_PYTHON}" / "site-packages"
    paths = {"PYTHONPATH": str(site), "LD_LIBRARY_PATH": str(conda / "lib")}
    done = subprocess.run(
        [sys.executable, *HELPER], env=variables(tmp_path / "out", **paths), cwd=tmp_path, capture_output=True
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"helper 4.0\n", b"")
    report = one_report(tmp_path / "out")
    assert report.job["torch"] == torch.__version__
    assert report.table("kind") == {"all_reduce": 5}
    assert report.not_seen == []


def scopes_of(runner: Runner, *more: tuple[str, str]) -> Report:
    """Returns the report of a C++ program that trains on two ranks."""
    if not program("scopes").is_file():
        pytest.skip("built where there are Gloo headers")
    run = runner.run(Job("scopes", ("store",), variables=more), Mode.SHIM)
    assert run.ended_as_meant(), run.outcomes
    assert all(outcome.stderr == b"" for outcome in run.outcomes)
    return run.report()


def test_program_in_cpp_under_an_installation(
    runner: Runner, installed: Installed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """torch is linked, so it is there before the stub; no Python takes part."""
    expected = scopes_of(runner)
    monkeypatch.setattr(harness, "LIBRARY", installed.shim)
    report = scopes_of(runner)
    keys = ("module", "phase", "kind")
    assert report.table(*keys) == expected.table(*keys)
    assert report.table(*keys, field="bytes") == expected.table(*keys, field="bytes")


def test_program_in_cpp_in_an_environment_of_conda(runner: Runner, conda: Path) -> None:
    """No module says which torch this is; CMake's file does, which has no local version."""
    report = scopes_of(runner, ("LD_LIBRARY_PATH", str(conda / "lib")))
    assert report.job["torch"] == re.sub(r"\+.*", "", torch.__version__)
    assert report.total("count") > 0
