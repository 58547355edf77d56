// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/model/durations.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

TEST_CASE("a Timing survives a round trip through its text") {
  for (const char* text : {"off", "host", "device", "sample:2", "sample:1000000"}) {
    const std::optional<Timing> timing = timingFromText(text);
    REQUIRE(timing);
    CHECK(timingText(*timing) == text);
  }
  CHECK_FALSE(timingFromText("off")->isOn());
  CHECK(timingFromText("sample:1") == timingFromText("device"));
  CHECK_FALSE(timingFromText("host")->device);
}

TEST_CASE("an invalid timing text is rejected") {
  for (const char* text :
       {"", "on", "devices", "sample", "sample:", "sample:0", "sample:-1", "sample:2x", "sample:99999999999"}) {
    CHECK_FALSE(timingFromText(text));
  }
}

} // namespace
} // namespace commtap
