// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/model/options.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

std::vector<uint64_t> stepsUpTo(uint64_t most, const SampledSteps& steps) {
  std::vector<uint64_t> contained;
  for (uint64_t step = 0; step <= most; ++step) {
    if (steps.contains(step)) {
      contained.push_back(step);
    }
  }
  return contained;
}

TEST_CASE("the pause between two sampled steps doubles up to 2^20 steps") {
  const SampledSteps steps = *sampledStepsFromText("1");
  CHECK(stepsUpTo(1100, steps) == std::vector<uint64_t>{1, 2, 3, 4, 5, 9, 17, 33, 65, 129, 257, 513, 1025});
  constexpr uint64_t kPause = 1 << 20;
  CHECK(steps.contains(kPause / 2 + 1));
  for (uint64_t k = 1; k < 6; ++k) {
    CHECK(steps.contains(k * kPause + 1));
    CHECK_FALSE(steps.contains(k * kPause));
    CHECK_FALSE(steps.contains(k * kPause + kPause / 2 + 1));
  }
}

TEST_CASE("a list names the sampled steps") {
  const SampledSteps steps = *sampledStepsFromText("100,7,7,1");
  CHECK(stepsUpTo(200, steps) == std::vector<uint64_t>{1, 7, 100});
  CHECK(stepsUpTo(200, *sampledStepsFromText("2")) == std::vector<uint64_t>{2});
}

TEST_CASE("sampling is off, on or a list") {
  CHECK_FALSE(SampledSteps().isOn());
  CHECK_FALSE(sampledStepsFromText("0")->isOn());
  CHECK_FALSE(sampledStepsFromText("off")->isOn());
  CHECK(sampledStepsFromText("on")->is_doubling);
  CHECK(sampledStepsFromText("5")->isOn());
}

TEST_CASE("an invalid text of sampled steps is rejected") {
  for (const char* text :
       {"", ",", "1,", ",1", "1,,2", "0,1", "1,0", "-1", "1 2", "2x", "99999999999999999999", "yes"}) {
    CHECK_FALSE(sampledStepsFromText(text));
  }
}

} // namespace
} // namespace commtap
