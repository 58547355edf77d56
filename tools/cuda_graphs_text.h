// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tools/color.h"
#include "tools/show_view.h"

namespace commtap {

/// The CUDA graphs that communicate, and what one launch of each makes; "" if there are none.
std::string cudaGraphsText(const ShowView& view, const Color& color);

} // namespace commtap
