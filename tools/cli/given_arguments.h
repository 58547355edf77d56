// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <vector>

namespace commtap {

/// The arguments of a subcommand, split into its own and a command with its arguments.
struct SplitArguments {
  std::vector<std::string> own;
  std::vector<std::string> command = {};
};

/// Splits at the first "--", which is in neither part.
SplitArguments splitAtDashes(const std::vector<std::string>& arguments);

/// The arguments of `commtap`, for subcommands that read theirs before CLI11 does: it would take the options of
/// `run -- COMMAND` for those of `run`.
class GivenArguments {
 public:
  using Split = SplitArguments (*)(const std::vector<std::string>& arguments);

  /// Has `split` read what follows the subcommand `verb`.
  void splitBy(const std::string& verb, Split split) {
    splits_[verb] = split;
  }

  /// Returns the arguments that CLI11 reads, and keeps the command that they leave out.
  std::vector<std::string> read(const std::vector<std::string>& arguments);

  /// Returns the command of the subcommand; empty before read(), and if there is none.
  const std::vector<std::string>& command() const {
    return command_;
  }

 private:
  std::map<std::string, Split> splits_; ///< by subcommand
  std::vector<std::string> command_;
};

} // namespace commtap
