// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
} // namespace CLI

namespace commtap {

/// An option of a subcommand, as in the help text.
struct OptionFacts {
  std::vector<std::string> names; ///< "-o", "--output"; empty for an argument without a name
  std::string value;              ///< placeholder of the value: "FILE"; "" for a flag
  std::vector<std::string> words; ///< accepted values, if the option has a fixed list
  std::string help;
  bool takes_path = false;
  bool takes_run = false; ///< the id of a run in a folder
};

/// A subcommand, as in the help text.
struct SubcommandInfo {
  std::string name;
  std::string help;
  std::string usage;
  std::string about;                 ///< paragraphs below the options, each in one line
  std::string exit_status;           ///< "0 merged; 1 ..."
  std::vector<std::string> examples; ///< as SubcommandHelp::examples
  std::vector<OptionFacts> options;
};

/// Returns the subcommands of `app` with the options that CLI11 parses and the texts given to describe(). The manual
/// page, the completion scripts and docs/commands.md are generated from the result. Skips hidden subcommands.
std::vector<SubcommandInfo> verbsOf(const CLI::App& app);

} // namespace commtap
