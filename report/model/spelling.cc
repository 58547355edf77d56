// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/model/spelling.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace commtap {
namespace {

/// Returns the number of letters to insert, delete, replace, or swap with their neighbour.
size_t distanceBetween(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> rows(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        rows[i][j] = std::max(i, j);
        continue;
      }
      const size_t replaced = rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      rows[i][j] = std::min({rows[i - 1][j] + 1, rows[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        rows[i][j] = std::min(rows[i][j], rows[i - 2][j - 2] + 1);
      }
    }
  }
  return rows[a.size()][b.size()];
}

} // namespace

std::string_view closestName(std::string_view word, std::span<const std::string_view> names) {
  constexpr size_t kMaxWord = 64; // the distance takes time and memory with the square of the length
  std::string_view closest;
  size_t least = std::min<size_t>(word.size() / 3, 3) + 1;
  for (const std::string_view name : names) {
    const size_t distance = word.size() <= kMaxWord ? distanceBetween(word, name) : least;
    if (distance < least) {
      least = distance;
      closest = name;
    }
  }
  return closest;
}

} // namespace commtap
