// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/verify/sampler.h"

#include <doctest/doctest.h>

#include <string>

namespace commtap {
namespace {

struct Kept {
  size_t rows = 0;
  size_t sums = 0;
  bool sums_without_row = false;
};

Kept kept(size_t parameters, uint64_t earlier) {
  const SampleThinning thinning(parameters, earlier);
  Kept kept;
  for (size_t i = 0; i < parameters; ++i) {
    const std::string name = "Net.layers." + std::to_string(i) + ".weight";
    kept.rows += thinning.hasRow(name) ? 1 : 0;
    kept.sums += thinning.hasSums(name) ? 1 : 0;
    kept.sums_without_row = kept.sums_without_row || (thinning.hasSums(name) && !thinning.hasRow(name));
  }
  return kept;
}

TEST_CASE("a sample of up to 4096 parameters is whole") {
  CHECK(kept(SampleThinning::kMostWithSums, 9).rows == SampleThinning::kMostWithSums);
  CHECK(kept(SampleThinning::kMostWithSums, 9).sums == SampleThinning::kMostWithSums);
  CHECK(kept(0, 0).rows == 0);
}

TEST_CASE("of more parameters, some have sums, and all have rows in the first two samples") {
  constexpr size_t kParameters = 100'000;
  for (const uint64_t earlier : {0, 1}) {
    CHECK(kept(kParameters, earlier).rows == kParameters);
  }
  const Kept later = kept(kParameters, 2);
  CHECK(later.rows > SampleThinning::kMostRows / 2 * 9 / 10);
  CHECK(later.rows < SampleThinning::kMostRows * 11 / 10);
  CHECK(later.sums > SampleThinning::kMostWithSums / 2 * 9 / 10);
  CHECK(later.sums < SampleThinning::kMostWithSums * 11 / 10);
  CHECK_FALSE(later.sums_without_row);
}

TEST_CASE("what a rank with more parameters keeps, one with fewer keeps too") {
  const SampleThinning few(20'000, 5);
  const SampleThinning many(300'000, 5);
  for (int i = 0; i < 10'000; ++i) {
    const std::string name = std::to_string(i);
    CHECK((!many.hasRow(name) || few.hasRow(name)));
    CHECK((!many.hasSums(name) || few.hasSums(name)));
  }
}

} // namespace
} // namespace commtap
