// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/time_totals.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

Collective row(const char* module, Kind kind, uint64_t running_ns, uint64_t blocked_ns) {
  Collective made;
  made.module = module;
  made.kind = kind;
  made.group = "0";
  made.count = 2;
  made.time.durations[static_cast<size_t>(DurationKind::kRunning)] = {2, running_ns, 1, running_ns, {{1, 2}}};
  made.time.durations[static_cast<size_t>(DurationKind::kBlocked)] = {2, blocked_ns, 1, blocked_ns, {{1, 2}}};
  return made;
}

Report report(int64_t rank, std::vector<uint32_t> members, std::vector<Collective> rows) {
  Report made;
  made.job.rank = rank;
  made.groups = {{"0", "dp", "gloo", 2, std::move(members), 0, 0}};
  made.collectives = std::move(rows);
  return made;
}

TEST_CASE("the rank on which a collective runs shortest came last; each group waits for itself alone") {
  const std::vector<Report> reports = {
      report(0, {0, 1}, {row("a", Kind::kAllReduce, 2000, 100)}),
      report(1, {0, 1}, {row("a", Kind::kAllReduce, 400, 10)}),
      report(2, {2, 3}, {row("a", Kind::kAllReduce, 90, 0)}),
      report(3, {2, 3}, {row("a", Kind::kAllReduce, 70, 0)})};
  const std::vector<const Report*> all = {&reports[0], &reports[1], &reports[2], &reports[3]};
  const std::vector<TimeTotals> totals = timeTotals(all, TimesBy::kGroup, std::nullopt);
  REQUIRE(totals.size() == 1);
  CHECK(totals[0].group == "dp");
  CHECK(totals[0].count == 8);
  CHECK(totals[0].time.of(DurationKind::kRunning).sum_ns == 2560);
  REQUIRE(totals[0].straggler);
  CHECK(totals[0].straggler->rank == 1);
  CHECK(totals[0].straggler->late_by_ns == doctest::Approx(800));
}

TEST_CASE("nobody is late for what a root may leave early, nor alone") {
  const std::vector<Report> reports = {
      report(0, {0, 1}, {row("a", Kind::kBroadcast, 2000, 1), row("b", Kind::kAllReduce, 10, 1)}),
      report(1, {0, 1}, {row("a", Kind::kBroadcast, 400, 1)})};
  const std::vector<const Report*> all = {&reports[0], &reports[1]};
  for (const TimeTotals& totals : timeTotals(all, TimesBy::kModule, std::nullopt)) {
    CHECK_FALSE(totals.straggler);
  }
}

TEST_CASE("by module, the longest blocked first; what is not timed is left out") {
  Collective untimed;
  untimed.group = "0";
  Collective backward = row("c", Kind::kAllGather, 5, 999);
  backward.phase = Phase::kBackward;
  const Report one =
      report(0, {0, 1}, {row("a", Kind::kAllReduce, 5, 7), row("b", Kind::kAllReduce, 5, 70), untimed, backward});
  const std::vector<const Report*> all = {&one};
  const std::vector<TimeTotals> totals = timeTotals(all, TimesBy::kModule, Phase::kOther);
  REQUIRE(totals.size() == 2);
  CHECK(totals[0].module == "b");
  CHECK(totals[1].module == "a");
  CHECK(timeTotals(all, TimesBy::kModule, std::nullopt)[0].module == "c");
}

} // namespace
} // namespace commtap
