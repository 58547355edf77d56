// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli/subcommands.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "report/model/options.h"
#include "tests/unit/programs.h"

namespace commtap {
namespace {

/// Returns the subcommands that the help of commtap lists.
std::vector<std::string> verbsIn(const std::string& help) {
  std::vector<std::string> verbs;
  const size_t from = help.find("\nCount:\n"); // the first group
  std::istringstream lines(help.substr(std::min(from, help.size())));
  for (std::string line; std::getline(lines, line) && !line.starts_with("commtap ");) {
    if (line.starts_with("  ") && line[2] != ' ') { // else the help of the verb above goes on
      verbs.push_back(line.substr(2, line.find(' ', 2) - 2));
    }
  }
  return verbs;
}

/// Returns a verb as roff writes it: a hyphen is no dash.
std::string roffOf(const std::string& verb) {
  std::string text;
  for (const char c : verb) {
    text += c == '-' ? "\\-" : std::string(1, c);
  }
  return text;
}

TEST_CASE("docs/commands.md is up to date") {
  CHECK(runCommtap({"options", "--format", "commands"}).out == readText(COMMTAP_SOURCE_ROOT "/docs/commands.md"));
}

TEST_CASE("each command has exit statuses and an example in the manual, the page and its help") {
  const std::string help = runCommtap({"--help"}).out;
  const std::string page = runCommtap({"options", "--format", "commands"}).out;
  const std::string manual = runCommtap({"options", "--format", "man"}).out;
  const std::vector<std::string> verbs = verbsIn(help);
  CHECK(verbs.size() > 10);
  for (const std::string& verb : verbs) {
    CHECK(page.find(std::string("## `commtap ") + verb + " ") != std::string::npos);
    CHECK_MESSAGE(manual.find(".SS commtap " + roffOf(verb) + " ") != std::string::npos, verb);
    const std::string own = runCommtap({verb, "--help"}).out;
    CHECK_MESSAGE(own.find("xit status") != std::string::npos, verb);
    CHECK_MESSAGE(own.find("Example") != std::string::npos, verb);
  }
  CHECK(page.find("Exit status: \n") == std::string::npos);
  CHECK(page.find("```sh\n\n```") == std::string::npos);
  CHECK(page.find("options --format") == std::string::npos);
  for (const OptionRow& row : optionTable()) {
    CHECK(manual.find(std::string(".B ") + std::string(row.name) + "\n") != std::string::npos);
  }
}

TEST_CASE("groff formats the manual without warnings") {
  if (!std::filesystem::exists("/usr/bin/groff")) {
    MESSAGE("groff is not installed");
    return;
  }
  const TempFolder folder;
  writeText(folder / "commtap.1", runCommtap({"options", "--format", "man"}).out);
  const Outcome page = runProgram({"/usr/bin/groff", "-man", "-ww", "-Tascii", folder / "commtap.1"});
  CHECK(page.status() == 0);
  CHECK(page.err.empty());
  CHECK(page.out.find("commtap export out --format job -o job.json") != std::string::npos);
}

} // namespace
} // namespace commtap
