// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/base/checksum.h"

#include <doctest/doctest.h>

#include <string>

namespace commtap {
namespace {

uint32_t checksumOfText(const std::string& text) {
  Checksum sum;
  sum.add(text);
  return sum.value();
}

TEST_CASE("a checksum depends on every byte, on the length and on the order") {
  const std::string text = "a text that is not a multiple of eight";
  const uint32_t sum = checksumOfText(text);
  CHECK(sum != 0);
  CHECK(checksumOfText(text) == sum);
  for (size_t at = 0; at < text.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string wrong = text;
      wrong[at] = static_cast<char>(wrong[at] ^ (1 << bit));
      CHECK(checksumOfText(wrong) != sum);
    }
  }
  CHECK(checksumOfText(text + '\0') != sum);
  CHECK(checksumOf(1, 2) != checksumOf(2, 1));
  CHECK(checksumOf(0) != checksumOf(0, 0));
}

} // namespace
} // namespace commtap
