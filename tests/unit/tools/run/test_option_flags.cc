// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/run/option_flags.h"

#include <doctest/doctest.h>

#include "tools/cli/parser.h"

namespace commtap {
namespace {

TEST_CASE("each flag of the option table sets the value of its variable") {
  std::map<std::string, std::string> flags;
  const Verb program = {.name = "p", .verbs = {{.name = "run", .options = optionFlags(flags)}}};
  CHECK(parse(program, {"run", "--out", "/data/%j", "--name", "llama 8b"}).verb == program.verbs.data());
  CHECK(flags == std::map<std::string, std::string>{{"COMMTAP_NAME", "llama 8b"}, {"COMMTAP_OUT", "/data/%j"}});
}

TEST_CASE("the help of a flag names its variable and the default") {
  std::map<std::string, std::string> flags;
  for (const Option& option : optionFlags(flags)) {
    if (option.names == "--out") {
      CHECK(option.help.ends_with("[COMMTAP_OUT, default commtap-out]"));
    }
  }
}

} // namespace
} // namespace commtap
