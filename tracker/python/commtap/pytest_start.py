# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""`pytest --commtap` starts pytest again in the same process, with libcommtap.so preloaded."""

import os
import select
import shutil
import sys
import tempfile
import time
from pathlib import Path

from commtap.locations import library_path
from commtap.preload import is_preloaded, ld_preload

#: The pid of a pytest that was started again. exec keeps the pid, so a second try in the same process would be endless.
_STARTED = "_COMMTAP_PYTEST_PID"
_FOLDER_PREFIX = "commtap-pytest-"
_KEPT_FOR_S = 24 * 3600


def _remove_old_folders() -> None:
    """Removes the reports of earlier runs that no process removed, as after a restart of the machine."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_FOLDER_PREFIX}*"):
        try:
            facts = folder.lstat()
        except OSError:
            continue
        if facts.st_uid == os.getuid() and time.time() - facts.st_mtime > _KEPT_FOR_S:
            shutil.rmtree(folder, ignore_errors=True)


def is_temporary(folder: str) -> bool:
    """Returns whether start_preloaded() made the folder, which is removed after the end of pytest."""
    return Path(folder).name.startswith(_FOLDER_PREFIX)


def _remove_after_end(folder: str) -> None:
    """Starts a process that removes the folder once this one has ended: a process writes its report at its very end.

    The process is no child of this one, whose children tests may count or wait for.
    """
    try:
        ended = os.pidfd_open(os.getpid())
    except OSError:  # an old kernel: a later run removes the folder
        return
    first = os.fork()
    if first == 0:
        try:
            os.setsid()
            if os.fork() == 0:
                silent = os.open(os.devnull, os.O_RDWR)
                for stream in (0, 1, 2):
                    os.dup2(silent, stream)
                os.chdir("/")
                select.select([ended], [], [])
                shutil.rmtree(folder, ignore_errors=True)
        finally:
            os._exit(0)
    os.waitpid(first, 0)
    os.close(ended)


def _is_pytest() -> bool:
    """Returns whether pytest is the program of this process, and not called by another one, such as an editor's."""
    main = sys.modules.get("__main__")
    spec = getattr(main, "__spec__", None)
    if spec is not None:
        return spec.name in ("pytest", "pytest.__main__")
    return Path(getattr(main, "__file__", None) or "").name in ("pytest", "py.test")


def start_preloaded() -> str | None:
    """Replaces this process by itself with the library preloaded, unless it has the library.

    Reports go to a new temporary folder if COMMTAP_OUT is not set.

    Returns:
        Why that would harm the program that calls pytest; None if this process has the library.

    Raises:
        RuntimeError: the library cannot be preloaded, so that no process that a test starts would be counted.
    """
    if is_preloaded():
        return None
    if not library_path().is_file():
        raise RuntimeError(f"{library_path()} is missing: install or build all of commtap")
    if os.environ.get(_STARTED) == str(os.getpid()):
        raise RuntimeError(f"the system did not preload {library_path()}: see commtap doctor")
    if not _is_pytest():
        return f"{sys.argv[0] or 'a program'} calls pytest, and would begin again: start pytest itself"
    _remove_old_folders()
    out = os.environ.get("COMMTAP_OUT")
    if not out:
        out = tempfile.mkdtemp(prefix=_FOLDER_PREFIX)
        _remove_after_end(out)
    own = {"LD_PRELOAD": ld_preload(os.environ), "COMMTAP_OUT": str(Path(out).absolute())}
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        # argv[0] is the path, because CPython finds a virtual environment by it.
        arguments = [sys.executable, *sys.orig_argv[1:]]
        os.execve(sys.executable, arguments, {**os.environ, **own, _STARTED: str(os.getpid())})
    except OSError as error:
        raise RuntimeError(f"{sys.executable} cannot be started again: {error}") from error
