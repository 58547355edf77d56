// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/verify/later_findings.h"

#include <algorithm>
#include <iterator>

#include "report/verify/split_class.h"

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

/// Returns whether the update made equal parameters differ, or they always did.
bool isOfUpdate(const VerifyFinding& finding) {
  return finding.what == VerifyClass::kSameGradient || finding.what == VerifyClass::kNeverEqual;
}

/// Returns whether the fault of the first finding explains the other one too.
bool explains(const VerifyFinding& first, const VerifyFinding& other) {
  if (isOfUpdate(other)) {
    return first.what == other.what;
  }
  if (!areReplicasApart(first) && !isOfUpdate(first)) {
    return false;
  }
  if (other.what == VerifyClass::kRounding) {
    return true; // what is small next to a fault need not be rounding
  }
  if (!areReplicasApart(other)) {
    return false;
  }
  switch (other.cause) {
    case DifferenceCause::kUpdate:
      return first.what == VerifyClass::kSameGradient;
    case DifferenceCause::kGradients:
    case DifferenceCause::kAveraging:
    case DifferenceCause::kUnknown:
      return true;
    default:
      return false; // it has a cause of its own
  }
}

bool mayFollow(const VerifyFinding& first, const VerifyFinding& other) {
  const bool is_proven = first.what == VerifyClass::kDrift && other.what == VerifyClass::kDeclared;
  const bool is_weaker = first.severity < other.severity || isOfUpdate(first) || is_proven;
  const bool is_small = other.what == VerifyClass::kRounding; // a fault may show first where it is small
  const bool is_later = is_small || first.step < other.step || (first.step == other.step && is_weaker);
  return first.severity <= other.severity && first.optimizer == other.optimizer && first.sets == other.sets &&
         is_later && explains(first, other);
}

} // namespace

void foldLater(std::vector<VerifyFinding>& findings) {
  std::vector<VerifyFinding> kept;
  for (VerifyFinding& finding : findings) {
    const auto first = std::find_if(
        kept.begin(), kept.end(), [&finding](const VerifyFinding& other) { return mayFollow(other, finding); });
    if (first == kept.end()) {
      if (!isFollower(finding.severity, finding.what)) {
        kept.push_back(std::move(finding));
      }
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
