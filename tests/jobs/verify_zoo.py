# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs one of the trainings of the files verify_*.py. tests/e2e/tools/test_verify.py has the verdicts."""

import argparse

import verify_inputs
import verify_pairs
import verify_right
import verify_wrong
from common import finish, start
from verify_parts import STEPS


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("job")
    parser.add_argument("--right", action="store_true", help="the right twin of a job in verify_pairs.py")
    parser.add_argument("--steps", type=int, default=STEPS)
    arguments = parser.parse_args()
    start()
    pair = getattr(verify_pairs, arguments.job, None)
    if pair is not None:
        step = pair(wrong=not arguments.right)
    else:
        module = next(each for each in (verify_right, verify_wrong, verify_inputs) if hasattr(each, arguments.job))
        step = getattr(module, arguments.job)()
    for number in range(1, arguments.steps + 1):
        step(number)
    finish()


if __name__ == "__main__":
    main()
