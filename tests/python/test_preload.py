# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""commtap.preload: the variable that preloads the library."""

import pytest
from commtap.locations import library_path
from commtap.preload import ld_preload


@pytest.mark.parametrize(
    ("own", "expected"),
    [(None, "{}"), ("", "{}"), ("a.so", "a.so:{}"), ("a.so {}", "a.so {}"), ("{}:a.so", "{}:a.so")],
)
def test_ld_preload(own: str | None, expected: str) -> None:
    environment = {} if own is None else {"LD_PRELOAD": own.format(library_path())}
    assert ld_preload(environment) == expected.format(library_path())
