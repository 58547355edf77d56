// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/samples/digest.h"

#include <algorithm>
#include <cmath>

namespace commtap {

double digestDistance(const Digest& a, const Digest& b) {
  double squares = 0;
  for (int j = 0; j < kDigestSums; ++j) {
    squares += (a.sums[j] - b.sums[j]) * (a.sums[j] - b.sums[j]);
  }
  const double largest = std::max(a.squares, b.squares);
  return largest > 0 ? std::sqrt(squares / kDigestSums / largest) : 0;
}

} // namespace commtap
