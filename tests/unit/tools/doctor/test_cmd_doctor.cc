// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/unit/programs.h"

namespace commtap {
namespace {

TEST_CASE("doctor prints one line per check and exits with 1 on an error") {
  const Installation commtap;
  const Outcome outcome = runProgram({commtap.exe(), "doctor", "--", "no-such-program", "--flag"});
  CHECK(outcome.status() == 1);
  CHECK(outcome.err.empty());
  CHECK(outcome.out.starts_with("error    command      no-such-program is not a program on the PATH: "));
  CHECK(has(outcome.out, "\nok       options      "));
}

TEST_CASE("doctor --json prints what each check found") {
  const Installation commtap;
  const Outcome outcome = runProgram({commtap.exe(), "doctor", "--json", "no-such-program", "--json-like"});
  CHECK(outcome.status() == 1);
  CHECK(has(nlohmann::json::parse(outcome.out).at("verdict").get<std::string>(), "would not be counted"));
  const nlohmann::json list = nlohmann::json::parse(outcome.out).at("checks");
  CHECK(
      list.at(0) == nlohmann::json{
                        {"check", "command"},
                        {"state", "error"},
                        {"found", "no-such-program is not a program on the PATH"},
                        {"todo", "activate the environment that has it, or give its full path"}});
}

TEST_CASE("doctor exits with 2 on wrong usage") {
  CHECK(runCommtap({"doctor", "--jsn"}).status() == 2);
  CHECK(has(runCommtap({"doctor", "--jsn"}).err, "--json"));
}

} // namespace
} // namespace commtap
