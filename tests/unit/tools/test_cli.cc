// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "report/json/report_json.h"
#include "report/model/options.h"
#include "tests/unit/programs.h"

namespace commtap {
namespace {

TEST_CASE("commtap has --version and --help, and each command has --help") {
  CHECK(runCommtap({"--version"}).out == "commtap " COMMTAP_VERSION "\n");
  for (const char* verb :
       {"run",
        "show",
        "merge",
        "diff",
        "check",
        "html",
        "export",
        "serve",
        "recover",
        "completion",
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

TEST_CASE("the help of run lists the option table") {
  const std::string help = runCommtap({"run", "--help"}).out;
  for (const OptionRow& row : optionTable()) {
    if (!row.flag.empty()) {
      CHECK(help.find(row.flag) != std::string::npos);
      CHECK(help.find(row.help) != std::string::npos);
    }
  }
}

TEST_CASE("a missing or unknown command is an error that lists the commands") {
  CHECK(runCommtap({}).status() == 2);
  const std::string error = runCommtap({"shw"}).err;
  CHECK(error.starts_with(
      "commtap: \"shw\" is not a command; did you mean show? The commands are run, doctor, demo, show, list, "
      "merge, advise, html, export, diff, check, verify, plan, why, top, serve"));
  CHECK(error.ends_with(" (see commtap --help)\n"));
  CHECK(error.find("options") == std::string::npos);
  CHECK(runCommtap({"show", "--colour"}).status() == 2);
}

TEST_CASE("each command counts a copied report once, names it once, and exits as without it") {
  const TempFolder folder;
  for (int64_t rank = 0; rank < 4; ++rank) {
    writeText(folder / ("rank-0000" + std::to_string(rank) + ".json"), reportToJson(sampleReport(rank)));
  }
  const std::vector<Words> commands = {
      {"show", folder.path()},
      {"show", folder.path(), "--format", "json"},
      {"merge", folder.path()},
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
  for (const char* verb : {"show", "merge", "check", "html"}) {
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

} // namespace
} // namespace commtap
