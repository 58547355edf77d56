// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli/parser.h"

#include <doctest/doctest.h>

#include <sstream>

#include "tests/unit/programs.h"
#include "tests/unit/samples.h"

namespace commtap {
namespace {

using Words = std::vector<std::string>;

/// Parses the arguments of a verb with these options.
Parsed parseWith(const OptionTable& options, Words arguments) {
  const Verb program = {.name = "p", .verbs = {{.name = "look", .options = options}}};
  arguments.insert(arguments.begin(), "look");
  return parse(program, arguments);
}

/// Returns the error without its reference to the help.
std::string errorWith(const OptionTable& options, const Words& arguments) {
  const std::string error = parseWith(options, arguments).error;
  return error.substr(0, error.find(" (see "));
}

/// Returns the help of a verb.
std::string helpFor(const Verb& verb) {
  const Verb program = {.name = "p", .verbs = {verb}};
  return helpText(program, program.verbs[0]);
}

TEST_CASE("parse sets the targets of the options") {
  bool flag = false;
  std::string text;
  Words list;
  std::optional<int64_t> number;
  std::string path;
  const OptionTable options = {
      {.names = "-f,--flag", .help = "", .to = &flag},
      {.names = "--text", .value = "TEXT", .help = "", .to = &text},
      {.names = "--list", .value = "TEXT", .help = "", .to = &list},
      {.names = "--number", .value = "N", .help = "", .to = &number},
      {.names = "PATH", .help = "", .to = &path}};
  CHECK(parseWith(options, {"-f", "--text=a", "--list", "b", "out", "--list", "c", "--number", "-3"}).verb != nullptr);
  CHECK(flag);
  CHECK(text == "a");
  CHECK(list == Words{"b", "c"});
  CHECK(number == -3);
  CHECK(path == "out");
}

TEST_CASE("a value of words is one of them") {
  std::string word;
  const OptionTable options = {{.names = "--word", .help = "", .to = &word, .words = {"a", "b"}}};
  CHECK(errorWith(options, {"--word", "b"}).empty());
  CHECK(errorWith(options, {"--word", "c"}) == "--word: \"c\" is not one of a, b");
  CHECK(helpFor({.name = "look", .options = options}).find("--word a|b ") != std::string::npos);
}

TEST_CASE("a number has its bounds and its unit") {
  double seconds = 0;
  std::optional<uint64_t> bytes;
  const OptionTable options = {
      {.names = "--time", .value = "TIME", .help = "", .to = &seconds, .unit = Unit::kSeconds, .least = 1, .most = 90},
      {.names = "--size", .value = "SIZE", .help = "", .to = &bytes, .unit = Unit::kBytes},
      {.names = "--rows", .value = "N", .help = "", .to = &seconds, .least = 1}};
  CHECK(errorWith(options, {"--time", "1m", "--size", "2KiB"}).empty());
  CHECK(seconds == 60);
  CHECK(bytes == 2048);
  CHECK(errorWith(options, {"--time", "2m"}) == "--time: 120 is not between 1 and 90");
  CHECK(errorWith(options, {"--size", "0x10"}) == "--size: \"0x10\" is not a decimal number");
  CHECK(errorWith(options, {"--size", "010"}) == "--size: \"010\" is not a decimal number");
  CHECK(errorWith(options, {"--time", "0x10s"}) == "--time: \"0x10s\" is not a decimal number");
  CHECK(errorWith(options, {"--size", "0"}).empty());
  CHECK(errorWith(options, {"--rows", "0"}) == "--rows: 0 is less than 1");
  CHECK(errorWith(options, {"--rows", "x"}) == "--rows: \"x\" is not a number");
}

TEST_CASE("options may exclude and need others, and an argument may be required") {
  bool flag = false;
  std::string path;
  const OptionTable options = {
      {.names = "--a", .help = "", .to = &flag, .excludes = {"--b"}},
      {.names = "--b", .help = "", .to = &flag},
      {.names = "--c", .help = "", .to = &flag, .needs = "--b"},
      {.names = "PATH", .help = "", .to = &path, .required = true}};
  CHECK(errorWith(options, {"--b", "--c", "out"}).empty());
  CHECK(errorWith(options, {"--a", "--b", "out"}) == "--a and --b do not go together: leave out one of them");
  CHECK(errorWith(options, {"--c", "out"}) == "--c requires --b");
  CHECK(errorWith(options, {}) == "PATH is missing");
  CHECK(errorWith(options, {"a", "b"}) == "\"b\" is one argument too many");
}

TEST_CASE("a list of arguments has its bound") {
  Words paths;
  const OptionTable options = {{.names = "PATH", .help = "", .to = &paths, .at_most = 2}};
  CHECK(errorWith(options, {}).empty());
  CHECK(errorWith(options, {"a", "b"}).empty());
  CHECK(paths == Words{"a", "b"});
  CHECK_FALSE(errorWith(options, {"a", "b", "c"}).empty());
}

TEST_CASE("an option that may stand alone takes only a number that follows") {
  std::string last;
  std::string path;
  const OptionTable options = {
      {.names = "--last", .value = "N", .help = "", .to = &last, .alone = "10"},
      {.names = "PATH", .help = "", .to = &path}};
  CHECK(errorWith(options, {"--last", "out"}).empty());
  CHECK(last == "10");
  CHECK(path == "out");
  CHECK(errorWith(options, {"--last", "3"}).empty());
  CHECK(last == "3");
  CHECK(errorWith(options, {"--last=4"}).empty());
  CHECK(last == "4");
}

TEST_CASE("a text that is not given, or empty, is made") {
  std::string path;
  const OptionTable options = {
      {.names = "PATH", .help = "", .to = &path, .otherwise = [] { return std::string("here"); }}};
  CHECK(errorWith(options, {}).empty());
  CHECK(path == "here");
  CHECK(errorWith(options, {"there"}).empty());
  CHECK(path == "there");
}

TEST_CASE("a function gets the value") {
  std::string seen;
  CHECK(errorWith(
            {{.names = "--x", .value = "X", .help = "", .to = [&seen](const std::string& value) { seen = value; }}},
            {"--x", "y"})
            .empty());
  CHECK(seen == "y");
}

TEST_CASE("parse returns the command of the verb, whose options are its own") {
  const Verb program = {.name = "p", .verbs = {{.name = "run", .command = Command::kAfterDashes}}};
  const Parsed parsed = parse(program, {"run", "--", "true", "--help"});
  CHECK(parsed.verb == program.verbs.data());
  CHECK(parsed.command == Words{"true", "--help"});
}

TEST_CASE("--help and --version are texts to print") {
  const Verb look = {.name = "look", .usage = "p look", .options = {{.names = "-h,--help", .help = "Print this"}}};
  const Verb program = {.name = "p", .usage = "p COMMAND", .verbs = {look}};
  CHECK(parse(program, {"--version"}).text == "p " COMMTAP_VERSION "\n");
  CHECK(parse(program, {"--help"}).text == helpText(program, program));
  CHECK(parse(program, {"look", "--help"}).text == helpText(program, program.verbs[0]));
  CHECK(parse(program, {"look", "--help"}).verb == nullptr);
}

TEST_CASE("the usage line of a help is the one given") {
  CHECK(helpFor({.name = "x", .usage = "p x [OPTIONS] Y"}).find("Usage: p x [OPTIONS] Y\n") != std::string::npos);
}

TEST_CASE("the help has the texts below the options, in lines of 100 columns") {
  const std::string help = helpFor(
      {.name = "look", .about = "About\nit.\n\nMore.", .exit_status = "0 seen,\n1 not.", .examples = {"look a"}});
  CHECK(help.ends_with("About it.\n\nMore.\n\nExit status: 0 seen, 1 not.\n\nExample:\n  look a\n"));
}

TEST_CASE("help is broken at 100 columns") {
  const std::string words =
      "word word word word word word word word word word word word word word word word word word word word word";
  const std::string help = helpFor({.name = "look", .about = words, .options = {{.names = "--x", .help = words}}});
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) {
    CHECK(line.size() <= 100);
  }
  CHECK(help.find("word word\n" + std::string(34, ' ') + "word") != std::string::npos);
}

TEST_CASE("an example may have several lines, and a help several examples") {
  CHECK(helpFor({.name = "look", .examples = {"look a\nlook b"}}).ends_with("\nExample:\n  look a\n  look b\n"));
  CHECK(helpFor({.name = "look", .examples = {"look a", "look b"}}).ends_with("\nExamples:\n  look a\n  look b\n"));
}

TEST_CASE("a text that is empty leaves no trace") {
  const std::string help = helpFor({.name = "look", .usage = "look"});
  CHECK(help.find("Exit status") == std::string::npos);
  CHECK(help.find("Example") == std::string::npos);
}

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
      errorOf({"diff", "--fromat", "csv"}) ==
      "--fromat is not an option of commtap diff; did you mean --format? (see commtap diff --help)");
  CHECK(errorOf({"diff", "out", "--fromat=text"}).find("did you mean --format?") != std::string::npos);
  CHECK(errorOf({"advise", "-x"}) == "-x is not an option of commtap advise (see commtap advise --help)");
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
  CHECK(errorOf({"advise", "a", "b"}) == "\"b\" is one argument too many (see commtap advise --help)");
  CHECK(errorOf({"advise", "a", "--run"}) == "--run needs a value (see commtap advise --help)");
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
