// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace commtap {

/// Returns whether a file that could not be read does not even begin like a file of commtap.
bool isForeign(const std::string& path);

/// Adds the errors of foreign files to `problems`: one line with their number if they are many. Returns the number of
/// files without a line of their own.
size_t addForeign(const std::vector<std::string>& errors, std::vector<std::string>& problems);

} // namespace commtap
