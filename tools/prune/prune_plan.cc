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

} // namespace

PrunePlan planPrune(std::vector<StoredRun> runs, const Retention& retention, uint64_t now_ns) {
  PrunePlan plan;
  plan.kept_bytes = std::accumulate(
      runs.begin(), runs.end(), uint64_t{0}, [](uint64_t sum, const StoredRun& run) { return sum + run.bytes; });
  for (StoredRun& run : runs) {
    const bool is_too_old = retention.keep_ns && isOlder(run, now_ns, *retention.keep_ns);
    const bool is_too_much = retention.max_bytes && plan.kept_bytes > *retention.max_bytes;
    const bool is_unwanted = (is_too_old || is_too_much) && isOlder(run, now_ns, kJustChangedNs);
    if (is_unwanted && !run.has_ledger && !run.may_have_a_ledger) {
      plan.kept_bytes -= run.bytes;
      plan.removed.push_back(std::move(run));
      continue;
    }
    ++plan.kept_runs;
    if (is_unwanted) {
      (run.has_ledger ? plan.with_ledgers : plan.undecided).push_back(run.run_id);
    }
  }
  return plan;
}

} // namespace commtap
