// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tools/show/show_view.h"
#include "tools/text/table.h"

namespace commtap {

/// Returns the text for people: header, module tree, totals by kind and by group.
std::string showText(const ShowView& view, const Color& color);

} // namespace commtap
