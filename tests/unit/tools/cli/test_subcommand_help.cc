// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli/subcommand_help.h"

#include <doctest/doctest.h>

#include <CLI/CLI.hpp>

namespace commtap {
namespace {

std::string helpFor(const SubcommandHelp& help) {
  CLI::App app;
  describe(app, help);
  return app.help();
}

TEST_CASE("the usage line is the one given") {
  CHECK(helpFor({.usage = "commtap x [OPTIONS] Y"}).find("Usage: commtap x [OPTIONS] Y\n") != std::string::npos);
}

TEST_CASE("the help has the texts below the options, as their lines are broken") {
  const std::string help = helpFor(
      {.usage = "look", .about = "About\nit.\n\nMore.", .exit_status = "0 seen,\n1 not.", .examples = {"look a"}});
  const std::string footer = "About\nit.\n\nMore.\n\nExit status: 0 seen,\n1 not.\n\nExample:\n  look a\n";
  CHECK(help.ends_with(footer));
}

TEST_CASE("an example may have several lines, and a help several examples") {
  CHECK(helpFor({.usage = "look", .examples = {"look a\nlook b"}}).ends_with("\nExample:\n  look a\n  look b\n"));
  CHECK(helpFor({.usage = "look", .examples = {"look a", "look b"}}).ends_with("\nExamples:\n  look a\n  look b\n"));
}

TEST_CASE("a text that is empty leaves no trace") {
  const std::string help = helpFor({.usage = "look"});
  CHECK(help.find("Exit status") == std::string::npos);
  CHECK(help.find("Example") == std::string::npos);
}

TEST_CASE("helpOf returns what was described") {
  CLI::App app;
  CHECK(helpOf(app).usage.empty());
  describe(app, {.usage = "look", .about = "a\nb", .exit_status = "0 seen", .examples = {"look a"}});
  CHECK(helpOf(app).usage == "look");
  CHECK(helpOf(app).about == "a\nb");
  CHECK(helpOf(app).exit_status == "0 seen");
  CHECK(helpOf(app).examples == std::vector<std::string>{"look a"});
}

} // namespace
} // namespace commtap
