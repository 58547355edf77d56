// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/prune/prune_plan.h"

#include <numeric>
#include <utility>

namespace commtap {
namespace {

bool isOlder(const StoredRun& run, uint64_t now_ns, uint64_t age_ns) {
  return run.changed_at_ns < now_ns && now_ns - run.changed_at_ns > age_ns;
}

/// Returns the list of the plan that says why an unwanted run stays; null if it goes.
std::vector<std::string>* reasonToStay(const StoredRun& run, uint64_t now_ns, PrunePlan& plan) {
  if (!isOlder(run, now_ns, kJustChangedNs)) {
    return &plan.just_changed;
  }
  if (run.has_ledger) {
    return &plan.with_ledgers;
  }
  return run.may_have_a_ledger ? &plan.undecided : nullptr;
}

} // namespace

PrunePlan planPrune(std::vector<StoredRun> runs, const Retention& retention, uint64_t now_ns) {
  PrunePlan plan;
  plan.kept_bytes = std::accumulate(
      runs.begin(), runs.end(), uint64_t{0}, [](uint64_t sum, const StoredRun& run) { return sum + run.bytes; });
  for (StoredRun& run : runs) {
    const bool is_too_old = retention.keep_ns && isOlder(run, now_ns, *retention.keep_ns);
    const bool is_too_much = retention.max_bytes && plan.kept_bytes > *retention.max_bytes;
    if (!is_too_old && !is_too_much) {
      ++plan.kept_runs;
    } else if (std::vector<std::string>* reason = reasonToStay(run, now_ns, plan)) {
      ++plan.kept_runs;
      reason->push_back(run.run_id);
    } else {
      plan.kept_bytes -= run.bytes;
      plan.removed.push_back(std::move(run));
    }
  }
  return plan;
}

} // namespace commtap
