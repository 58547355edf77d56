// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/model/stretches.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace commtap {
namespace {

TEST_CASE("stretches follow each other without a gap, and never shrink") {
  CHECK(stretchBegin(0) == 1);
  uint64_t longest = 0;
  for (uint32_t stretch = 0; stretch < 20 * kStretchesPerPart; ++stretch) {
    CHECK(stretchOf(stretchBegin(stretch)) == stretch);
    CHECK(stretchOf(stretchEnd(stretch)) == stretch);
    CHECK(stretchEnd(stretch) + 1 == stretchBegin(stretch + 1));
    const uint64_t length = stretchEnd(stretch) - stretchBegin(stretch) + 1;
    CHECK(length >= longest);
    CHECK(length <= std::max(kStretchCalls, stretchEnd(stretch) / kStretchesPerPart));
    longest = length;
  }
}

TEST_CASE("the first 131072 collectives are in stretches of 1024") {
  CHECK(stretchEnd(127) == 131072);
  CHECK(stretchEnd(127) - stretchBegin(127) + 1 == kStretchCalls);
  CHECK(stretchEnd(128) - stretchBegin(128) + 1 == 2 * kStretchCalls);
}

} // namespace
} // namespace commtap
