// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/replicas/optimizer_match.h"

#include <doctest/doctest.h>

#include <string>

namespace commtap {
namespace {

/// Returns the samples of a rank whose optimizers, in the order of their numbers, have these parameters.
ProcessSamples rankWith(int64_t rank, const std::vector<std::vector<std::string>>& optimizers) {
  ProcessSamples process;
  process.job.rank = rank;
  for (size_t number = 0; number < optimizers.size(); ++number) {
    Sample& sample = process.samples.emplace_back();
    sample.optimizer = static_cast<uint32_t>(number);
    for (const std::string& name : optimizers[number]) {
      sample.rows.emplace_back().parameter = static_cast<uint32_t>(process.parameters.size());
      process.parameters.emplace_back().name = name;
    }
  }
  return process;
}

using Optimizers = std::vector<std::vector<std::string>>;
using Numbers = std::vector<uint32_t>;

/// Returns the numbers of the second rank's optimizers.
Numbers numbersOf(const Optimizers& first, const Optimizers& second) {
  const ProcessSamples one = rankWith(0, first);
  const ProcessSamples other = rankWith(1, second);
  const auto matches = optimizerMatches({&one, &other});
  Numbers numbers;
  for (uint32_t i = 0; i < second.size(); ++i) {
    numbers.push_back(matches.at({1, i}));
  }
  return numbers;
}

const std::vector<std::string> kModel = {"Net.a", "Net.b"};
const std::vector<std::string> kProbe = {"Probe.a"};

TEST_CASE("optimizers of the same parameters have one number, whichever steps first") {
  CHECK(numbersOf({kModel, kProbe}, {kModel, kProbe}) == Numbers{0, 1});
  CHECK(numbersOf({kProbe, kModel}, {kModel}) == Numbers{1});
  CHECK(numbersOf({kModel}, {kProbe, kModel}) == Numbers{1, 0});
  CHECK(numbersOf({{"Net.a"}, {"Net.b"}}, {kProbe, {"Net.b"}, {"Net.a"}}) == Numbers{2, 1, 0});
}

TEST_CASE("two optimizers of the same parameters keep their order") {
  CHECK(numbersOf({kModel, kModel}, {kModel, kModel}) == Numbers{0, 1});
}

TEST_CASE("an optimizer that shares no parameter keeps its number") {
  CHECK(numbersOf({{"Stage.a"}}, {{"Other.a"}}) == Numbers{0});
  CHECK(numbersOf({}, {kProbe, kModel}) == Numbers{0, 1});
}

TEST_CASE("the optimizer that shares most parameters is taken") {
  CHECK(numbersOf({{"Net.a", "Net.c"}, {"Net.b"}}, {{"Net.a", "Net.b", "Net.c"}}) == Numbers{0});
}

} // namespace
} // namespace commtap
