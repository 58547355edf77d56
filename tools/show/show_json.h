// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "tools/show/show_view.h"

namespace commtap {

/// The `schema` field of the document. What else it holds: docs/show.md.
inline constexpr std::string_view kShowSchema = "commtap-show/1";

/// For programs: what showText() shows, as one JSON object in ASCII.
std::string showJson(const ShowView& view, const ReportFolder& folder);

} // namespace commtap
