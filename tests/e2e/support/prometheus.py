# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""A real Prometheus server, and its promtool, run as children of the tests."""

import json
import os
import shutil
import subprocess
import sys
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

from harness import TIMEOUT_S, free_port, wait_until

#: This Python's folder comes first: `./dev` puts programs there that it does not install.
_SEARCH = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])


def program(name: str) -> str:
    """Returns the path of prometheus or promtool."""
    found = shutil.which(name, path=_SEARCH)
    assert found, f"{name} is missing: ./dev test gets it"
    return found


def promtool(*arguments: str, stdin: str | None = None, cwd: Path | None = None) -> None:
    """Runs promtool; fails with its output if it finds a problem."""
    done = subprocess.run(
        [program("promtool"), *arguments],
        input=stdin,
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr


def http_get(url: str, headers: dict[str, str] | None = None) -> tuple[str, str]:
    """Returns a response's content type and body."""
    request = urllib.request.Request(url, headers=headers or {})
    with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
        return answer.headers["Content-Type"], answer.read().decode()


class Prometheus:
    """A server on loopback with its own configuration and database, which scrapes `targets` every second."""

    def __init__(self, folder: Path, targets: list[str], rules: Path | None = None) -> None:
        folder.mkdir(parents=True)
        config = {
            "global": {"scrape_interval": "1s", "scrape_timeout": "1s", "evaluation_interval": "1s"},
            "rule_files": [str(rules)] if rules else [],
            "scrape_configs": [{"job_name": "commtap", "static_configs": [{"targets": targets}]}],
        }
        # JSON is YAML.
        (folder / "prometheus.yml").write_text(json.dumps(config), encoding="utf-8")
        promtool("check", "config", str(folder / "prometheus.yml"))
        self.url = f"http://127.0.0.1:{free_port()}"
        command = [
            program("prometheus"),
            f"--config.file={folder / 'prometheus.yml'}",
            f"--storage.tsdb.path={folder / 'data'}",
            f"--web.listen-address={self.url.removeprefix('http://')}",
        ]
        with open(folder / "log", "wb") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=folder)
        wait_until(self._is_ready, "Prometheus to be ready")

    def _is_ready(self) -> bool:
        assert self.process.poll() is None, "Prometheus ended: see its log"
        try:
            return bool(http_get(f"{self.url}/-/ready"))
        except OSError:
            return False

    def query(self, expression: str) -> list[dict[str, Any]]:
        """Returns the current instant vector of an expression."""
        arguments = urllib.parse.urlencode({"query": expression})
        _, body = http_get(f"{self.url}/api/v1/query?{arguments}")
        return json.loads(body)["data"]["result"]

    def value(self, expression: str) -> float | None:
        """Returns the single value of an expression; None if there is no value."""
        result = self.query(expression)
        assert len(result) <= 1, f"{expression}: {result}"
        return float(result[0]["value"][1]) if result else None

    def alerts(self) -> dict[str, str]:
        """Returns the state of each pending or firing alert."""
        _, body = http_get(f"{self.url}/api/v1/alerts")
        return {alert["labels"]["alertname"]: alert["state"] for alert in json.loads(body)["data"]["alerts"]}

    def metadata(self) -> dict[str, Any]:
        """Returns the type, unit and help of each family, as Prometheus parsed them."""
        _, body = http_get(f"{self.url}/api/v1/metadata")
        return json.loads(body)["data"]

    def stop(self) -> None:
        """Stops the server."""
        self.process.terminate()
        self.process.wait(timeout=TIMEOUT_S)
