// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/job/exposed_time.h"

#include <doctest/doctest.h>

namespace commtap {
namespace {

constexpr uint64_t kMs = 1'000'000;

/// Returns a step of two ranks that took `ms` on each; 0: not completed.
JobStep step(uint64_t first_step, uint64_t steps, uint64_t ms) {
  JobStep made;
  made.first_step = first_step;
  made.steps = steps;
  made.ranks = 2;
  made.timed_ranks = ms > 0 ? 2 : 0;
  made.duration_ns.sum = 2 * steps * ms * kMs;
  made.collectives.resize(1);
  made.collectives[0].count.sum = 1;
  return made;
}

JobReport jobOf(std::vector<JobStep> steps) {
  JobReport job;
  job.processes.resize(2);
  job.processes[0].rank = 0;
  job.processes[1].rank = 1;
  job.ranks = rankRanges({0, 1});
  job.steps = std::move(steps);
  return job;
}

TimeTotals totals(const char* module, uint64_t exposed_ns, Stalls stalls) {
  TimeTotals made;
  made.module = module;
  made.group = "dp";
  made.count = 1;
  made.time.durations[static_cast<size_t>(DurationKind::kExposed)] = {1, exposed_ns, exposed_ns, exposed_ns, {}};
  made.time.stalled_in = std::move(stalls);
  return made;
}

TEST_CASE("exposed time is per rank and step, and a part of the mean step that has ended") {
  const ExposedUnit unit(jobOf({step(0, 1, 500), step(1, 1, 10), step(2, 2, 30), step(4, 1, 0)}));
  CHECK(unit.steps() == 5);
  CHECK(unit.stepNs() == doctest::Approx(570.0 / 4 * kMs));
  CHECK(unit.perRank(20 * kMs) == doctest::Approx(2 * kMs));
  CHECK(unit.perRank(20 * kMs, true) == doctest::Approx(10 * kMs));
  REQUIRE(unit.partOfStep(20 * kMs));
  CHECK(*unit.partOfStep(20 * kMs) == doctest::Approx(2 / 142.5));
  CHECK_FALSE(unit.partOfStep(5000 * kMs)); // more than the steps that have ended
}

TEST_CASE("a first step of more than twice the mean is noticed") {
  CHECK(
      ExposedUnit(jobOf({step(0, 1, 600), step(1, 1, 100), step(2, 2, 50)})).firstStepPart() ==
      doctest::Approx(600.0 / 800));
  CHECK(ExposedUnit(jobOf({step(0, 1, 190), step(1, 1, 100), step(2, 2, 50)})).firstStepPart() == 0);
  CHECK(ExposedUnit(jobOf({step(0, 2, 600), step(2, 8, 1)})).firstStepPart() == 0); // not known by itself
  CHECK(ExposedUnit(jobOf({step(0, 1, 600)})).firstStepPart() == 0);
  CHECK(ExposedUnit(jobOf({})).firstStepPart() == 0);
}

TEST_CASE("the only step counts; without a completed step there is no part of it") {
  CHECK(ExposedUnit(jobOf({step(0, 1, 500)})).partOfStep(100 * kMs) == doctest::Approx(0.1));
  CHECK_FALSE(ExposedUnit(jobOf({step(0, 1, 0)})).partOfStep(kMs));
  const ExposedUnit none(jobOf({}));
  CHECK_FALSE(none.partOfStep(kMs));
  CHECK(none.perRank(2 * kMs) == doctest::Approx(kMs));
}

TEST_CASE("set-up is not in the exposed time of steps, nor in where the job stood still") {
  TimeTotals setup = totals("Net", 40, {{{"Net", Phase::kOther}, {1, 40}}});
  setup.setup = true;
  const std::vector<TimeTotals> rows = {
      totals("Net", 60, {{{"Net", Phase::kForward}, {1, 50}}, {{"Net.a", Phase::kForward}, {1, 10}}}),
      setup,
      totals("Net.b", 90, {{{"Net.a", Phase::kForward}, {2, 90}}})};
  CHECK(exposedInSteps(totals("", 190, {}), rows) == 150);
  const std::vector<StoodStill> places = stoodStill(rows);
  REQUIRE(places.size() == 2);
  CHECK(places[0].place.module == "Net.a");
  CHECK(places[0].stall == Stall{3, 100});
  CHECK(places[0].mostly_for == &rows[2]);
  CHECK(places[1].mostly_for == &rows[0]);
}

TEST_CASE("calls without a time are noticed") {
  std::vector<TimeTotals> rows = {totals("Net", 60, {})};
  CHECK(areAllTimed(rows));
  rows[0].count = 10;
  CHECK_FALSE(areAllTimed(rows));
}

} // namespace
} // namespace commtap
