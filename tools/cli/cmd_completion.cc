// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli/cmd_completion.h"

#include <memory>

#include "tools/cli/completion.h"
#include "tools/cli/subcommand_help.h"
#include "tools/cli/subcommands.h"

namespace commtap {
namespace {

constexpr const char* kCompletionAbout =
    "An installation puts these scripts where the shells look for them. From a build folder, use the examples.";
constexpr const char* kCompletionExitStatus = "0 printed, 2 wrong usage.";

} // namespace

void addCompletion(CLI::App& app, int& exit_status) {
  CLI::App* verb = app.add_subcommand("completion", "Print a shell's completion script for commtap");
  describe(
      *verb,
      {.usage = "commtap completion SHELL",
       .about = kCompletionAbout,
       .exit_status = kCompletionExitStatus,
       .examples = {
           "source <(commtap completion bash)",
           "source <(commtap completion zsh)",
           "commtap completion fish | source",
       }});
  auto shell = std::make_shared<std::string>();
  verb->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->type_name("")
      ->check(oneOf({"bash", "zsh", "fish"}));
  verb->callback([&app, shell, &exit_status] {
    const std::vector<SubcommandInfo> verbs = verbsOf(app);
    exit_status = printOut(
        *shell == "bash"  ? bashCompletion(verbs)
        : *shell == "zsh" ? zshCompletion(verbs)
                          : fishCompletion(verbs));
  });
}

} // namespace commtap
