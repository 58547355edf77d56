// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/samples/samples.h"

#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>

#include "tests/unit/report/samples/sample_values.h"

namespace commtap {
namespace {

TEST_CASE("a sample survives a round trip through its bytes") {
  const Sample sample = sampleOf(9, 4);
  CHECK(areEqual(sampleFromBytes(sampleToBytes(sample), 4), sample));
  CHECK(areEqual(sampleFromBytes(sampleToBytes(Sample()), 0), Sample()));
}

TEST_CASE("a row without sums keeps bits, squares and flags") {
  Sample sample = sampleOf(3, 1);
  sample.rows[0].has_sums = false;
  const size_t size = sampleToBytes(sample).size();
  const SampleRow row = sampleFromBytes(sampleToBytes(sample), 1).rows.at(0);
  CHECK_FALSE(row.has_sums);
  CHECK(row.value.bits == sample.rows[0].value.bits);
  CHECK(row.gradient.squares == sample.rows[0].gradient.squares);
  CHECK(row.gradient.is_constant == sample.rows[0].gradient.is_constant);
  CHECK(row.value.sums == std::array<double, kDigestSums>());
  CHECK(sampleToBytes(sampleOf(3, 1)).size() == size + 2 * kDigestSums * sizeof(float));
}

TEST_CASE("numbers outside of float32 stay as they are: finite, infinite or not a number") {
  Sample sample = sampleOf(3, 1);
  sample.rows[0].value.squares = 1e300;
  sample.rows[0].value.sums = {-1e300, std::numeric_limits<double>::infinity()};
  sample.rows[0].value.sums[2] = std::numeric_limits<double>::quiet_NaN();
  const Digest value = sampleFromBytes(sampleToBytes(sample), 1).rows.at(0).value;
  constexpr double kMost = std::numeric_limits<float>::max();
  CHECK(value.squares == kMost);
  CHECK(value.sums[0] == -kMost);
  CHECK(value.sums[1] == std::numeric_limits<double>::infinity());
  CHECK(value.sums[2] != value.sums[2]);
}

TEST_CASE("bytes of a sample that are cut, too long or name an unknown parameter are rejected") {
  const std::string bytes = sampleToBytes(sampleOf(9, 3));
  for (size_t size = 0; size < bytes.size(); ++size) {
    CHECK_THROWS_AS(sampleFromBytes(bytes.substr(0, size), 3), std::runtime_error);
  }
  CHECK_THROWS_AS(sampleFromBytes(bytes + '\0', 3), std::runtime_error);
  CHECK_THROWS_AS(sampleFromBytes(bytes, 2), std::runtime_error);
}

} // namespace
} // namespace commtap
