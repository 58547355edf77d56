// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
} // namespace CLI

namespace commtap {

/// The texts of a subcommand's help besides its options. The help keeps their line breaks; the manual page and
/// docs/commands.md fill their own lines. An empty text is left out.
struct SubcommandHelp {
  std::string usage;
  std::string about = {};                 ///< paragraphs, separated by an empty line
  std::string exit_status = {};           ///< "0 merged; 1 ..."
  std::vector<std::string> examples = {}; ///< one command each, or several lines that belong together
};

/// Sets the usage line and the text below the options in a subcommand's help.
void describe(CLI::App& verb, SubcommandHelp help);

/// Returns what describe() was given; empty texts for an app that it was not called for.
SubcommandHelp helpOf(const CLI::App& verb);

} // namespace commtap
