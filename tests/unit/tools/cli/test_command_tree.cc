// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli/command_tree.h"

#include <doctest/doctest.h>

#include <CLI/CLI.hpp>

#include "tools/cli/subcommand_help.h"

namespace commtap {
namespace {

TEST_CASE("verbsOf returns the options and the texts of each command that is not hidden") {
  CLI::App app;
  CLI::App* verb = app.add_subcommand("look", "Look at it");
  CLI::App* hidden = app.add_subcommand("hidden", "Not listed");
  hidden->group("");
  describe(
      *verb,
      {.usage = "look PATH",
       .about = "About it,\nat length.\n\nExample: more\nof it.",
       .exit_status = "0 seen,\n1 not.",
       .examples = {"look a", "look b\nlook c"}});
  std::string path;
  std::string form;
  bool all = false;
  verb->add_option("PATH", path, "Where")->type_name("");
  verb->add_option("-f,--format", form, "How")->type_name("text|json");
  verb->add_option("--out", form, "Whither")->type_name("FILE");
  verb->add_flag("--all", all, "Everything");
  const std::vector<SubcommandInfo> verbs = verbsOf(app);
  REQUIRE(verbs.size() == 1);
  CHECK(verbs[0].name == "look");
  CHECK(verbs[0].help == "Look at it");
  CHECK(verbs[0].usage == "look PATH");
  CHECK(verbs[0].about == "About it, at length.\n\nExample: more of it.");
  CHECK(verbs[0].exit_status == "0 seen, 1 not.");
  CHECK(verbs[0].examples == std::vector<std::string>{"look a", "look b\nlook c"});
  const auto& options = verbs[0].options;
  REQUIRE(options.size() == 5); // including --help
  CHECK(options[0].names == std::vector<std::string>{"-h", "--help"});
  CHECK(options[0].value.empty());
  CHECK(options[1].names.empty());
  CHECK(options[1].takes_path);
  CHECK(options[2].names == std::vector<std::string>{"-f", "--format"});
  CHECK(options[2].words == std::vector<std::string>{"text", "json"});
  CHECK(options[3].takes_path);
  CHECK(options[4].names == std::vector<std::string>{"--all"});
  CHECK(options[4].value.empty());
}

} // namespace
} // namespace commtap
