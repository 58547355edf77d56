# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Starts a part of `commtap plan`: `plan.py planner SETTINGS` or `plan.py rank SETTINGS [SCRIPT ARGUMENTS]`.

`rank` runs in the job's own Python, so the folder of this file leaves `sys.path` before the script runs.
"""

import sys


def main() -> int:
    part = sys.argv[1]
    if part == "planner":
        from commtap_plan.planner import main as run
    else:
        from commtap_plan.rank import main as run

        sys.path.pop(0)
    return run(sys.argv[2], sys.argv[3:])


if __name__ == "__main__":
    sys.exit(main())
