# SPDX-FileCopyrightText: 2026 The commtap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Fisher's exact test, one-sided."""

from math import comb


def chance_of_as_many(first: int, second: int, runs: int) -> float:
    """Returns the probability that, of `first + second` failures in two times `runs` runs, `second` or more fall on the
    second half by chance."""
    failed = first + second
    ways = sum(comb(runs, here) * comb(runs, failed - here) for here in range(second, min(runs, failed) + 1))
    return ways / comb(2 * runs, failed)
