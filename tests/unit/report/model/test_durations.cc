// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/model/durations.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

TEST_CASE("duration classes begin at powers of two, and the last one is unbounded") {
  CHECK(durationClass(0) == 0);
  CHECK(durationClass(1) == 1);
  CHECK(durationClass(1023) == 10);
  CHECK(durationClass(1024) == 11);
  CHECK(durationClass(~uint64_t{0}) == kDurationClasses - 1);
  for (uint32_t i = 0; i < kDurationClasses; ++i) {
    CHECK(durationClass(durationClassStart(i)) == i);
  }
}

TEST_CASE("durations add up; adding empty durations keeps the minimum") {
  Durations sum;
  sum += Durations{};
  sum += Durations{2, 30, 10, 20, {{8, 1}, {16, 1}}};
  sum += Durations{};
  sum += Durations{1, 9, 9, 9, {{8, 1}}};
  CHECK(sum == Durations{3, 39, 9, 20, {{8, 2}, {16, 1}}});
}

TEST_CASE("bandwidth uses the running time, not the queued time") {
  CollectiveTime time;
  CHECK_FALSE(time.isKnown());
  CHECK(time.algorithmBandwidth() == 0);
  time.durations[static_cast<size_t>(DurationKind::kQueued)] = {1, 500, 500, 500, {{256, 1}}};
  CHECK(time.isKnown());
  CHECK(time.busBandwidth() == 0);
  time.durations[static_cast<size_t>(DurationKind::kRunning)] = {1, 2000, 2000, 2000, {{1024, 1}}};
  time.bytes = 4000;
  time.bus_bytes = 6000;
  time += CollectiveTime(time);
  CHECK(time.algorithmBandwidth() == doctest::Approx(2e9));
  CHECK(time.busBandwidth() == doctest::Approx(3e9));
}

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
