// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "tools/show/show_view.h"

namespace commtap {

/// The `schema` field of the document, whose schema is docs/schema/commtap-show-1.schema.json.
inline constexpr std::string_view kShowSchema = "commtap.show/1";

/// Returns the view as one JSON object in ASCII, for programs.
std::string showJson(const ShowView& view);

} // namespace commtap
