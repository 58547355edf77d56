// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/live/change_detector.h"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

namespace commtap {
namespace {

/// Step times of a steady job: log-normal around one second, and now and then a step that writes a checkpoint.
class SteadyTimes {
 public:
  SteadyTimes(double sigma, unsigned seed) : random_(seed), noise_(0, sigma) {}

  double next() {
    const bool is_slow = ++steps_ % 100 == 0;
    return std::exp(noise_(random_)) * (is_slow ? 8 : 1);
  }

 private:
  std::mt19937 random_;
  std::normal_distribution<double> noise_;
  int steps_ = 0;
};

TEST_CASE("a change is found kConfirm values after it began, and once") {
  ChangeDetector detector(0.01);
  for (int i = 0; i < 100; ++i) {
    CHECK_FALSE(detector.add(1000));
  }
  for (size_t i = 1; i < ChangeDetector::kConfirm; ++i) {
    CHECK_FALSE(detector.add(1300));
  }
  const auto change = detector.add(1300);
  REQUIRE(change);
  CHECK(change->before == 1000);
  CHECK(change->after == 1300);
  for (int i = 0; i < 100; ++i) {
    CHECK_FALSE(detector.add(1300));
  }
}

TEST_CASE("single values and small changes are none") {
  ChangeDetector detector(0.01);
  for (int i = 0; i < 1000; ++i) {
    CHECK_FALSE(detector.add(i % 9 == 0 ? 5000 : 1000 + i / 200));
  }
}

TEST_CASE("a million steady steps give no alarm") {
  for (const double sigma : {0.01, 0.05, 0.2}) {
    ChangeDetector detector(0.1);
    SteadyTimes times(sigma, 7);
    int alarms = 0;
    for (int i = 0; i < 350'000; ++i) {
      alarms += detector.add(times.next()) ? 1 : 0;
    }
    CHECK(alarms == 0);
  }
}

TEST_CASE("a step that becomes slower is found in noise, within twenty steps") {
  for (unsigned seed = 0; seed < 50; ++seed) {
    ChangeDetector detector(0.1);
    SteadyTimes times(0.03, seed);
    for (int i = 0; i < 200; ++i) {
      CHECK_FALSE(detector.add(times.next()));
    }
    int steps = 0;
    while (steps < 20 && !detector.add(1.3 * times.next())) {
      ++steps;
    }
    CHECK(steps < 20);
  }
}

} // namespace
} // namespace commtap
