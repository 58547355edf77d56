// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace commtap {

inline constexpr int kExitOk = 0;
inline constexpr int kExitFindings = 1; ///< it worked, but something could not be read or was not there
inline constexpr int kExitUsage = 2;    ///< wrong usage, or nothing to work on

/// "usage" of a verb's help, which the library cannot word itself.
void setUsage(CLI::App& verb, const std::string& usage);

/// Accepts these words only; the help is left to the option's type name.
CLI::Validator oneOf(std::vector<std::string> words);

/// One line on stderr: "commtap: ...".
void say(const std::string& line);
/// The same for each line; of many only the first ones.
void sayAll(const std::vector<std::string>& lines);

/// Writes to stdout to the end. kExitFindings if that failed (a full disk), with a line on stderr.
int printOut(const std::string& text);

} // namespace commtap
