// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>

namespace CLI {
class App;
} // namespace CLI

namespace commtap {

/// Adds the flags of the shim's and the tracker's options, such as `--out`. Parsing sets `flags`, which must outlive
/// `verb`: values by the names of their variables.
void addOptionFlags(CLI::App& verb, std::map<std::string, std::string>& flags);

/// Returns whether an argument is one of these flags.
bool isOptionFlag(const std::string& argument);

} // namespace commtap
