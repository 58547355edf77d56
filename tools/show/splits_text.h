// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tools/show/show_view.h"
#include "tools/text/table.h"

namespace commtap {

/// Returns a table of the shown rows with split sizes, the most uneven first; "" if there are none.
std::string splitsText(const ShowView& view, const Color& color);

} // namespace commtap
