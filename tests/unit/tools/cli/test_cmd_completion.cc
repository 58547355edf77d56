// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli/subcommands.h"

#include <filesystem>
#include <sstream>

#include <doctest/doctest.h>

#include "tests/unit/programs.h"

namespace commtap {
namespace {

/// Returns bash's completions of the last of `words`.
std::vector<std::string> offered(const Words& words) {
  const TempFolder folder;
  writeText(folder / "commtap.bash", runCommtap({"completion", "bash"}).out);
  std::string line = ". " + (folder / "commtap.bash") + "; COMP_WORDS=(";
  for (const std::string& word : words) {
    line += "'" + word + "' ";
  }
  line += "); COMP_CWORD=" + std::to_string(words.size() - 1) + "; compopt() { echo PATHS; }; _commtap; ";
  line += "printf '%s\\n' \"${COMPREPLY[@]}\"";
  const std::string commands = std::filesystem::path(COMMTAP_EXE).parent_path();
  std::istringstream out(runProgram({"/bin/bash", "-c", line}, {"PATH=" + commands + ":/usr/bin:/bin"}).out);
  std::vector<std::string> lines;
  for (std::string each; std::getline(out, each);) {
    if (!each.empty()) {
      lines.push_back(each);
    }
  }
  return lines;
}

TEST_CASE("bash completes commands, options, option values and paths") {
  CHECK(offered({"commtap", "ad"}) == Words{"advise"});
  CHECK(offered({"commtap", "diff", "--fo"}) == Words{"--format"});
  CHECK(offered({"commtap", "diff", "--format", ""}) == Words{"text", "markdown"});
  CHECK(offered({"commtap", "check", "--allow", "m"}) == Words{"missing_ranks"});
  CHECK(offered({"commtap", "show", ""}) == Words{"PATHS"});
  CHECK(offered({"commtap", "check", "--budget", ""}) == Words{"PATHS"});
  CHECK(offered({"commtap", "diff", "--tolerance", ""}).empty());
  CHECK(offered({"commtap", "nothing", ""}).empty());
  CHECK(
      offered({"commtap", "run", "--", "printenv"}).at(0) ==
      "printenv"); // bash lists it once per PATH folder that has it
  CHECK(offered({"commtap", "run", "--", "python", "tr"}) == Words{"PATHS"});
  CHECK(offered({"commtap", "doctor", "--", "printenv"}).at(0) == "printenv");
  CHECK(offered({"commtap", "doctor", "--j"}) == Words{"--json"});
}

TEST_CASE("bash completes the runs of the folder in the line") {
  const SampleFolder folder;
  CHECK(offered({"commtap", "show", folder.path(), "--run", ""}) == Words{"sample-run"});
  CHECK(offered({"commtap", "show", folder / "none", "--run", ""}).empty());
}

TEST_CASE("each shell accepts its completion script") {
  const TempFolder folder;
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const Outcome script = runCommtap({"completion", shell});
    CHECK(script.status() == 0);
    writeText(folder / shell, script.out);
    const std::string path = std::string("/usr/bin/") + shell;
    if (!std::filesystem::exists(path)) {
      MESSAGE(std::string(shell) << " is not installed: its script is not checked");
      continue;
    }
    const Outcome read = runProgram({path, "-n", folder / shell});
    CHECK(read.status() == 0);
    CHECK(read.err.empty());
  }
  CHECK(runCommtap({"completion", "tcsh"}).status() == 2);
  CHECK(runCommtap({"completion"}).status() == 2);
}

TEST_CASE("fish completes commands and option values") {
  if (!std::filesystem::exists("/usr/bin/fish")) {
    MESSAGE("fish is not installed");
    return;
  }
  const TempFolder folder;
  writeText(folder / "c", runCommtap({"completion", "fish"}).out);
  const auto offers = [&folder](const std::string& line) {
    return runProgram(
               {"/usr/bin/fish", "--no-config", "-c", "source " + (folder / "c") + "; complete -C '" + line + "'"},
               {"HOME=" + folder.path()})
        .out;
  };
  CHECK(offers("commtap adv").starts_with("advise\t"));
  CHECK(offers("commtap check --format j") == "junit\tDefault: text\n");
  CHECK(offers("commtap show --at").starts_with("--attempt\t"));
}

TEST_CASE("completion prints the script of the shell, with every command") {
  const Outcome bash = runCommtap({"completion", "bash"});
  const Outcome zsh = runCommtap({"completion", "zsh"});
  const Outcome fish = runCommtap({"completion", "fish"});
  CHECK(has(bash.out, "COMPREPLY"));
  CHECK(zsh.out.starts_with("#compdef commtap"));
  CHECK(has(fish.out, "complete -c commtap"));
  for (const Outcome* const outcome : {&bash, &zsh, &fish}) {
    CHECK(outcome->status() == 0);
    CHECK(has(outcome->out, "prune"));
    CHECK(has(outcome->out, "completion"));
  }
}

TEST_CASE("completion exits with 2 without a shell, and for one that it does not know") {
  CHECK(runCommtap({"completion"}).status() == 2);
  const Outcome other = runCommtap({"completion", "tcsh"});
  CHECK(other.status() == 2);
  CHECK(has(other.err, "fish"));
}

} // namespace

} // namespace commtap
