// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli/given_arguments.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

using Arguments = std::vector<std::string>;

TEST_CASE("arguments are split at the first --") {
  SplitArguments split = splitAtDashes({"--world-size", "8", "--", "python", "-u", "train.py", "--", "x"});
  CHECK(split.own == Arguments{"--world-size", "8"});
  CHECK(split.command == Arguments{"python", "-u", "train.py", "--", "x"});
  split = splitAtDashes({"--world-size", "8"});
  CHECK(split.own == Arguments{"--world-size", "8"});
  CHECK(split.command.empty());
  CHECK(splitAtDashes({"--"}).command.empty());
}

TEST_CASE("a subcommand that says so gets its arguments split") {
  GivenArguments given;
  given.splitBy("plan", splitAtDashes);
  CHECK(given.read({"plan", "--quiet", "--", "python", "x.py"}) == Arguments{"plan", "--quiet"});
  CHECK(given.command() == Arguments{"python", "x.py"});
}

TEST_CASE("the arguments of other subcommands stay as they are") {
  GivenArguments given;
  given.splitBy("plan", splitAtDashes);
  CHECK(given.read({"show", "--", "out"}) == Arguments{"show", "--", "out"});
  CHECK(given.read({}).empty());
  CHECK(given.command().empty());
}

} // namespace
} // namespace commtap
