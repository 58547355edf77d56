// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

#include "report/model.h"
#include "tools/color.h"
#include "tools/show_view.h"

namespace commtap {

/// The last collectives of each rank, newest last; at most `per_rank` of each.
std::string lastText(std::span<const Report* const> reports, size_t per_rank, const Color& color);
std::string lastText(const ShowView& view, const Color& color);

} // namespace commtap
