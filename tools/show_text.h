// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "tools/color.h"
#include "tools/show_view.h"

namespace commtap {

/// For people: header, module tree, totals by kind and by group.
std::string showText(const ShowView& view, const ReportFolder& folder, const Color& color);

} // namespace commtap
