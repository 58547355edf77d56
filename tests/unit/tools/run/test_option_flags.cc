// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/run/option_flags.h"

#include <doctest/doctest.h>
#include <CLI/CLI.hpp>

namespace commtap {
namespace {

TEST_CASE("each flag of the option table sets the value of its variable") {
  CLI::App verb;
  std::map<std::string, std::string> flags;
  addOptionFlags(verb, flags);
  verb.parse(std::vector<std::string>{"/data/%j", "--out", "llama 8b", "--name"}); // from the last to the first
  CHECK(flags == std::map<std::string, std::string>{{"COMMTAP_NAME", "llama 8b"}, {"COMMTAP_OUT", "/data/%j"}});
  CHECK(verb.get_option("--out")->get_description().ends_with("[COMMTAP_OUT, default commtap-out]"));
}

TEST_CASE("a flag of the table is known by its name") {
  CHECK(isOptionFlag("--out"));
  CHECK_FALSE(isOptionFlag("--outer"));
  CHECK_FALSE(isOptionFlag(""));
}

} // namespace
} // namespace commtap
