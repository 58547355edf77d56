// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/prune/prune_plan.h"

#include <doctest/doctest.h>

#include "report/base/duration.h"

namespace commtap {
namespace {

constexpr uint64_t kHour = 3600 * kNsPerSecond;
constexpr uint64_t kNow = 1000 * kHour;

StoredRun runOf(const std::string& id, uint64_t hours_ago, uint64_t bytes, bool has_ledger = false) {
  return {.run_id = id, .bytes = bytes, .changed_at_ns = kNow - hours_ago * kHour, .has_ledger = has_ledger};
}

std::vector<std::string> idsOf(const std::vector<StoredRun>& runs) {
  std::vector<std::string> ids;
  for (const StoredRun& run : runs) {
    ids.push_back(run.run_id);
  }
  return ids;
}

using Ids = std::vector<std::string>;

TEST_CASE("runs that changed longer ago than asked are removed") {
  const PrunePlan plan = planPrune({runOf("a", 50, 10), runOf("b", 49, 20), runOf("c", 48, 40)}, {48 * kHour}, kNow);
  CHECK(idsOf(plan.removed) == Ids{"a", "b"});
  CHECK(plan.kept_runs == 1);
  CHECK(plan.kept_bytes == 40);
}

TEST_CASE("the oldest runs are removed until the rest is small enough, after those that are too old") {
  const std::vector<StoredRun> runs = {runOf("a", 50, 10), runOf("b", 20, 20), runOf("c", 10, 40), runOf("d", 5, 80)};
  CHECK(idsOf(planPrune(runs, {{}, 150}, kNow).removed).empty());
  CHECK(idsOf(planPrune(runs, {{}, 140}, kNow).removed) == Ids{"a"});
  CHECK(idsOf(planPrune(runs, {{}, 139}, kNow).removed) == Ids{"a", "b"});
  CHECK(idsOf(planPrune(runs, {30 * kHour, 139}, kNow).removed) == Ids{"a", "b"});
  CHECK(planPrune(runs, {{}, 0}, kNow).kept_bytes == 0);
}

TEST_CASE("a run with a ledger, and one that changed within the hour, stay whatever was asked") {
  const std::vector<StoredRun> runs = {runOf("running", 500, 10, true), runOf("old", 400, 10), runOf("fresh", 1, 10)};
  const PrunePlan plan = planPrune(runs, {0, 0}, kNow);
  CHECK(idsOf(plan.removed) == Ids{"old"});
  CHECK(plan.with_ledgers == Ids{"running"});
  CHECK(plan.just_changed == Ids{"fresh"});
  CHECK(plan.kept_runs == 2);
  CHECK(plan.kept_bytes == 20);
}

TEST_CASE("a run that may have a ledger stays") {
  StoredRun run = runOf("a", 500, 10);
  run.may_have_a_ledger = true;
  const PrunePlan plan = planPrune({run, runOf("b", 400, 10)}, {0, 0}, kNow);
  CHECK(idsOf(plan.removed) == Ids{"b"});
  CHECK(plan.undecided == Ids{"a"});
  CHECK(plan.with_ledgers.empty());
  CHECK(plan.kept_runs == 1);
}

TEST_CASE("a run of the future is not old") {
  StoredRun run = runOf("a", 0, 10);
  run.changed_at_ns = kNow + kHour;
  CHECK(planPrune({run}, {0, 0}, kNow).removed.empty());
}

} // namespace
} // namespace commtap
