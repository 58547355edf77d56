// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tools/color.h"
#include "tools/show_view.h"

namespace commtap {

/// Durations by kind and group, then by module, over all ranks: queued, running, blocked, bandwidths, and who is late.
std::string timeText(const ShowView& view, const Color& color);

} // namespace commtap
