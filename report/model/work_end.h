// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "report/model/model.h"

namespace commtap {

/// Returns whether a call of the process had not returned, or had failed, or had not completed in a group whose
/// completions are known.
bool hasCallUnderWay(const Report& report);

/// Returns whether the process ended without running commtap's code, by a signal, which its parent may have found.
template <typename Process>
bool wasKilled(const Process& process) {
  return process.exit == ExitKind::kKilled || (process.exit == ExitKind::kSignal && !process.ended_at_ns);
}

/// Returns the CLOCK_REALTIME of the last event that the report has before its process's end: a collective, a step, or
/// the start. Events after `until_ns` do not count.
uint64_t lastEventNs(const Report& report, uint64_t until_ns = UINT64_MAX);

/// Until Python heeds a signal, a process goes on for a moment. A call that fails within one failed by itself.
inline constexpr uint64_t kMomentNs = 1'000'000'000;

} // namespace commtap
