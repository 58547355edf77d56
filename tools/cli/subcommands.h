// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "report/compare/tolerance.h"
#include "report/runs/report_scan.h"

namespace commtap {

inline constexpr int kExitOk = 0;
inline constexpr int kExitFindings = 1; ///< it worked, but something could not be read or was not there
inline constexpr int kExitUsage = 2;    ///< wrong usage, or nothing to work on

/// "usage" of a verb's help, which the library cannot word itself.
void setUsage(CLI::App& verb, const std::string& usage);

/// Accepts these words only; the help is left to the option's type name.
CLI::Validator oneOf(std::vector<std::string> words);

/// Options that several verbs have, worded once. `words`: the first is the default.
void addPath(CLI::App& verb, const char* name, std::string& path, const char* help);
void addFormat(CLI::App& verb, std::string& format, std::vector<std::string> words);
void addSelection(CLI::App& verb, JobSelection& selection);
void addTolerances(CLI::App& verb, std::vector<std::string>& rules);
/// An option that may be given several times, each time with one of `words`.
void addWords(
    CLI::App& verb,
    const char* name,
    std::vector<std::string>& chosen,
    const char* help,
    std::vector<std::string> words);

/// Adds the rules that addTolerances read. "" or one line on the one that is wrong.
std::string readTolerances(const std::vector<std::string>& texts, std::vector<Tolerance>& rules);

/// One line on stderr: "commtap: ...".
void say(const std::string& line);
/// The same for each line; of many only the first ones.
void sayAll(const std::vector<std::string>& lines);

/// False, with a line on stderr, if there is nothing at the PATH that a verb was given to read.
bool isThere(const std::string& path);

/// Writes to stdout to the end. kExitFindings if that failed (a full disk), with a line on stderr.
int printOut(const std::string& text);

} // namespace commtap
