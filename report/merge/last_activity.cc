// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/merge/last_activity.h"

#include <algorithm>

namespace commtap {

uint64_t lastEventNs(const Report& report) {
  constexpr uint64_t kNever = 0;
  uint64_t last = report.job.started_at_ns;
  for (const LastCollective& call : report.last) {
    last = std::max({last, call.issued_at_ns, call.completed_at_ns.value_or(kNever)});
  }
  if (!report.steps.empty()) {
    const Step& step = report.steps.back();
    last = std::max({last, step.started_at_ns, step.ended_at_ns.value_or(kNever)});
  }
  return last;
}

uint64_t lastActivityNs(const Report& report) {
  const bool was_active = report.job.exit != ExitKind::kKilled;
  return std::max(lastEventNs(report), was_active ? report.job.ended_at_ns.value_or(0) : 0);
}

} // namespace commtap
