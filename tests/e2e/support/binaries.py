# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""The files under test: those of the build tree, or those of a wheel that is installed into the folder TESTED_SITE."""

import os
from importlib import metadata
from pathlib import Path

from report import REPOSITORY

#: Also has the programs that tests run, whatever they test.
BUILD = Path(os.environ.get("BUILD_DIR", REPOSITORY / "build")).resolve()
TORCH_MINOR = ".".join(metadata.version("torch").split(".")[:2])
_TRACKER_NAME = f"libcommtap-tracker-{TORCH_MINOR}.so"

#: The Python package as it is in the checkout, which looks for the library in the build tree.
CHECKOUT_PACKAGE = REPOSITORY / "tracker" / "python"

#: None: the build tree is tested.
SITE = Path(os.environ["TESTED_SITE"]).resolve() if os.environ.get("TESTED_SITE") else None

if SITE is None:
    LIBRARY = BUILD / "shim" / "libcommtap.so"
    TRACKER = BUILD / "tracker" / _TRACKER_NAME
    PYTHON_PARTS = BUILD / "tracker" / "python"
    COMMAND = BUILD / "tools" / "commtap"
    #: The folder that has the Python package.
    PACKAGE = CHECKOUT_PACKAGE
else:
    LIBRARY = SITE / "commtap" / "_native" / "lib" / "commtap" / "libcommtap.so"
    TRACKER = LIBRARY.parent / "trackers" / _TRACKER_NAME
    PYTHON_PARTS = TRACKER.parent / "python"
    COMMAND = SITE / "commtap" / "_native" / "bin" / "commtap"
    PACKAGE = SITE
