// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "report/model/model.h"

namespace commtap {

// The order in which a rank makes its calls: a model makes the same ones in each step. RankCalls are of one rank, in
// one group or in all.

using RankCalls = std::span<const LastCollective* const>;

/// Returns the last calls of a report, in all groups.
std::vector<const LastCollective*> lastCalls(const Report& report);

/// Returns whether two calls, of one rank or of two, are the same one of the model in the same group.
bool areAlikeInGroup(const LastCollective& a, const LastCollective& b);

/// Returns the index of the call that came next when the two calls before index `at` came last, before that; nullopt if
/// `calls` does not have them.
std::optional<size_t> usualAfter(RankCalls calls, size_t at);

/// Returns the index of the last call that a rank made in place of one that `is_missing` finds among its earlier ones;
/// nullopt if it left out none of them. It did
/// - if its last call is not the one that came there each time before, but the one after that;
/// - if an earlier call is so, and what it left out came there at least twice;
/// - if it made fewer of them before its last call than when it made that call before.
std::optional<size_t> leftOutAt(RankCalls calls, const std::function<bool(const LastCollective&)>& is_missing);

} // namespace commtap
