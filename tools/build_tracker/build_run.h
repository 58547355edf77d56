// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "tools/build_tracker/build_plan.h"
#include "tools/run/environment.h"

namespace commtap {

/// Carries a plan out with `jobs` compilers at a time. `progress(done, total)` is called by one thread at a time.
/// Returns "", or what failed with the first of the compiler's messages.
std::string runBuild(
    const BuildPlan& plan,
    const Environment& environment,
    size_t jobs,
    const std::function<void(size_t, size_t)>& progress);

} // namespace commtap
