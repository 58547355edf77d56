// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include "tools/cli/verb.h"

namespace commtap {
namespace {

using Words = std::vector<std::string>;

TEST_CASE("the arguments of plan end at --") {
  const SplitArguments split =
      splitArguments(planVerb(), {"--world-size", "8", "--", "python", "-u", "train.py", "--", "x"});
  CHECK(split.own == Words{"--world-size", "8"});
  CHECK(split.command == Words{"python", "-u", "train.py", "--", "x"});
}

TEST_CASE("without -- there is no command") {
  const SplitArguments split = splitArguments(planVerb(), {"--world-size", "8"});
  CHECK(split.own == Words{"--world-size", "8"});
  CHECK(split.command.empty());
}

} // namespace
} // namespace commtap
