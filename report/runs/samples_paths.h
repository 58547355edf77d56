// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace commtap {

/// How the names of samples files end: those of `commtap verify`, next to the reports.
inline constexpr std::string_view kSamplesEnding = ".samples";

/// Returns every samples file below a folder, sorted; for a file, its path. A folder that cannot be listed completely
/// is a problem.
std::vector<std::string> samplesPaths(const std::string& path, std::vector<std::string>& problems);

} // namespace commtap
