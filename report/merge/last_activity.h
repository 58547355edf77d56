// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "report/model/model.h"

namespace commtap {

/// Returns the CLOCK_REALTIME of the last event that the report has before its process's end: a collective, a step, or
/// the start. Events after `until_ns` do not count.
uint64_t lastEventNs(const Report& report, uint64_t until_ns = UINT64_MAX);

/// Returns lastEventNs(), or the end of a process that ended by itself. A killed process was not active at its end.
uint64_t lastActivityNs(const Report& report);

} // namespace commtap
