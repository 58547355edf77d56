// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tools/show/show_view.h"
#include "tools/text/color.h"

namespace commtap {

/// The CUDA graphs that communicate, and what one launch of each makes; "" if there are none.
std::string cudaGraphsText(const ShowView& view, const Color& color);

} // namespace commtap
