// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace commtap {

std::vector<std::string_view> linesOf(std::string_view text);

/// Returns the size in bytes of the longest beginning of `line` that fits into `columns`. Colours take no columns.
size_t fittingSize(std::string_view line, size_t columns);

/// Breaks the lines of `text` at spaces, so that none is wider than `columns`, and begins what follows a break with
/// `indent`. Colours take no columns.
std::string wrapped(std::string_view text, size_t columns, std::string_view indent = "    ");

/// Joins the lines of each paragraph into one.
std::string unbroken(std::string text);

/// The size of a terminal; other outputs have no limits.
struct ScreenSize {
  size_t columns = std::numeric_limits<size_t>::max();
  size_t lines = std::numeric_limits<size_t>::max();
};

/// Returns the size of the terminal at `fd`.
ScreenSize screenSize(int fd);

} // namespace commtap
