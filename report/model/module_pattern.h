// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

namespace commtap {

/// The module's name with `*` for each component that is a number: "Net.layers.*.attention". The modules of a stack of
/// layers have one skeleton.
std::string skeletonOf(const std::string& module);

/// The narrowest pattern of names of one skeleton: `*` only where they differ.
std::string patternOf(std::span<const std::string> modules);

} // namespace commtap
