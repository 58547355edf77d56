// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/model/amounts.h"

#include <doctest/doctest.h>

#include "tests/unit/samples.h"

namespace commtap {
namespace {

TEST_CASE("amounts are summed by phase and kind") {
  const Amounts amounts = {
      {{Phase::kForward, Kind::kAllReduce}, {1, 10, 15}},
      {{Phase::kBackward, Kind::kAllReduce}, {2, 20, 30}},
      {{Phase::kForward, Kind::kBroadcast}, {4, 40, 40}},
  };
  CHECK(sumOf(amounts, {}, {}) == Amount{7, 70, 85});
  CHECK(sumOf(amounts, Phase::kForward, {}) == Amount{5, 50, 55});
  CHECK(sumOf(amounts, {}, Kind::kAllReduce) == Amount{3, 30, 45});
  CHECK(sumOf(amounts, Phase::kRecompute, Kind::kAllReduce) == Amount{});
}

TEST_CASE("a step's amounts are summed over kinds and groups") {
  Step step;
  step.collectives = {{Kind::kAllReduce, "0", 2, 20, 3, 4}, {Kind::kBroadcast, "1", 1, 10, 5, 6}};
  const StepAmount sum = sumOf(step);
  CHECK(sum.count == 3);
  CHECK(sum.bytes == 30);
  CHECK(sum.running_ns == 8);
  CHECK(sum.exposed_ns == 10);
}

TEST_CASE("a group is the n-th of its title and ranks, by whatever name the report has for it") {
  const auto made = [](const std::string& name, const std::string& desc, std::vector<uint32_t> ranks) {
    return Group{name, desc, "gloo", static_cast<uint32_t>(ranks.size()), std::move(ranks)};
  };
  const auto textOf = [](const std::vector<Group>& groups) {
    std::string text;
    for (const GroupIdentity& identity : identitiesOf(groups)) {
      text += identity.title + "/" + std::to_string(identity.nth) + " ";
    }
    return text;
  };
  CHECK(textOf({made("0", "default_pg", {0, 1}), made("0#2", "default_pg", {0, 1})}) == "default_pg/1 default_pg/2 ");
  CHECK(textOf({made("1", "undefined", {0, 1}), made("1#2", "", {0, 2}), made("1#3", "", {0, 1})}) == "1/1 1/1 1/2 ");
  CHECK(textOf({made("1", "undefined", {0, 2})}) == "1/1 ");
  CHECK(textOf({made("1", "mesh_dp", {0, 2}), made("2", "mesh_dp", {0, 2})}) == "mesh_dp/1 mesh_dp/2 ");
  CHECK(textOf({made("a#b", "", {0}), made("#", "", {0})}) == "a#b/1 #/1 ");
}

TEST_CASE("a process that trains makes the steps that train, and others those that have ended or communicate") {
  Report report;
  report.steps = {Step{0, 6, 1, 2}, Step{6, 1, 2, 3}, Step{7, 1, 3}};
  CHECK(stepsOf(report) == 7);
  CHECK(endedSteps(report) == 7);
  report.steps[2].collectives = {{Kind::kAllReduce, "0", 1, 8}};
  CHECK(stepsOf(report) == 8);
  report.steps[1].training_steps = 1;
  CHECK(stepsOf(report) == 1);
  CHECK(placesOf(report.steps) == std::vector<StepPlace>{{0, 0}, {0, 1}, {1, 0}});
  report.steps[2].training_steps = 1; // an optimizer has stepped, and no forward has ended the step
  CHECK(stepsOf(report) == 2);
  CHECK(endedSteps(report) == 2);
}

TEST_CASE("sums stay at the largest number instead of wrapping") {
  Amount sum{UINT64_MAX - 1, 5, 1};
  sum += {2, UINT64_MAX, 1};
  CHECK(sum == Amount{UINT64_MAX, UINT64_MAX, 2});
  Step step;
  step.collectives = {{Kind::kAllReduce, "0", UINT64_MAX, UINT64_MAX}, {Kind::kAllReduce, "1", 1, 1}};
  CHECK(sumOf(step).count == UINT64_MAX);
  CHECK(sumOf(step).bytes == UINT64_MAX);
}

Collective row(const char* module, Kind kind, uint64_t running_ns, uint64_t exposed_ns) {
  Collective made;
  made.module = module;
  made.kind = kind;
  made.group = "0";
  made.count = 2;
  made.time.durations[static_cast<size_t>(DurationKind::kRunning)] = {2, running_ns, 1, running_ns, {{1, 2}}};
  made.time.durations[static_cast<size_t>(DurationKind::kExposed)] = {2, exposed_ns, 1, exposed_ns, {{1, 2}}};
  return made;
}

Report report(int64_t rank, std::vector<uint32_t> members, std::vector<Collective> rows) {
  Report made;
  made.job.rank = rank;
  made.groups = {{"0", "dp", "gloo", 2, std::move(members), 0, 0}};
  made.collectives = std::move(rows);
  return made;
}

std::vector<TimeTotals>
totalsOf(const std::vector<Report>& reports, TimesBy by, std::optional<Phase> phase = std::nullopt) {
  TimeSums sums(by, phase);
  for (const Report& report : reports) {
    sums.add(report);
    sums.endRank(report.job.rank);
  }
  return sums.take();
}

TEST_CASE("the straggler is the rank with the shortest running time, per process group") {
  const std::vector<Report> reports = {
      report(0, {0, 1}, {row("a", Kind::kAllReduce, 2000, 100)}),
      report(1, {0, 1}, {row("a", Kind::kAllReduce, 400, 10)}),
      report(2, {2, 3}, {row("a", Kind::kAllReduce, 90, 0)}),
      report(3, {2, 3}, {row("a", Kind::kAllReduce, 70, 0)})};
  const std::vector<TimeTotals> totals = totalsOf(reports, TimesBy::kGroup);
  REQUIRE(totals.size() == 1);
  CHECK(totals[0].group == "dp");
  CHECK(totals[0].count == 8);
  CHECK(totals[0].time.of(DurationKind::kRunning).sum_ns == 2560);
  REQUIRE(totals[0].straggler);
  CHECK(totals[0].straggler->rank == 1);
  CHECK(totals[0].straggler->late_by_ns == doctest::Approx(800));
}

TEST_CASE("kinds that ranks can leave early and groups of one rank have no straggler") {
  const std::vector<Report> reports = {
      report(0, {0, 1}, {row("a", Kind::kBroadcast, 2000, 1), row("b", Kind::kAllReduce, 10, 1)}),
      report(1, {0, 1}, {row("a", Kind::kBroadcast, 400, 1)})};
  for (const TimeTotals& totals : totalsOf(reports, TimesBy::kModule)) {
    CHECK_FALSE(totals.straggler);
  }
}

TEST_CASE("exposed time is a wait for later ranks as far as the collectives ran longer than on the last one") {
  const auto causes = [](uint64_t exposed_ns, uint64_t last_exposed_ns) {
    return totalsOf(
               {report(0, {0, 1}, {row("a", Kind::kAllReduce, 2000, exposed_ns)}),
                report(1, {0, 1}, {row("a", Kind::kAllReduce, 400, last_exposed_ns)})},
               TimesBy::kGroup)
        .at(0)
        .causes;
  };
  REQUIRE(causes(2000, 400));
  CHECK(causes(2000, 400)->late_peer_ns == 1600);
  CHECK(causes(2000, 400)->network_ns == 800);
  CHECK(causes(300, 0)->late_peer_ns == 0); // the rank computed while the other one was late
  CHECK(causes(300, 0)->network_ns == 300);
  CHECK(causes(5000, 0)->late_peer_ns == 1600); // it also waited for a thread of the backend
  CHECK_FALSE(causes(0, 0));
}

TEST_CASE("the causes of exposed time are not known where ranks cannot be compared") {
  const Report first = report(0, {0, 1}, {row("a", Kind::kAllReduce, 2000, 50)});
  const auto causes = [&](Collective second, TimesBy by) {
    return totalsOf({first, report(1, {0, 1}, {std::move(second)})}, by).at(0).causes;
  };
  CHECK(causes(row("a", Kind::kAllReduce, 10, 5), TimesBy::kGroup));
  CHECK_FALSE(causes(row("a", Kind::kAllReduce, 10, 5), TimesBy::kModule));
  Collective sampled = row("a", Kind::kAllReduce, 10, 5);
  sampled.count = 20;
  CHECK_FALSE(causes(sampled, TimesBy::kGroup));
  Collective fewer = row("a", Kind::kAllReduce, 10, 5);
  fewer.count = fewer.time.durations[static_cast<size_t>(DurationKind::kRunning)].count = 1;
  CHECK_FALSE(causes(fewer, TimesBy::kGroup));
  CHECK_FALSE(totalsOf({first}, TimesBy::kGroup).at(0).causes);
  const Report early = report(0, {0, 1}, {row("a", Kind::kBroadcast, 2000, 50)});
  CHECK_FALSE(totalsOf({early, early}, TimesBy::kGroup).at(0).causes);
}

TEST_CASE("TimeSums by module keeps labels and set-up apart, by group it does not") {
  Collective labelled = row("Global", Kind::kAllReduce, 5, 70);
  labelled.label = "val_metric";
  Collective setup = row("Global", Kind::kAllReduce, 5, 7);
  setup.setup = true;
  const std::vector<Report> one = {report(0, {0, 1}, {labelled, setup, row("Global", Kind::kAllReduce, 5, 700)})};
  const std::vector<TimeTotals> totals = totalsOf(one, TimesBy::kModule);
  REQUIRE(totals.size() == 3);
  CHECK(totals[1].label == "val_metric");
  CHECK(totals[2].setup);
  REQUIRE(totalsOf(one, TimesBy::kGroup).size() == 1);
  CHECK(totalsOf(one, TimesBy::kGroup)[0].label.empty());
}

TEST_CASE("TimeSums by module sorts by exposed time and leaves out untimed rows") {
  Collective untimed;
  untimed.group = "0";
  Collective backward = row("c", Kind::kAllGather, 5, 999);
  backward.phase = Phase::kBackward;
  const std::vector<Report> one = {
      report(0, {0, 1}, {row("a", Kind::kAllReduce, 5, 7), row("b", Kind::kAllReduce, 5, 70), untimed, backward})};
  const std::vector<TimeTotals> totals = totalsOf(one, TimesBy::kModule, Phase::kOther);
  REQUIRE(totals.size() == 2);
  CHECK(totals[0].module == "b");
  CHECK(totals[1].module == "a");
  CHECK(totalsOf(one, TimesBy::kModule)[0].module == "c");
}

TEST_CASE("TimeSums joins the processes of a rank; a process without a rank is never the straggler") {
  Report first = report(0, {0, 1}, {row("a", Kind::kAllReduce, 100, 1)});
  Report more = report(0, {0, 1}, {row("a", Kind::kAllReduce, 900, 1)});
  Report second = report(1, {0, 1}, {row("a", Kind::kAllReduce, 400, 1)});
  Report without = report(2, {0, 1}, {row("a", Kind::kAllReduce, 2, 1)});
  TimeSums sums(TimesBy::kGroup);
  sums.add(first);
  sums.add(more);
  sums.endRank(0);
  sums.add(second);
  sums.endRank(1);
  sums.add(without);
  sums.endRank(std::nullopt);
  const std::vector<TimeTotals> totals = sums.take();
  REQUIRE(totals.size() == 1);
  REQUIRE(totals[0].straggler);
  CHECK(totals[0].straggler->rank == 1);
  CHECK(totals[0].straggler->late_by_ns == doctest::Approx(50)); // the means are 250 and 200
  CHECK(sums.take().empty());
}

} // namespace
} // namespace commtap
