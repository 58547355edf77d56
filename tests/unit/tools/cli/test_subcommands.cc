// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli/subcommands.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

TEST_CASE("oneOf accepts its words and lists them in its error") {
  CLI::App app;
  std::string word;
  app.add_option("--word", word)->check(oneOf({"a", "b"}))->type_name("a|b");
  CHECK_NOTHROW(app.parse("--word b"));
  CHECK_THROWS_WITH(app.parse("--word c"), "--word: \"c\" is not one of a, b");
  CHECK(app.help().find("--word a|b ") != std::string::npos);
}

} // namespace
} // namespace commtap
