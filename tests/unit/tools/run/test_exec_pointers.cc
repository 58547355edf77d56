// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/run/exec_pointers.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

TEST_CASE("exec's list points at the strings and ends with a null") {
  const std::vector<std::string> strings = {"python", "", "train.py"};
  const std::vector<char*> pointers = execPointers(strings);
  REQUIRE(pointers.size() == 4);
  CHECK(pointers[0] == strings[0].c_str());
  CHECK(*pointers[1] == '\0');
  CHECK(pointers[3] == nullptr);
}

} // namespace
} // namespace commtap
