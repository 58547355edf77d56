// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/json/report_json.h"
#include "report/model/options.h"
#include "tests/unit/programs.h"
#include "tools/cli/parser.h"

namespace commtap {
namespace {

TEST_CASE("an option that is seldom needed is in --help-all only") {
  CHECK_FALSE(has(runCommtap({"show", "--help"}).out, "--max-file-size"));
  const Outcome all = runCommtap({"show", "--help-all"});
  CHECK(all.status() == 0);
  CHECK(has(all.out, "--max-file-size SIZE"));
  CHECK(has(all.out, "--rank N"));
}

TEST_CASE("commtap has --version and --help, and each command has --help") {
  CHECK(runCommtap({"--version"}).out == "commtap " COMMTAP_VERSION "\n");
  for (const char* verb :
       {"run",
        "show",
        "diff",
        "check",
        "html",
        "export",
        "serve",
        "list",
        "doctor",
        "demo",
        "top",
        "why",
        "plan",
        "advise"}) {
    CHECK(runCommtap({"--help"}).out.find(verb) != std::string::npos);
    const Outcome help = runCommtap({verb, "--help"});
    CHECK(help.status() == 0);
    CHECK(help.out.find("Example") != std::string::npos);
    CHECK(help.out.find(std::string("\n  commtap ") + verb) != std::string::npos);
  }
}

TEST_CASE("commands that are seldom needed have a help, but are not on the first screen") {
  for (const char* verb : {"env", "build-tracker", "completion"}) {
    CHECK_FALSE(has(runCommtap({"--help"}).out, std::string("\n  ") + verb));
    CHECK(runCommtap({verb, "--help"}).status() == 0);
  }
}

/// Returns whether a verb reads the runs of one folder.
bool readsOneRun(const Verb& verb) {
  const std::set<std::string> others = {
      "list",  // shows all runs
      "prune", // removes runs
      "serve", // follows all runs
      "demo",  // makes its own
      "run",   // makes one
      "plan"}; // makes one
  return !others.contains(verb.name) && std::any_of(verb.options.begin(), verb.options.end(), [](const Option& option) {
    return isArgument(option) && (option.names.find("PATH") != std::string_view::npos ||
                                  option.names.find("FOLDER") != std::string_view::npos);
  });
}

TEST_CASE("each command that reads a folder takes a run") {
  size_t found = 0;
  for (const Verb& verb : commtapProgram().verbs) {
    if (readsOneRun(verb)) {
      INFO(verb.name);
      ++found;
      CHECK(std::any_of(verb.options.begin(), verb.options.end(), [](const Option& option) {
        return option.names.starts_with("--run");
      }));
    }
  }
  CHECK(found >= 9);
}

TEST_CASE("the help of run lists the option table") {
  const std::string help = std::regex_replace(runCommtap({"run", "--help"}).out, std::regex("\n +"), " ");
  for (const OptionRow& row : optionTable()) {
    if (!row.flag.empty()) {
      CHECK(help.find(row.flag) != std::string::npos);
      CHECK(help.find(row.help) != std::string::npos);
    }
  }
}

TEST_CASE("each command counts a copied report once, names it once, and exits as without it") {
  const TempFolder folder;
  for (int64_t rank = 0; rank < 4; ++rank) {
    writeText(folder / ("rank-0000" + std::to_string(rank) + ".json"), reportToJson(sampleReport(rank)));
  }
  const std::vector<Words> commands = {
      {"show", folder.path()},
      {"show", folder.path(), "--json"},
      {"show", "--ranks", folder.path()},
      {"check", folder.path()},
      {"diff", folder.path(), folder / "rank-00000.json"},
      {"export", folder.path(), "--format", "openmetrics"},
      {"export", folder.path(), "--format", "csv"}};
  std::vector<Outcome> before;
  for (const Words& command : commands) {
    before.push_back(runCommtap(command));
  }
  std::filesystem::create_directory(folder / "backup");
  std::filesystem::copy_file(folder / "rank-00001.json", folder / "backup/rank-00001.json");
  for (size_t i = 0; i < commands.size(); ++i) {
    const Outcome after = runCommtap(commands[i]);
    CHECK(after.status() == before[i].status());
    CHECK(after.out == before[i].out);
    CHECK(
        after.err == "commtap: " + (folder / "backup/rank-00001.json") + " holds the same process as " +
                         (folder / "rank-00001.json") + ", which is counted\n");
  }
}

TEST_CASE("a file that is too large or a long argument gives one short line and exit status 1 or 2") {
  const TempFolder folder;
  writeText(folder / "a.json", reportToJson(sampleReport(0)));
  for (const char* verb : {"show", "check", "html"}) {
    Words command = {verb, folder / "a.json", "--max-file-size", "1kib"};
    if (verb == std::string("html")) {
      command.insert(command.end(), {"-o", folder / "page.html"});
    }
    const Outcome outcome = runCommtap(command);
    CHECK(outcome.status() == 1);
    CHECK(has(outcome.err, "a.json has "));
    CHECK(has(outcome.err, " bytes, but --max-file-size is 1024\n"));
  }
  const Outcome outcome = runCommtap({"show", folder.path(), "--rank", std::string(100'000, '1')});
  CHECK(outcome.status() == 2);
  CHECK(outcome.err.size() < 3000);
}

/// Returns command lines that use one option of a verb wrongly, or an argument.
std::vector<Words> wrongUses(const Verb& verb, const Option& option) {
  std::vector<Words> uses;
  const auto add = [&](Words words) {
    words.insert(words.begin(), verb.name);
    uses.push_back(std::move(words));
  };
  if (isArgument(option)) {
    add({});
    add({"a", "b", "c"});
    return uses;
  }
  const std::string name = namesOf(option).back();
  if (placeholderOf(option).empty()) {
    add({name + "=x"});
  } else {
    add({name});
    for (const char* value : {"x", "-1", "1e9x", "99999999999999999999999"}) {
      add({name, value});
    }
    add({name, "x", name, "x"});
  }
  add({name.substr(0, name.size() - 1)});
  for (const std::string_view other : option.excludes) {
    add({name, "x", std::string(other), "x"});
  }
  return uses;
}

/// Returns the help of each command, and a line for each wrong use of each option: the words, and what commtap says.
std::string textsOfUsage() {
  const Verb program = commtapProgram();
  std::string text = helpText(program, program);
  for (const Verb& verb : program.verbs) {
    text += "\n" + helpText(program, verb) + "\n";
    for (const Option& option : verb.options) {
      for (const Words& words : wrongUses(verb, option)) {
        const std::string error = parse(commtapProgram(), words).error;
        if (!error.empty()) { // else the verb judges the value
          text += fmt::format("{}: {}\n", fmt::join(words, " "), error.substr(0, error.find(" (see commtap ")));
        }
      }
    }
  }
  return text;
}

TEST_CASE("the help of each command and the error of each wrong use of an option are those of usage.txt") {
  const std::string path = COMMTAP_SOURCE_ROOT "/tests/unit/tools/usage.txt";
  const std::string text = textsOfUsage();
  if (std::getenv("COMMTAP_REMAKE") != nullptr) {
    writeText(path, text);
  }
  std::istringstream wanted(readText(path));
  std::istringstream found(text);
  for (std::string line, other; std::getline(found, line);) {
    std::getline(wanted, other);
    REQUIRE(line == other);
  }
  CHECK(text == readText(path));
}

} // namespace
} // namespace commtap
