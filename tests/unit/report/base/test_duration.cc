// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/base/timestamp.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

TEST_CASE("parseDurationNs accepts a number with a unit") {
  CHECK(parseDurationNs("90s") == 90'000'000'000);
  CHECK(parseDurationNs("2m") == 120'000'000'000);
  CHECK(parseDurationNs("1h") == 3'600'000'000'000);
  CHECK(parseDurationNs("1d") == 86'400'000'000'000);
  for (const char* wrong : {"", "5", "h", "-1h", "1.5h", "1 h", "1w", "99999999999999999d", "h1"}) {
    CHECK_FALSE(parseDurationNs(wrong));
  }
}

} // namespace
} // namespace commtap
