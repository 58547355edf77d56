# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a program under torch.profiler's ExecutionTraceObserver, which records each dispatcher event with its tensors.

profiled.py TRACE PROGRAM [ARGUMENT ...], where PROGRAM is a script, or a module if it is not a file.
"""

import runpy
import sys
from pathlib import Path

from torch.profiler import ExecutionTraceObserver


def main() -> None:
    """Runs the program as __main__ and writes the trace when it has ended."""
    trace, program = sys.argv[1:3]
    sys.argv = sys.argv[2:]
    observer = ExecutionTraceObserver()
    observer.register_callback(trace)
    observer.start()
    try:
        if Path(program).is_file():
            sys.path[0] = str(Path(program).parent)
            runpy.run_path(program, run_name="__main__")
        else:
            runpy.run_module(program, run_name="__main__", alter_sys=True)
    finally:
        observer.stop()
        observer.unregister_callback()


if __name__ == "__main__":
    main()
