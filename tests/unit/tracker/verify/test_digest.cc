// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tracker/verify/digest.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "tests/unit/tracker/verify/random_floats.h"

namespace commtap {
namespace {

Digest digestOfFloats(const std::vector<float>& values) {
  return digestOf(values.data(), values.size(), DigestType::kFloat32);
}

/// Computes a digest from its definition, one element after the other.
Digest slowDigest(const std::vector<float>& values) {
  Digest digest;
  for (size_t i = 0; i < values.size(); ++i) {
    const double value = values[i];
    digest.bits += digestHash(std::bit_cast<uint32_t>(values[i]), i);
    digest.squares += value * value;
    const DigestSigns signs = digestSigns(i % kDigestBlock) ^ digestFlips(i / kDigestBlock);
    for (int j = 0; j < kDigestSums; ++j) {
      digest.sums[j] += ((signs >> j) & 1U) != 0 ? -value : value;
    }
  }
  return digest;
}

TEST_CASE("a digest is what its definition says, at each number of elements around its blocks") {
  for (const size_t count : {1, 2, 7, 8, 9, 100, 4095, 4096, 4097, 10'000}) {
    CAPTURE(count);
    const std::vector<float> values = randomFloats(count, 1);
    const Digest digest = digestOfFloats(values);
    const Digest slow = slowDigest(values);
    CHECK(digest.bits == slow.bits);
    CHECK(digest.squares == doctest::Approx(slow.squares));
    for (int j = 0; j < kDigestSums; ++j) {
      CHECK(std::abs(digest.sums[j] - slow.sums[j]) < 1e-5 * std::sqrt(slow.squares) + 1e-6);
    }
    CHECK(digest.is_constant == (count == 1));
    CHECK_FALSE(digest.has_non_finite);
  }
}

TEST_CASE("exchanged elements and one other bit change the bits") {
  std::vector<float> values = randomFloats(5000, 2);
  const uint64_t bits = digestOfFloats(values).bits;
  std::swap(values[3], values[4500]);
  CHECK(digestOfFloats(values).bits != bits);
  std::swap(values[3], values[4500]);
  CHECK(digestOfFloats(values).bits == bits);
  values[4999] = std::nextafter(values[4999], 10.0F);
  CHECK(digestOfFloats(values).bits != bits);
}

TEST_CASE("the sums show about how far tensors are apart") {
  const std::vector<float> one = randomFloats(20'000, 3);
  const std::vector<float> noise = randomFloats(20'000, 4);
  for (const float by : {1e-3F, 0.1F}) {
    std::vector<float> other = one;
    for (size_t i = 0; i < other.size(); ++i) {
      other[i] += by * noise[i];
    }
    const double distance = digestDistance(digestOfFloats(one), digestOfFloats(other));
    CHECK(distance > 0.35 * by);
    CHECK(distance < 1.8 * by);
  }
}

TEST_CASE("elements that are infinite or not a number are noted, of each type that has them") {
  std::vector<float> values(100, 1.0F);
  CHECK(digestOfFloats(values).is_constant);
  values[50] = std::numeric_limits<float>::infinity();
  CHECK(digestOfFloats(values).has_non_finite);
  CHECK_FALSE(digestOfFloats(values).is_constant);
  const std::vector<double> doubles = {1e300, std::numeric_limits<double>::quiet_NaN()};
  CHECK(digestOf(doubles.data(), 2, DigestType::kFloat64).has_non_finite);
  CHECK_FALSE(digestOf(doubles.data(), 1, DigestType::kFloat64).has_non_finite);
  const std::vector<uint16_t> halves = {0x3c00, 0x7c00};
  CHECK(digestOf(halves.data(), 2, DigestType::kFloat16).has_non_finite);
  CHECK(digestOf(halves.data(), 1, DigestType::kFloat16).squares == 1);
  const std::vector<uint16_t> bfloats = {0x4000, 0xff80};
  CHECK(digestOf(bfloats.data(), 2, DigestType::kBfloat16).has_non_finite);
  CHECK(digestOf(bfloats.data(), 1, DigestType::kBfloat16).squares == 4);
}

TEST_CASE("integers count by their values") {
  const std::vector<int8_t> bytes = {-3, 4};
  CHECK(digestOf(bytes.data(), 2, DigestType::kInt8).squares == 25);
  const std::vector<int64_t> longs = {-3, 4};
  CHECK(digestOf(longs.data(), 2, DigestType::kInt64).squares == 25);
  CHECK(digestElementSize(DigestType::kInt64) == 8);
  CHECK(digestElementSize(DigestType::kBfloat16) == 2);
}

TEST_CASE("no elements are constant zeros") {
  const Digest digest = digestOf(nullptr, 0, DigestType::kFloat32);
  CHECK(digest.bits == 0);
  CHECK(digest.is_constant);
  CHECK(digest.squares == 0);
}

} // namespace
} // namespace commtap
