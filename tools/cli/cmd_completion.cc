// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <memory>

#include "tools/cli/completion.h"
#include "tools/cli/subcommands.h"
#include "tools/cli/verbs.h"

namespace commtap {
namespace {

constexpr const char* kCompletionAbout =
    "An installation puts these scripts where the shells look for them. From a build folder, use the examples.";
constexpr const char* kCompletionExitStatus = "0 printed, 2 wrong usage.";

} // namespace

Verb completionVerb() {
  auto shell = std::make_shared<std::string>();
  return {
      .name = "completion",
      .help = "Print a shell's completion script for commtap",
      .usage = "commtap completion SHELL",
      .about = kCompletionAbout,
      .exit_status = kCompletionExitStatus,
      .examples =
          {
              "source <(commtap completion bash)",
              "source <(commtap completion zsh)",
              "commtap completion fish | source",
          },
      .options =
          {{.names = "SHELL",
            .help = "bash, zsh or fish",
            .to = shell.get(),
            .words = {"bash", "zsh", "fish"},
            .required = true}},
      .run = [shell](const Given& given) {
        const std::vector<Verb> verbs = shownVerbs(given.program);
        return printOut(
            *shell == "bash"  ? bashCompletion(verbs)
            : *shell == "zsh" ? zshCompletion(verbs)
                              : fishCompletion(verbs));
      }};
}

} // namespace commtap
