// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/samples/samples.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

TEST_CASE("the distance of two tensors is relative to the larger norm") {
  Digest one;
  one.squares = 4;
  Digest other;
  other.squares = 16;
  other.sums.fill(2);
  CHECK(digestDistance(one, other) == doctest::Approx(0.5));
  CHECK(digestDistance(other, one) == doctest::Approx(0.5));
  CHECK(digestDistance(other, other) == 0);
}

TEST_CASE("two tensors of zeros have no distance") {
  CHECK(digestDistance(Digest(), Digest()) == 0);
}

} // namespace
} // namespace commtap
