// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/run/environment.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

TEST_CASE("Environment keeps the order, changes variables in place and appends new ones") {
  const char* const variables[] = {"A=1", "odd", "AB=2", "A=3", nullptr};
  Environment environment(variables);
  CHECK(environment.get("A") == "1");
  CHECK(environment.get("AB") == "2");
  CHECK(environment.get("odd").empty());
  environment.set("AB", "x=y");
  environment.set("NEW", "");
  CHECK(environment.variables() == std::vector<std::string>{"A=1", "odd", "AB=x=y", "A=3", "NEW="});
  CHECK(environment.get("AB") == "x=y");
  CHECK(environment.pointers().size() == 6);
  CHECK(environment.pointers().back() == nullptr);
  environment.unset("A");
  CHECK(environment.variables() == std::vector<std::string>{"odd", "AB=x=y", "NEW="});
}

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
