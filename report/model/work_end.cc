// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/model/work_end.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace commtap {

bool hasCallUnderWay(const Report& report) {
  std::set<std::string_view> observed; ///< groups whose completions are known
  for (const LastCollective& call : report.last) {
    if (call.state == LastState::kCompleted) {
      observed.insert(call.group);
    }
  }
  const bool times_all = report.job.timing.every == 1;
  return !report.open_calls.empty() ||
         std::any_of(report.last.begin(), report.last.end(), [&](const LastCollective& call) {
           const bool is_returned = call.state == LastState::kReturned;
           return call.state == LastState::kIssued || call.state == LastState::kFailed ||
                  (is_returned && times_all && observed.contains(call.group));
         });
}

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

} // namespace commtap
