// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli/subcommands.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

TEST_CASE("the first format is the default that the help names") {
  std::string format = "text";
  const Option option = formatOption(format, {"text", "json"});
  CHECK(option.help == "Default: text");
  CHECK(placeholderOf(option) == "text|json");
}

TEST_CASE("a path that is not given is the folder that jobs write to") {
  std::string path;
  const Option option = readPath("PATH", path, "A folder");
  CHECK(option.help == "A folder; default: that of COMMTAP_OUT, else commtap-out");
  CHECK((option.otherwise == saidDefaultFolder));
}

} // namespace
} // namespace commtap
