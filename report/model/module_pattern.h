// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

namespace commtap {

/// Returns the module's name with `*` for each component that is a number: "Net.layers.*.attention". The modules of
/// equal layers have the same skeleton.
std::string skeletonOf(const std::string& module);

/// Returns the narrowest pattern that matches all names, which have one skeleton: `*` only where they differ.
std::string patternOf(std::span<const std::string> modules);

} // namespace commtap
