// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/base/timestamp.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

TEST_CASE("a timestamp survives a round trip to the microsecond") {
  CHECK(formatTimestamp(0) == "1970-01-01T00:00:00.000000Z");
  CHECK(formatTimestamp(1'795'241'156'123'456'789) == "2026-11-21T06:05:56.123456Z");
  CHECK(parseTimestamp("2026-11-21T06:05:56.123456Z") == 1'795'241'156'123'456'000U);
}

TEST_CASE("a second is a timestamp's part before the fraction") {
  const uint64_t time = parseTimestamp("2026-11-21T06:05:56.123456Z").value();
  CHECK(formatSecond(time) == "2026-11-21T06:05:56");
}

TEST_CASE("parseTimestamp rejects every other format") {
  for (const char* text :
       {"",
        "noon",
        "2026-11-21",
        "2026-11-21T06:05:56Z",
        "2026-11-21T06:05:56.5Z",
        "2026-11-21T06:05:56.123456",
        "2026-11-21T06:05:56.123456Zx",
        "2026-02-30T06:05:56.123456Z",
        "1969-12-31T23:59:59.000000Z",
        "2026-11-21T06:05:56.-23456Z",
        " 2026-11-21T06:05:56.123456Z"}) {
    CAPTURE(text);
    CHECK_FALSE(parseTimestamp(text));
  }
}

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
