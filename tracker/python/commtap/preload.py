# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Whether libcommtap.so is preloaded, and the variable that preloads it."""

import ctypes
from collections.abc import Mapping

from commtap.locations import library_path


def is_preloaded() -> bool:
    """Returns whether this process has libcommtap.so, by a preload or because this package loaded it."""
    return hasattr(ctypes.CDLL(None), "commtap_api_start")


def ld_preload(environment: Mapping[str, str]) -> str:
    """Returns the value of LD_PRELOAD that `environment` needs: its own, with the library after the others."""
    own = environment.get("LD_PRELOAD", "")
    library = str(library_path())
    if library in own.replace(":", " ").split():
        return own
    return f"{own}:{library}" if own else library
