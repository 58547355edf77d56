// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace commtap {

std::vector<std::string_view> linesOf(std::string_view text);

/// Returns the size in bytes of the longest beginning of `line` that fits into `columns`. Colours take no columns.
size_t fittingSize(std::string_view line, size_t columns);

/// Breaks the lines of `text` at spaces, so that none is wider than `columns`. Colours take no columns.
std::string wrapped(std::string_view text, size_t columns);

} // namespace commtap
