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

} // namespace
} // namespace commtap
