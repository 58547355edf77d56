// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class ParseError;
} // namespace CLI

namespace commtap {

/// Returns one line about the first argument that names no subcommand of `app`, or no option of the subcommand, with
/// the name that was probably meant. Returns "" if all names are known. CLI11 would report what is missing first.
std::string unknownNameIn(const CLI::App& app, const std::vector<std::string>& arguments);

/// Returns one line about an error that CLI11 found while it parsed `arguments`.
std::string usageError(const CLI::App& app, const std::vector<std::string>& arguments, const CLI::ParseError& error);

} // namespace commtap
