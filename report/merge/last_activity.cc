// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/merge/last_activity.h"

#include <algorithm>

namespace commtap {

uint64_t lastEventNs(const Report& report, uint64_t until_ns) {
  constexpr uint64_t kNever = 0;
  uint64_t last = report.job.started_at_ns;
  const auto add = [&last, until_ns](uint64_t at_ns) { last = at_ns <= until_ns ? std::max(last, at_ns) : last; };
  for (const LastCollective& call : report.last) {
    add(call.issued_at_ns);
    add(call.completed_at_ns.value_or(kNever));
  }
  if (!report.steps.empty()) {
    add(report.steps.back().started_at_ns);
    add(report.steps.back().ended_at_ns.value_or(kNever));
  }
  return last;
}

uint64_t lastActivityNs(const Report& report) {
  const bool was_active = !isEndUnseen(report.job.exit);
  return std::max(lastEventNs(report), was_active ? report.job.ended_at_ns.value_or(0) : 0);
}

} // namespace commtap
