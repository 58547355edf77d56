// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "report/model/model.h"

namespace commtap {

/// Returns the CLOCK_REALTIME of the last event that the report has: a collective, a step, or its process's start or
/// end.
uint64_t lastActivityNs(const Report& report);

} // namespace commtap
