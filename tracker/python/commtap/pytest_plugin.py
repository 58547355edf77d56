# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The plugin of pytest: `--commtap`, `--comms-update` and the fixture `comms` (docs/pytest.md).

pytest loads it in every run, so that it imports nothing but the standard library before a test uses the fixture.
"""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from commtap.comms import Comms

_OBSTACLE = pytest.StashKey[str]()


def _is_off(manager: pytest.PytestPluginManager) -> bool:
    """Returns whether `-p no:commtap` was given: users do not know the plugin by the name of its module."""
    return manager.is_blocked("commtap")


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    if _is_off(pluginmanager):
        return
    group = parser.getgroup("commtap", "count collectives")
    group.addoption(
        "--commtap",
        action="store_true",
        help="start pytest again with commtap preloaded, which counts from the start and in forked processes, too",
    )
    group.addoption(
        "--comms-update",
        action="store_true",
        help="write the snapshots that comms.assert_matches() compares with, below __comms__",
    )


# Outside of the hook by which pytest captures stdout and stderr: afterwards they are files that an exec would inherit.
@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Iterator[None]:
    if getattr(early_config.known_args_namespace, "commtap", False):
        from commtap.pytest_start import start_preloaded

        try:
            obstacle = start_preloaded()
        except RuntimeError as error:
            raise pytest.UsageError(f"--commtap: {error}") from error
        if obstacle is not None:
            early_config.stash[_OBSTACLE] = obstacle
    yield


def pytest_report_header(config: pytest.Config) -> str | None:
    if not getattr(config.option, "commtap", False):
        return None
    from commtap.preload import is_preloaded
    from commtap.pytest_start import is_temporary

    if not is_preloaded():
        late = "a conftest.py loads the plugin, which is too late: use -p commtap.pytest_plugin"
        return f"commtap: not preloaded: {config.stash.get(_OBSTACLE, late)}"
    out = os.environ.get("COMMTAP_OUT", "commtap-out")
    return f"commtap: preloaded, reports in {out}{' until the end' if is_temporary(out) else ''}"


@pytest.fixture
def comms(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> "Comms":
    """Records the collectives of a `with` block, in this process and in processes that the block starts."""
    if _is_off(request.config.pluginmanager):
        pytest.fail("the fixture comms is switched off by -p no:commtap", pytrace=False)
    from commtap.comms import Comms

    return Comms(
        test_file=request.path,
        update=request.config.option.comms_update,
        make_folder=lambda: tmp_path_factory.mktemp("commtap"),
    )
