# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Asks `commtap why` about jobs of tests/jobs/hang_zoo.py."""

import functools
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
from harness import COMMAND, Processes, wait_until

from report import REPOSITORY, closed

SCHEMA = REPOSITORY / "docs" / "schema" / "commtap-why-1.schema.json"

OK, FOUND, CANNOT_TELL, FAILED = 0, 1, 2, 3
#: Seconds without an event after which the jobs of the zoo hang for certain: a loaded machine may pause a rank.
PATIENCE_S = 5


@functools.cache
def validator() -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(closed(json.loads(SCHEMA.read_text(encoding="utf-8"))))


def why(folder: Path, *arguments: str, patience_s: int = PATIENCE_S) -> tuple[int, dict[str, Any]]:
    """Runs `commtap why --json`, and returns its exit status and the verdict."""
    command = [COMMAND, "why", "--json", "--after", f"{patience_s}s", "--interval", "0.5s", *arguments, folder]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    verdict = json.loads(run.stdout)
    validator().validate(verdict)
    return run.returncode, verdict


def settled(ask: Callable[[], tuple[int, dict[str, Any]]], statuses: tuple[str, ...]) -> tuple[int, dict[str, Any]]:
    """Returns the verdict once two looks in a row have the same one, of one of these statuses."""
    seen: list[tuple[int, dict[str, Any]]] = []

    def is_settled() -> bool:
        seen.append(ask())
        told = [(status, each["reason"], each["cause"]) for status, each in seen[-2:]]
        return len(told) == 2 and told[0] == told[1] and seen[-1][1]["status"] in statuses

    wait_until(is_settled, "a verdict")
    return seen[-1]


def at_work(job: Processes) -> int:
    """Returns how many ranks have begun what the job is for."""
    outputs = job.run.folder.glob("stdout.*")
    return sum(output.read_text(encoding="utf-8").count("at work") for output in outputs)


def wait_for_work(job: Processes) -> None:
    wait_until(lambda: at_work(job) == job.run.job.ranks, "the ranks")
