// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "report/model/model.h"
#include "tools/show/show_view.h"
#include "tools/text/color.h"

namespace commtap {

/// "rank 3", "a process without a rank".
std::string rankName(const std::optional<int64_t>& rank);

/// "all_reduce of 320 B for MLPModule.net2 (forward)".
std::string collectiveText(const LastCollective& last);

/// Ranks that have issued different collectives under one number, or "".
std::string mismatchText(std::span<const Report* const> reports, const Color& color);

/// The last collectives of each rank, newest last; at most `per_rank` of each.
std::string lastText(std::span<const Report* const> reports, size_t per_rank, const Color& color);
std::string lastText(const ShowView& view, const Color& color);

} // namespace commtap
