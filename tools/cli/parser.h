// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tools/cli/verb.h"

namespace commtap {

/// The meaning of a command line: a verb to run, a text to print, or an error.
struct Parsed {
  const Verb* verb = nullptr;
  std::vector<std::string> command = {}; ///< of the verb
  std::string text = {};                 ///< of --help or --version
  std::string error = {};                ///< one line
};

/// Reads `arguments` into the targets of the verb that they name.
Parsed parse(const Verb& program, const std::vector<std::string>& arguments);

/// Returns what `program VERB --help` prints, or `program --help`.
std::string helpText(const Verb& program, const Verb& verb);

/// Returns one line about a word that names no verb of `program`, with the verb that was probably meant.
std::string wrongCommand(const Verb& program, const std::string& word);

/// Returns one line about the first argument that names no verb of `program`, or no option of the verb, with the name
/// that was probably meant. Returns "" if all names are known. CLI11 would report what is missing first.
std::string unknownNameIn(const Verb& program, const std::vector<std::string>& arguments);

} // namespace commtap
