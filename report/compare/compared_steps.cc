// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/compare/compared_steps.h"

#include "report/job/job_report.h"

namespace commtap {

ComparedSteps comparedSteps(const JobReport& before, const JobReport& after) {
  const ComparedSteps steps{stepsOf(before), stepsOf(after)};
  return steps.arePerStep() && steps.most() > 1 ? steps : ComparedSteps();
}

std::string_view runsWithout(bool before_has, bool after_has) {
  return before_has && after_has ? "" : before_has ? "the run after" : after_has ? "the run before" : "both runs";
}

} // namespace commtap
