// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string_view>

namespace commtap {

/// Returns the name that a user who wrote `word` probably meant: the one with the fewest letters to insert, delete,
/// replace or swap. Returns "" if none is close. The result points into `names`.
std::string_view closestName(std::string_view word, std::span<const std::string_view> names);

} // namespace commtap
