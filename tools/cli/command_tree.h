// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace commtap {

/// An option of a verb, as its help tells it.
struct OptionFacts {
  std::vector<std::string> names; ///< "-o", "--output"; empty for an argument without a name
  std::string value;              ///< what follows: "FILE"; "" for a flag
  std::vector<std::string> words; ///< the values that it takes, if they are few
  std::string help;
  bool takes_path = false;
};

/// A verb, as its help tells it.
struct SubcommandInfo {
  std::string name;
  std::string help;
  std::string usage;
  std::string about;       ///< what the help says below the options
  std::string exit_status; ///< "0 merged; 1 ..."
  std::vector<std::string> examples;
  std::vector<OptionFacts> options;
};

/// What there is to know of the command line, from the tables that it is parsed with: manual page, completion and
/// docs/commands.md are made of it. Verbs that are not for users are left out.
std::vector<SubcommandInfo> verbsOf(const CLI::App& app);

} // namespace commtap
