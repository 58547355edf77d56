// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "report/model/durations.h"
#include "tracker/core/thread_state.h"

namespace commtap {

/// One more duration of the row of `call`. With that of kRunning counts its payload.
void countDuration(const OpFrame& call, DurationKind kind, uint64_t ns);

/// `call` is over. `completed_at_ns`: steady clock; 0: it is not known when.
void noteCompleted(const OpFrame& call, bool succeeded, uint64_t completed_at_ns);

/// The backend has begun to work on `call`. `started_at_ns`: steady clock.
void noteStarted(const OpFrame& call, uint64_t started_at_ns);

} // namespace commtap
