// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/show/steps_text.h"

#include <doctest/doctest.h>

#include <iterator>
#include <sstream>

#include "tests/unit/show_samples.h"

namespace commtap {
namespace {

using Words = std::vector<std::string>;

constexpr uint64_t kMillisecond = 1'000'000;

std::string stepsTextOf(const SampleRun& folder) {
  const ShowView view = viewOf(folder, {.steps = true});
  return stepsText(view.job, view.steps, Color::none());
}

TEST_CASE("steps have the mean time of the ranks, passes per rank, and sums of the rest") {
  SampleRun folder = sampleFolder();
  for (size_t i = 0; i < 2; ++i) {
    const uint64_t took = (i + 1) * 100 * kMillisecond;
    folder.files[i].report.steps = {
        {0, 1, 1, 1 + took, 2, 1, {{Kind::kAllReduce, "0", 3, 300}}},
        {1, 4, 1, 1 + took, 8, 4, {{Kind::kAllReduce, "0", 12, 1024}}},
        {5, 1, 1, std::nullopt, 1, 0, {}}};
  }
  const std::string text = stepsTextOf(folder);
  CHECK(text.starts_with("By step (TIME PER STEP: mean of the ranks; COUNT and BYTES: sum of the ranks)\n"));
  CHECK(has(text, "FORWARDS PER RANK  BACKWARDS PER RANK  COUNT     BYTES\n"));
  const auto cells_of = [&text](const std::string& step) {
    const size_t start = text.find("\n" + step) + step.size() + 1;
    std::istringstream line(text.substr(start, text.find('\n', start) - start));
    return std::vector<std::string>(std::istream_iterator<std::string>(line), {});
  };
  CHECK(cells_of("   0") == Words{"150", "ms", "100", "ms", "(0)", "200", "ms", "(2)", "2", "1", "6", "600", "B"});
  CHECK(
      cells_of(" 1-4") == Words{"37.5", "ms", "25.0", "ms", "(0)", "50.0", "ms", "(2)", "8", "4", "24", "2.00", "KiB"});
  CHECK(cells_of("   5") == Words{"1", "0", "0", "0", "B"});
}

TEST_CASE("forwards of ranks that differ are a range") {
  SampleRun folder = sampleFolder();
  for (size_t i = 0; i < 2; ++i) {
    folder.files[i].report.steps = {{0, 1, 1, std::nullopt, 2 + 2 * i, 1, {}}};
  }
  CHECK(has(stepsTextOf(folder), " 2 to 4 "));
}

TEST_CASE("what is outside of the training steps has no number; backward passes are shown if any communicates") {
  SampleRun folder = sampleFolder();
  for (SampleFile& file : folder.files) {
    file.report.steps = {
        {0, 1, 1, 2, 6, 0, {{Kind::kAllReduce, "0", 3, 300}}},
        {1, 1, 2, 3, 1, 0, {}},
        {2, 1, 3, std::nullopt, 1, 0, {}}};
    file.report.steps[1].training_steps = file.report.steps[2].training_steps = 1;
  }
  const std::string text = stepsTextOf(folder);
  CHECK(has(text, "FORWARDS PER RANK  COUNT"));
  CHECK(has(text, "\n   0 "));
  CHECK(has(text, "\n   1 "));
  CHECK(has(text, "\nnone "));
  CHECK(has(text, "\nnone: no optimizer stepped, as in an evaluation"));
}

TEST_CASE("below the steps is what ended them, for each sign that ranks had") {
  SampleRun folder = sampleFolder();
  for (SampleFile& file : folder.files) {
    file.report.steps = {{0, 1, 1, 2, 1, 1, {}}, {1, 1, 2, std::nullopt, 1, 0, {}}};
  }
  folder.files[0].report.job.steps_from = StepSign::kZeroGrad;
  folder.files[1].report.steps = {{0, 1, 1, std::nullopt, 2, 0, {}}};
  const std::string text = stepsTextOf(folder);
  CHECK(has(text, "\nA step ends with the first forward after zero_grad: no optimizer was seen to step\n"));
  CHECK(
      has(text,
          "\nNo step was seen to end: a step ends with the first forward after an optimizer has stepped, or with "
          "commtap.mark_step\n"));
  CHECK_FALSE(has(text, "Only one step"));
}

TEST_CASE("below the only step is that no forward followed, and what ends steps") {
  SampleRun folder = sampleFolder();
  for (SampleFile& file : folder.files) {
    file.report.steps = {{0, 1, 1, std::nullopt, 1, 1, {}}};
    file.report.job.steps_from = StepSign::kOptimizer;
  }
  const std::string text = stepsTextOf(folder);
  CHECK(
      has(text,
          "\nOnly one step: no forward has followed to end it\n"
          "A step ends with the first forward after an optimizer has stepped\n"));
  CHECK_FALSE(has(text, "No step"));
}

TEST_CASE("the exposed share of the average rank is shown if all collectives are timed") {
  SampleRun folder = sampleFolder();
  for (size_t i = 0; i < 2; ++i) {
    folder.files[i].report.job.timing = {1};
    const uint64_t exposed = (i == 0 ? 10 : 40) * kMillisecond;
    folder.files[i].report.steps = {
        {0, 1, 1, 1 + 100 * kMillisecond, 2, 1, {{Kind::kAllReduce, "0", 3, 300, 0, exposed}}},
        {1, 1, 1, std::nullopt, 1, 0, {}}};
  }
  std::string text = stepsTextOf(folder);
  CHECK(text.find("EXPOSED") != std::string::npos);
  CHECK(text.find("   25.0 %\n") != std::string::npos);
  folder.files[0].report.job.timing = folder.files[1].report.job.timing = {10};
  text = stepsTextOf(folder);
  CHECK(text.find("EXPOSED") == std::string::npos);
}

} // namespace
} // namespace commtap
