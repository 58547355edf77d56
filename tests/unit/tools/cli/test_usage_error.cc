// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli/usage_error.h"

#include <doctest/doctest.h>

#include "tests/unit/programs.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

/// Returns the line that commtap writes about a wrong command line, without "commtap: " and the line's end.
std::string errorOf(const Words& arguments) {
  const Outcome outcome = runCommtap(arguments);
  CHECK(outcome.status() == 2);
  CHECK(outcome.out.empty());
  REQUIRE(outcome.err.starts_with("commtap: "));
  REQUIRE(outcome.err.find('\n') == outcome.err.size() - 1);
  return outcome.err.substr(9, outcome.err.size() - 10);
}

TEST_CASE("an unknown command is an error with the command that was probably meant, even with --help") {
  CHECK(errorOf({"shw"}) == "\"shw\" is not a command; did you mean show? (see commtap --help)");
  CHECK(errorOf({"shw", "--help"}) == errorOf({"shw"}));
  CHECK(errorOf({"help", "shw"}).starts_with("\"shw\" is no page; did you mean show?"));
  CHECK(errorOf({"x"}) == "\"x\" is not a command (see commtap --help)");
  CHECK(runCommtap({}).status() == 2);
  CHECK(runCommtap({}).out == runCommtap({"--help"}).out);
}

TEST_CASE("an unknown option comes before a missing argument, with the option that was probably meant") {
  CHECK(
      errorOf({"show", "--fromat", "csv"}) ==
      "--fromat is not an option of commtap show; did you mean --format? (see commtap show --help)");
  CHECK(errorOf({"merge", "out", "--fromat=json"}).find("did you mean --format?") != std::string::npos);
  CHECK(errorOf({"merge", "-x"}) == "-x is not an option of commtap merge (see commtap merge --help)");
  CHECK(errorOf({"run", "--ot", "x", "--", "true"}).find("did you mean --out?") != std::string::npos);
}

TEST_CASE("a number out of its bounds is an error that names them") {
  CHECK(errorOf({"top", "--rows", "0"}) == "--rows: 0 is less than 1 (see commtap top --help)");
  CHECK(errorOf({"top", "--rows", "x"}) == "--rows: \"x\" is not a number (see commtap top --help)");
  CHECK(errorOf({"top", "--interval", "0"}) == "--interval: 0 is not between 0.1 and 3600 (see commtap top --help)");
}

TEST_CASE("the help of an option has its name, its value's and its text") {
  for (const char* verb : {"check", "plan", "serve", "top", "why"}) {
    const std::string help = runCommtap({verb, "--help"}).out;
    for (const char* jargon : {"POSITIVE", "Excludes", "Needs:", "FLOAT", "REQUIRED"}) {
      CHECK_FALSE(has(help, jargon));
    }
  }
}

TEST_CASE("errors of the option parser are in commtap's words") {
  CHECK(errorOf({"prune"}) == "FOLDER is missing (see commtap prune --help)");
  CHECK(errorOf({"merge", "a", "b"}) == "\"b\" is one argument too many (see commtap merge --help)");
  CHECK(errorOf({"merge", "a", "--run"}) == "--run needs a value (see commtap merge --help)");
  CHECK(
      errorOf({"show", "a", "--rank", "x"}) ==
      "--rank: \"x\" is not a number of the right size (see commtap show --help)");
  CHECK(
      errorOf({"check", "a", "--budget", "b", "--baseline", "c"}) ==
      "--baseline and --budget do not go together: leave out one of them (see commtap check --help)");
  CHECK(
      errorOf({"show", "a", "--run", "b", "--run", "c"}) == "--run is given more than once (see commtap show --help)");
  CHECK(errorOf({"show", "a", "--top", "-1"}) == "--top: -1 is less than 1 (see commtap show --help)");
  CHECK(errorOf({"show", "a", "--phase", "x"}).starts_with("--phase: \"x\" is not one of forward, backward, "));
}

} // namespace
} // namespace commtap
