# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""commtap.pytest_start: when pytest is started again, and with what."""

import os
import subprocess
import sys
import tempfile
import time
import types
from pathlib import Path

import pytest
from commtap import preload, pytest_start
from commtap.pytest_start import start_preloaded

_DAY_S = 24 * 3600


class Started(Exception):
    """In place of a new program."""


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Returns the environment of the pytest that is started; empty until then."""
    library = tmp_path / "libcommtap.so"
    library.touch()
    found: dict[str, str] = {}

    def execve(path: str, arguments: list[str], variables: dict[str, str]) -> None:
        assert path == arguments[0] == sys.executable
        assert arguments[1:] == sys.orig_argv[1:]
        found.update(variables)
        raise Started

    monkeypatch.setattr(os, "execve", execve)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(pytest_start, "_remove_after_end", lambda folder: None)
    for module in (preload, pytest_start):
        monkeypatch.setattr(module, "library_path", lambda: library)
    monkeypatch.setattr(pytest_start, "is_preloaded", lambda: False)
    monkeypatch.setitem(sys.modules, "__main__", types.SimpleNamespace(__spec__=None, __file__="/usr/bin/pytest"))
    for name in ("COMMTAP_OUT", "LD_PRELOAD"):
        monkeypatch.delenv(name, raising=False)
    return found


def test_started(environment: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    removed: list[str] = []
    monkeypatch.setattr(pytest_start, "_remove_after_end", removed.append)
    monkeypatch.setenv("LD_PRELOAD", "libother.so")
    with pytest.raises(Started):
        start_preloaded()
    assert environment["LD_PRELOAD"] == f"libother.so:{tmp_path}/libcommtap.so"
    assert Path(environment["COMMTAP_OUT"]).parent == tmp_path
    assert pytest_start.is_temporary(environment["COMMTAP_OUT"])
    assert removed == [environment["COMMTAP_OUT"]]


def test_the_folder_is_removed_after_the_end(tmp_path: Path) -> None:
    folder = tmp_path / "reports"
    script = (
        "import os, sys, time\nfrom commtap.pytest_start import _remove_after_end\n"
        "folder = sys.argv[1]\nos.mkdir(folder)\n_remove_after_end(folder)\n"
        "assert not os.path.exists(f'/proc/self/task/{os.getpid()}/children') or "
        "open(f'/proc/self/task/{os.getpid()}/children').read() == ''\n"
        "time.sleep(0.2)\nassert os.path.isdir(folder)\n"
    )
    package = str(Path(pytest_start.__file__).parents[1])
    subprocess.run([sys.executable, "-c", script, folder], check=True, env=os.environ | {"PYTHONPATH": package})
    for _ in range(500):
        if not folder.exists():
            break
        time.sleep(0.01)
    assert not folder.exists()


def test_the_users_folder_is_kept(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMMTAP_OUT", "out")
    with pytest.raises(Started):
        start_preloaded()
    assert environment["COMMTAP_OUT"] == f"{Path.cwd()}/out"


def test_once(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Started):
        start_preloaded()
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(RuntimeError, match="the system did not preload"):
        start_preloaded()


def test_preloaded_already(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pytest_start, "is_preloaded", lambda: True)
    assert start_preloaded() is None
    assert environment == {}


def test_library_is_missing(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "libcommtap.so").unlink()
    with pytest.raises(RuntimeError, match=r"libcommtap\.so is missing"):
        start_preloaded()


def test_a_program_that_calls_pytest(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "__main__", types.SimpleNamespace(__spec__=None, __file__="/home/me/tests.py"))
    assert "calls pytest" in str(start_preloaded())
    assert environment == {}


def test_as_a_module(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    spec = types.SimpleNamespace(name="pytest.__main__")
    monkeypatch.setitem(sys.modules, "__main__", types.SimpleNamespace(__spec__=spec, __file__="pytest/__main__.py"))
    with pytest.raises(Started):
        start_preloaded()


@pytest.mark.usefixtures("environment")
def test_old_folders_are_removed(tmp_path: Path) -> None:
    for name, age in (("commtap-pytest-old", 2), ("commtap-pytest-new", 0), ("other", 2)):
        (tmp_path / name).mkdir()
        made = (tmp_path / name).stat().st_mtime - age * _DAY_S
        os.utime(tmp_path / name, (made, made))
    with pytest.raises(Started):
        start_preloaded()
    left = {path.name for path in tmp_path.iterdir()}
    assert {"commtap-pytest-new", "other"} < left
    assert "commtap-pytest-old" not in left
