// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli/verb.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

using Words = std::vector<std::string>;

TEST_CASE("an option has one or two names, and an argument none") {
  CHECK(namesOf({.names = "-o,--output", .help = ""}) == Words{"-o", "--output"});
  CHECK(namesOf({.names = "--all", .help = ""}) == Words{"--all"});
  CHECK(namesOf({.names = "PATH", .help = ""}).empty());
  CHECK(isArgument({.names = "PATH", .help = ""}));
}

TEST_CASE("the words of an option name its value in the help, unless the table has another name") {
  CHECK(placeholderOf({.names = "--format", .help = "", .words = {"text", "json"}}) == "text|json");
  CHECK(placeholderOf({.names = "--format", .value = "FORMAT", .help = "", .words = {"text", "json"}}) == "FORMAT");
  CHECK(placeholderOf({.names = "--all", .help = ""}).empty());
  CHECK(placeholderOf({.names = "SHELL", .help = "", .words = {"bash"}}).empty());
}

TEST_CASE("tables are joined in their order") {
  const OptionTable table = OptionTable{{.names = "--a", .help = ""}} +
                            OptionTable{{.names = "--b", .help = ""}, {.names = "--c", .help = ""}};
  REQUIRE(table.size() == 3);
  CHECK(table[0].names == "--a");
  CHECK(table[2].names == "--c");
}

TEST_CASE("a verb without a group is found by its name, and not shown") {
  const Verb program = {.name = "p", .verbs = {{.name = "look", .group = "Look"}, {.name = "hidden"}}};
  REQUIRE(verbNamed(program, "hidden") != nullptr);
  CHECK(verbNamed(program, "look") == program.verbs.data());
  CHECK(verbNamed(program, "lok") == nullptr);
  REQUIRE(shownVerbs(program).size() == 1);
  CHECK(shownVerbs(program)[0].name == "look");
}

TEST_CASE("the arguments of a verb without a command stay as they are") {
  const SplitArguments split = splitArguments({.name = "show"}, {"--", "out"});
  CHECK(split.own == Words{"--", "out"});
  CHECK(split.command.empty());
}

TEST_CASE("a command begins after the first --") {
  const Verb verb = {.name = "plan", .command = Command::kAfterDashes};
  SplitArguments split = splitArguments(verb, {"--world-size", "8", "--", "python", "-u", "train.py", "--", "x"});
  CHECK(split.own == Words{"--world-size", "8"});
  CHECK(split.command == Words{"python", "-u", "train.py", "--", "x"});
  split = splitArguments(verb, {"--world-size", "8"});
  CHECK(split.own == Words{"--world-size", "8"});
  CHECK(split.command.empty());
  CHECK(splitArguments(verb, {"--"}).command.empty());
}

TEST_CASE("a command begins after the options and their values, or after --") {
  std::string text;
  bool flag = false;
  const Verb verb = {
      .name = "run",
      .options =
          {{.names = "--out", .value = "PATH", .help = "", .to = &text}, {.names = "--json", .help = "", .to = &flag}},
      .command = Command::kAfterOptions};
  SplitArguments split = splitArguments(verb, {"--out", "o", "--json", "torchrun", "--out", "x"});
  CHECK(split.own == Words{"--out", "o", "--json"});
  CHECK(split.command == Words{"torchrun", "--out", "x"});
  split = splitArguments(verb, {"--out", "--", "--", "true"});
  CHECK(split.own == Words{"--out", "--"});
  CHECK(split.command == Words{"true"});
}

} // namespace
} // namespace commtap
