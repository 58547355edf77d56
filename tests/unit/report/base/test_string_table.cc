// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/base/string_table.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

TEST_CASE("StringTable gives equal strings one number") {
  StringTable table;
  CHECK(table.id("") == 0);
  const uint32_t a = table.id("a");
  for (int i = 0; i < 10000; ++i) {
    table.id("text " + std::to_string(i));
  }
  CHECK(table.id(std::string("a")) == a);
  CHECK(table.text(a) == "a");
  CHECK(table.text(0).empty());
  CHECK(table.text(table.id("text 77")) == "text 77");
}

} // namespace
} // namespace commtap
