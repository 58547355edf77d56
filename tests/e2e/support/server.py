# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs `commtap serve` as a child process of the tests."""

import re
import signal
import subprocess
from pathlib import Path

from harness import COMMAND
from prometheus import http_get

_OPEN_METRICS = "application/openmetrics-text"


class Server:
    """A `commtap serve` child process."""

    def __init__(self, folder: Path, listen: str = "127.0.0.1:0", *options: str) -> None:
        self.process = subprocess.Popen(
            [COMMAND, "serve", folder, "--listen", listen, *options],
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.said = self.process.stderr.readline()
        found = re.search(r" at http://([^/]+)/metrics", self.said)
        assert found, self.said
        self.address = found.group(1)

    def get(self, path: str = "/metrics", accept: str = _OPEN_METRICS) -> tuple[str, str]:
        """Returns the content type and body."""
        return http_get(f"http://{self.address}{path}", {"Accept": accept})

    def stop(self, how: int = signal.SIGTERM) -> int:
        """Stops the server and returns its exit status."""
        self.process.send_signal(how)
        status = self.process.wait(timeout=20)
        self.process.stderr.close()
        return status
