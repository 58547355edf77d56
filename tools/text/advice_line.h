// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "report/advice/advice.h"

namespace commtap {

/// Returns "; its rows have 42.0 % of the bytes", per rank and step as in commtap show, or "" if only set-up is meant.
std::string adviceShareText(const Advice& advice, const JobReport& job);

/// Returns "; keeping it takes about 12.0 MiB per rank" for an advice to keep what is communicated again; "" for
/// others.
std::string adviceMemoryText(const Advice& advice);

/// Returns the line "advice: ..." for commands that show other facts of a run: the first rule, `amount` after it, how
/// many more there are, and the command that shows them; "" without advice. `path`: what the job was read from.
std::string adviceLine(const std::vector<Advice>& advice, const std::string& amount, const std::string& path);

} // namespace commtap
