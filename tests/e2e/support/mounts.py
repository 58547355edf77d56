# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Whether tests can give a job file systems of its own."""

import subprocess


def namespaces_refused() -> str:
    """Returns why no file system can be mounted here; "" if one can."""
    command = ["unshare", "-m", "sh", "-c", "mount -t tmpfs none /mnt"]
    try:
        return subprocess.run(command, capture_output=True, text=True).stderr.strip()
    except OSError as error:
        return str(error)
