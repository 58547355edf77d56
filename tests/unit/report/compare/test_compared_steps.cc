// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare/compared_steps.h"

#include <doctest/doctest.h>

#include "tests/unit/step_samples.h"

namespace commtap {
namespace {

TEST_CASE("runs are compared per step if the steps of both are known") {
  const JobReport two = jobOfSteps({{{"Net", 1}}, {{"Net", 1}}});
  const JobReport one = jobOfSteps({{{"Net", 1}}});
  CHECK(comparedSteps(two, one) == ComparedSteps{2, 1});
  CHECK(comparedSteps(two, one).most() == 2);
  JobReport none = two;
  none.steps.clear();
  CHECK_FALSE(comparedSteps(two, none).arePerStep());
  CHECK(comparedSteps(none, two) == ComparedSteps{0, 0});
}

TEST_CASE("two runs of one step, which may be loops without a sign of a step, are compared per run") {
  const JobReport one = jobOfSteps({{{"Net", 1}}});
  CHECK(comparedSteps(one, one) == ComparedSteps{0, 0});
  CHECK(ComparedSteps{0, 0}.most() == 1);
}

TEST_CASE("the runs that lack something are named") {
  CHECK(runsWithout(true, true).empty());
  CHECK(runsWithout(false, true) == "the run before");
  CHECK(runsWithout(true, false) == "the run after");
  CHECK(runsWithout(false, false) == "both runs");
}

} // namespace
} // namespace commtap
