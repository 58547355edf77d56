// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>

#include "report/model/model.h"

namespace commtap {

// The order in which a rank makes its calls, over all its groups: a model makes the same ones in each step.

/// Returns whether two calls, of one rank or of two, are the same one of the model in the same group.
bool areAlikeInGroup(const LastCollective& a, const LastCollective& b);

/// Returns the call that came next when the two calls before index `at` came last, before that; nullptr if `calls` does
/// not have them.
const LastCollective* usualAfter(std::span<const LastCollective> calls, size_t at);

/// Returns whether the last of `calls` is not the one that usually comes there, but the one after that, and `missing`
/// is the one that usually comes there.
bool hasLeftOut(std::span<const LastCollective> calls, const LastCollective& missing);

} // namespace commtap
