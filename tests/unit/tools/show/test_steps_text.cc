// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/show/steps_text.h"

#include <doctest/doctest.h>

#include "tests/unit/show_samples.h"

namespace commtap {
namespace {

constexpr uint64_t kMillisecond = 1'000'000;

TEST_CASE("steps cover all ranks, with the time of the slowest") {
  SampleRun folder = sampleFolder();
  for (size_t i = 0; i < 2; ++i) {
    const uint64_t took = (i + 1) * 100 * kMillisecond;
    folder.files[i].report.steps = {
        {0, 1, 1, 1 + took, 2, 1, {{Kind::kAllReduce, "0", 3, 300}}},
        {1, 4, 1, 1 + took, 8, 4, {{Kind::kAllReduce, "0", 12, 1024}}},
        {5, 1, 1, std::nullopt, 1, 0, {}}};
  }
  const std::string text = stepsText(viewOf(folder, {.steps = true}).steps, Color::none());
  CHECK(text.find("\n   0        200.0         4          2      6     600 B\n") != std::string::npos);
  CHECK(text.find("\n 1-4         50.0        16          8     24  2.00 KiB\n") != std::string::npos);
  CHECK(text.find("\n   5                      2          0      0       0 B\n") != std::string::npos);
}

TEST_CASE("the blocked share of the average rank is shown if all collectives are timed") {
  SampleRun folder = sampleFolder();
  for (size_t i = 0; i < 2; ++i) {
    folder.files[i].report.job.timing = {1};
    const uint64_t blocked = (i == 0 ? 10 : 40) * kMillisecond;
    folder.files[i].report.steps = {
        {0, 1, 1, 1 + 100 * kMillisecond, 2, 1, {{Kind::kAllReduce, "0", 3, 300, 0, blocked}}},
        {1, 1, 1, std::nullopt, 1, 0, {}}};
  }
  std::string text = stepsText(viewOf(folder, {.steps = true}).steps, Color::none());
  CHECK(text.find("BLOCKED") != std::string::npos);
  CHECK(text.find("   25.0 %\n") != std::string::npos);
  folder.files[0].report.job.timing = folder.files[1].report.job.timing = {10};
  text = stepsText(viewOf(folder, {.steps = true}).steps, Color::none());
  CHECK(text.find("BLOCKED") == std::string::npos);
}

} // namespace
} // namespace commtap
