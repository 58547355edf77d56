# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The harness of tests/e2e, over a build that a sanitizer watches: `./dev sanitize` sets BUILD_DIR and what follows."""

import os

import pytest
from harness import LIBRARY, Runner


@pytest.fixture(scope="session")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Runner:
    return Runner(tmp_path_factory.mktemp("jobs"))


@pytest.fixture(scope="session")
def variables() -> tuple[tuple[str, str], ...]:
    """The variables that a job needs: the sanitizer's runtime must be the first preloaded library."""
    options = {name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS")}
    return (("LD_PRELOAD", f"{os.environ['SANITIZER_RUNTIME']} {LIBRARY}"), *options.items())
