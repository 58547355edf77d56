// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/verify/later_findings.h"

#include <algorithm>
#include <iterator>

namespace commtap {
namespace {

bool areReplicasApart(const VerifyFinding& finding) {
  switch (finding.what) {
    case VerifyClass::kDrift:
    case VerifyClass::kDeclared:
    case VerifyClass::kUnproven:
    case VerifyClass::kSeparate:
      return true;
    default:
      return false;
  }
}

bool mayFollow(const VerifyFinding& first, const VerifyFinding& later) {
  const bool is_cause =
      areReplicasApart(first) || first.what == VerifyClass::kSameGradient || first.what == VerifyClass::kNeverEqual;
  const bool is_own = later.cause != DifferenceCause::kGradients && later.cause != DifferenceCause::kUnknown;
  return is_cause && areReplicasApart(later) && !is_own && first.severity <= later.severity &&
         first.optimizer == later.optimizer && first.step < later.step && first.sets == later.sets;
}

} // namespace

void foldLater(std::vector<VerifyFinding>& findings) {
  std::vector<VerifyFinding> kept;
  for (VerifyFinding& finding : findings) {
    const auto first = std::find_if(
        kept.begin(), kept.end(), [&finding](const VerifyFinding& other) { return mayFollow(other, finding); });
    if (first == kept.end()) {
      kept.push_back(std::move(finding));
      continue;
    }
    first->later_step = std::min(first->later_step.value_or(*finding.step), *finding.step);
    std::move(finding.parameters.begin(), finding.parameters.end(), std::back_inserter(first->later_parameters));
  }
  for (VerifyFinding& finding : kept) {
    std::sort(finding.later_parameters.begin(), finding.later_parameters.end());
  }
  findings = std::move(kept);
}

} // namespace commtap
