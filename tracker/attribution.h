// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>

#include "report/not_seen.h"
#include "report/vocabulary.h"
#include "tracker/thread_state.h"

namespace commtap {

struct Origin {
  uint32_t module = kGlobalModule;    ///< for whom the collective is made
  uint32_t issued_in = kGlobalModule; ///< inside whom it was called
  Phase phase = Phase::kOther;
  std::optional<NotSeen> missed; ///< why the modules may be others
};

/// Where this thread is right now. `input_storage`: the memory of the first tensor that a collective sends, if it is
/// known; it tells whose parameters FSDP1 gathers.
Origin currentOrigin(ThreadState& thread, const void* input_storage);

} // namespace commtap
