// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare/uneven_rows.h"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/unit/step_samples.h"

namespace commtap {
namespace {

using Steps = std::vector<std::map<std::string, uint64_t>>;

/// Returns `count` steps of which the first is `first` and all others are `other`.
Steps stepsOf(size_t count, std::map<std::string, uint64_t> first, const std::map<std::string, uint64_t>& other) {
  Steps steps(count, other);
  steps.front() = std::move(first);
  return steps;
}

/// Returns what UnevenRows finds in the rows of `module`.
std::optional<UnevenRows::Alike> alike(const Steps& before, const Steps& after, const std::string& module = "Net") {
  const JobReport job_before = jobOfSteps(before);
  const JobReport job_after = jobOfSteps(after);
  const ComparedSteps steps = comparedSteps(job_before, job_after);
  const auto [cells_before, cells_after] = comparableCells(job_before, job_after, steps);
  for (const auto& [key, number] : cells_before) {
    if (key.module == module) {
      return UnevenRows(job_before, job_after, steps).alike({key, {number, cells_after.at(key)}});
    }
  }
  return std::nullopt;
}

TEST_CASE("a first step that differs from the others is alike in runs of other lengths") {
  const auto more = alike(stepsOf(4, {{"Net", 3}}, {{"Net", 2}}), stepsOf(9, {{"Net", 3}}, {{"Net", 2}}));
  REQUIRE(more);
  CHECK(more->before.count == 2);
  CHECK(more->after.count == 2);
  CHECK(more->after.bytes == 16);
  CHECK(alike(stepsOf(4, {{"Net", 1}}, {{"Net", 2}}), stepsOf(9, {{"Net", 1}}, {{"Net", 2}})));
}

TEST_CASE("what is done once per run is alike, and no further step adds to it") {
  const auto once = alike(
      stepsOf(4, {{"Net", 2}, {"Once", 5}}, {{"Net", 2}}), stepsOf(9, {{"Net", 2}, {"Once", 5}}, {{"Net", 2}}), "Once");
  REQUIRE(once);
  CHECK(once->before.count == 0);
  CHECK(once->after.bytes == 0);
}

TEST_CASE("a row that was in every step is not once per run because it has as many calls in a longer run") {
  CHECK_FALSE(alike(Steps(4, {{"Net", 2}}), Steps(8, {{"Net", 1}})));
}

TEST_CASE("other calls in steady steps are a difference, also next to an evaluation that could hide them") {
  CHECK_FALSE(alike(Steps(4, {{"Net", 2}}), Steps(8, {{"Net", 3}})));
  CHECK_FALSE(alike(Steps(10, {{"Net", 24}}), Steps(20, {{"Net", 25}})));
  CHECK_FALSE(alike(
      stepsOf(10, {{"Net", 3}, {"Once", 50}}, {{"Net", 3}}), stepsOf(20, {{"Net", 2}, {"Once", 50}}, {{"Net", 2}})));
}

TEST_CASE("calls that moved to another module are a difference in both, although a step has as many") {
  const Steps before(10, {{"Net", 24}, {"Other", 24}});
  const Steps after(20, {{"Net", 23}, {"Other", 25}});
  CHECK_FALSE(alike(before, after));
  CHECK_FALSE(alike(before, after, "Other"));
}

TEST_CASE("runs of equally many steps are never alike but equal") {
  CHECK_FALSE(alike(stepsOf(4, {{"Net", 3}}, {{"Net", 2}}), stepsOf(4, {{"Net", 4}}, {{"Net", 2}})));
}

} // namespace
} // namespace commtap
