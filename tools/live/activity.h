// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

#include "report/model/model.h"

namespace commtap {

/// Seconds without a collective or step after which a job counts as quiet, although its processes seem to run.
inline constexpr uint64_t kQuietJobSeconds = 60;

/// Returns the whole seconds since the last activity of any of the processes; 0 if that is in the future.
uint64_t idleSeconds(std::span<const Report* const> reports, uint64_t now_ns);

} // namespace commtap
