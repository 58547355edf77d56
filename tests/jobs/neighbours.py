# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""PyTorch's features that reach into module calls or dispatching, in sequence in one process."""

import neighbour_compilers  # noqa: F401
import neighbour_modes  # noqa: F401
import neighbour_modules  # noqa: F401
from common import finish, start
from sections import run_all


def main() -> None:
    start()
    run_all()
    finish()


if __name__ == "__main__":
    main()
