// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli/cmd_completion.h"

#include <memory>

#include "tools/cli/completion.h"
#include "tools/cli/subcommands.h"

namespace commtap {
namespace {

constexpr const char* kFooter =
    "An installation puts these scripts where the shells look for them. From a build folder, use the examples.\n\n"
    "Exit status: 0 printed, 2 wrong usage.\n\n"
    "Examples:\n"
    "  source <(commtap completion bash)\n"
    "  source <(commtap completion zsh)\n"
    "  commtap completion fish | source";

} // namespace

void addCompletion(CLI::App& app, int& exit_status) {
  CLI::App* verb = app.add_subcommand("completion", "Print a shell's completion script for commtap");
  setUsage(*verb, "commtap completion SHELL");
  verb->footer(kFooter);
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
