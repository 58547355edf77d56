// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tools/show/show_view.h"
#include "tools/text/color.h"

namespace commtap {

/// The table of ops by module and phase, added up over the processes that are shown; or one line that says why there
/// is none.
std::string operationsText(const ShowView& view, const Color& color);

} // namespace commtap
