// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/ledger/checked_number.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

TEST_CASE("a checked number is read again, and 0 is its own checked number") {
  for (const uint32_t number : {0U, 1U, 255U, 256U, 65535U, 1U << 20U, kMaxCheckedNumber, kNoIndex}) {
    CHECK(numberIn(checkedNumber(number)) == number);
    CHECK(uncheckedNumber(checkedNumber(number)) == number);
  }
  CHECK(checkedNumber(0) == 0);
}

TEST_CASE("a checked number does not fit its check after any change of one byte") {
  for (const uint32_t number : {0U, 1U, 77U, 4096U, 131071U, kMaxCheckedNumber, kNoIndex}) {
    for (uint32_t byte = 0; byte < 4; ++byte) {
      for (uint32_t mask = 1; mask < 256; ++mask) {
        CHECK_FALSE(numberIn(checkedNumber(number) ^ (mask << (8 * byte))));
      }
    }
  }
}

} // namespace
} // namespace commtap
