// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "report/model/durations.h"
#include "tracker/core/thread_state.h"

namespace commtap {

/// Returns whether the collectives of the running step are timed: those of every n-th step are, so that the times of a
/// step are whole.
bool isStepTimed(uint32_t every);

/// Adds a duration to the row of `call`. A kRunning duration also adds the call's payload.
void countDuration(const OpFrame& call, DurationKind kind, uint64_t ns);

/// A place at which a thread or stream stands still because a collective has not completed.
struct Stalled {
  uint32_t module = kGlobalModule; ///< the one that runs there
  Phase phase = Phase::kOther;
};

/// Adds a time in which the job stood still to the row of `call` (DurationKind::kExposed) and to the place.
void countExposed(const OpFrame& call, const Stalled& where, uint64_t ns);

/// Notes that `call` has completed. `completed_at_ns` is steady clock time; 0 if unknown.
void noteCompleted(const OpFrame& call, bool succeeded, uint64_t completed_at_ns);

/// Notes that the backend has begun to work on `call`. `started_at_ns` is steady clock time.
void noteStarted(const OpFrame& call, uint64_t started_at_ns);

} // namespace commtap
