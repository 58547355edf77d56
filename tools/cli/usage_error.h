// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tools/cli/verb.h"

namespace commtap {

/// Returns one line about a word that names no verb of `program`, with the verb that was probably meant.
std::string wrongCommand(const Verb& program, const std::string& word);

/// Returns one line about the first argument that names no verb of `program`, or no option of the verb, with the name
/// that was probably meant. Returns "" if all names are known. CLI11 would report what is missing first.
std::string unknownNameIn(const Verb& program, const std::vector<std::string>& arguments);

} // namespace commtap
