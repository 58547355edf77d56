// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/plan/cmd_plan.h"

#include <doctest/doctest.h>

#include <CLI/CLI.hpp>

#include "tools/cli/given_arguments.h"

namespace commtap {
namespace {

using Words = std::vector<std::string>;

struct Plan {
  CLI::App app;
  GivenArguments given;
  int exit_status = 0;

  Plan() {
    addPlan(app, given, exit_status);
  }
};

TEST_CASE("the arguments of plan end at --") {
  Plan plan;
  const Words own = plan.given.read({"plan", "--world-size", "8", "--", "python", "-u", "train.py", "--", "x"});
  CHECK(own == Words{"plan", "--world-size", "8"});
  CHECK(plan.given.command() == Words{"python", "-u", "train.py", "--", "x"});
}

TEST_CASE("without -- there is no command") {
  Plan plan;
  CHECK(plan.given.read({"plan", "--world-size", "8"}) == Words{"plan", "--world-size", "8"});
  CHECK(plan.given.command().empty());
}

} // namespace
} // namespace commtap
