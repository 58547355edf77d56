// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "report/compare/module_renames.h"
#include "report/compare/tolerance.h"
#include "report/runs/report_scan.h"

namespace commtap {

inline constexpr int kExitOk = 0;
inline constexpr int kExitFindings = 1; ///< findings; input that is there but unreadable or empty; output not written
inline constexpr int kExitUsage = 2;    ///< wrong usage, or PATH, run, attempt or rank does not exist

/// Returns a validator that accepts only `words`. The option's type name, not the validator, describes them in the
/// help.
CLI::Validator oneOf(std::vector<std::string> words);

/// Returns a validator that accepts numbers from `least` to `most`; the help does not name the bounds.
CLI::Validator between(double least, double most);
CLI::Validator atLeast(double least);

/// Adds an option that several subcommands share. The first of `words` is the default.
void addPath(CLI::App& verb, const char* name, std::string& path, const char* help);
/// Adds a path that defaults to the folder that jobs write to (default_folder.h), which is then said on stderr.
void addReadPath(CLI::App& verb, const char* name, std::string& path, const char* help);
/// Returns defaultFolder(), and says on stderr that it is read.
std::string saidDefaultFolder();
void addFormat(CLI::App& verb, std::string& format, std::vector<std::string> words);
void addSelection(CLI::App& verb, JobSelection& selection);
void addInputLimit(CLI::App& verb);
void addTolerances(CLI::App& verb, std::vector<std::string>& rules);
void addRenames(CLI::App& verb, std::vector<std::string>& renames);
/// Adds an option that may be repeated, each time with one of `words`.
void addWords(
    CLI::App& verb,
    const char* name,
    std::vector<std::string>& chosen,
    const char* help,
    std::vector<std::string> words);

/// Appends the parsed `texts` to `rules`. Returns "" or one line about the first invalid rule.
std::string readTolerances(const std::vector<std::string>& texts, std::vector<Tolerance>& rules);
/// Appends the parsed `texts` to `renames`. Returns "" or one line about the first invalid one.
std::string readRenames(const std::vector<std::string>& texts, std::vector<ModuleRename>& renames);

/// Writes one line to stderr: "commtap: ...". Leaves out the middle of a long line.
void say(const std::string& line);
/// Writes each line to stderr as "commtap: ..."; shortens a long list to its first lines.
void sayAll(const std::vector<std::string>& lines);

/// Returns false, and writes a line to stderr, if nothing exists at a subcommand's PATH argument.
bool isThere(const std::string& path);

/// Writes all of `text` to stdout. Returns kExitFindings, and writes a line to stderr, on failure, as on a full disk.
int printOut(const std::string& text);

} // namespace commtap
