// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tools/show/show_view.h"
#include "tools/text/color.h"

namespace commtap {

/// A table with a row for each step, or run of steps that are added up: sums over the ranks, and the time of the rank
/// that took longest.
std::string stepsText(const ShowView& view, const Color& color);

} // namespace commtap
