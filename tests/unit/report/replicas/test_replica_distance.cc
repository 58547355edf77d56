// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/replicas/replica_distance.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

Digest digest(double norm, double sum) {
  Digest made;
  made.squares = norm * norm;
  made.sums.fill(sum);
  return made;
}

TEST_CASE("bounds of rounding are those of the coarser of two dtypes, and grow with the steps") {
  CHECK(roundingBounds("float32", "", 1).values == 1e-6);
  CHECK(roundingBounds("float64", "", 1).gradients == 1e-4);
  CHECK(roundingBounds("float32", "bfloat16", 1).gradients == 0.1);
  CHECK(roundingBounds("bfloat16", "", 1).values == 0.05);
  CHECK(roundingBounds("float16", "", 1).gradients == 0.02);
  CHECK(roundingBounds("float32", "", 3000).values == doctest::Approx(1e-5));
  CHECK(roundingBounds("float32", "", 3000).gradients == 1e-4);
}

TEST_CASE("values apart are rounding if their gradients are as near as rounding leaves them") {
  const RoundingBounds bounds = roundingBounds("float32", "", 1);
  CHECK(isRounding(4e-7, std::nullopt, bounds));
  CHECK_FALSE(isRounding(2e-6, std::nullopt, bounds));
  CHECK(isRounding(4e-7, 5e-6, bounds));
  CHECK(isRounding(2e-5, 5e-6, bounds));       // an element whose gradient is its rounding
  CHECK_FALSE(isRounding(4e-7, 0.02, bounds)); // a tiny learning rate
  CHECK_FALSE(isRounding(0.01, 5e-6, bounds));
  CHECK_FALSE(isRounding(2e-5, 0.0, bounds));
}

TEST_CASE("without sums only a large difference of the norms is a distance") {
  CHECK(replicaDistance(digest(1, 2), digest(2, 1), true) == 0.5);
  CHECK(replicaDistance(digest(1, 2), digest(2, 1), false) == 0.5);
  CHECK_FALSE(replicaDistance(digest(1, 2), digest(1.05, 1), false));
  Digest broken = digest(1, 2);
  broken.has_non_finite = true;
  CHECK_FALSE(replicaDistance(broken, digest(1, 2), true));
}

TEST_CASE("what a job computes in says nothing of values whose gradients are equal") {
  CHECK(roundingBounds("float32", "bfloat16", 1).updates == 1e-6);
  CHECK(roundingBounds("bfloat16", "", 1).updates == 1e-4);
  CHECK(roundingBounds("float16", "", 3000).updates == doctest::Approx(1e-3));
  const RoundingBounds bounds = roundingBounds("bfloat16", "", 1);
  CHECK_FALSE(isRounding(0.005, 0.0, bounds));
  CHECK(isRounding(5e-5, 0.0, bounds)); // the last bit of a few numbers
  CHECK(isRounding(0.005, std::nullopt, bounds));
  CHECK(isRounding(0.005, 0.02, bounds));
}

TEST_CASE("matrices that are nearly equal started as one, vectors and what has no sums may not have") {
  const auto row = [](double sum) {
    SampleRow made;
    made.value = digest(1, sum);
    made.has_sums = true;
    made.value.is_constant = false;
    return made;
  };
  CHECK(isNearStart(row(1), row(1.01), 2));
  CHECK_FALSE(isNearStart(row(1), row(2), 2));
  CHECK_FALSE(isNearStart(row(1), row(1.01), 1));
  SampleRow other = row(1.01);
  other.value.is_constant = true;
  CHECK_FALSE(isNearStart(row(1), other, 2));
  other = row(1.01);
  other.has_sums = false;
  CHECK_FALSE(isNearStart(row(1), other, 2));
}

} // namespace
} // namespace commtap
