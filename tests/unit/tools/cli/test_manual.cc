// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli/manual.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "report/model/options.h"
#include "tests/unit/programs.h"

namespace commtap {
namespace {

TEST_CASE("docs/commands.md is up to date") {
  CHECK(runCommtap({"options", "--format", "commands"}).out == readText(COMMTAP_SOURCE_ROOT "/docs/commands.md"));
}

TEST_CASE("each command has exit statuses and an example in the manual, the page and its help") {
  const std::string help = runCommtap({"--help"}).out;
  const std::string page = runCommtap({"options", "--format", "commands"}).out;
  const std::string manual = runCommtap({"options", "--format", "man"}).out;
  for (const char* verb :
       {"run", "show", "merge", "diff", "check", "recover", "completion", "doctor", "demo", "plan", "advise"}) {
    CHECK(help.find(std::string("\n  ") + verb) != std::string::npos);
    CHECK(page.find(std::string("## `commtap ") + verb + " ") != std::string::npos);
    CHECK(manual.find(std::string(".SS commtap ") + verb + " ") != std::string::npos);
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
  CHECK(page.out.find("commtap merge out -o job.json") != std::string::npos);
}

} // namespace
} // namespace commtap
