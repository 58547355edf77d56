// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/verify/faults.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <tuple>

#include "report/job/job_summary.h"

#include "report/verify/replica_faults.h"

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

namespace {

using Alike = std::tuple<
    VerifySeverity,
    VerifyClass,
    uint32_t,
    std::optional<uint64_t>,
    std::optional<uint64_t>,
    DifferenceCause,
    ReplicaEvidence,
    std::string>;

/// Returns what faults of one finding have in common. Rounding is one piece of news, whenever it is first seen.
Alike alike(const VerifyFinding& finding) {
  const bool has_steps = finding.what != VerifyClass::kRounding && finding.what != VerifyClass::kPeriodic;
  return {
      finding.severity,
      finding.what,
      finding.optimizer,
      has_steps ? finding.before : std::nullopt,
      has_steps ? finding.step : std::nullopt,
      has_steps ? finding.cause : DifferenceCause::kUnknown,
      has_steps ? finding.evidence : ReplicaEvidence::kNone,
      finding.group};
}

/// Returns the step for sorting: what is of the whole run comes last.
uint64_t firstStepOf(const VerifyFinding& finding) {
  return finding.step.value_or(std::numeric_limits<uint64_t>::max());
}

double worthOf(const VerifyFinding& finding) {
  return std::max(finding.value_distance.value_or(0), finding.gradient_distance.value_or(0));
}

void addFurther(VerifyFinding& all, const VerifyFinding& one) {
  all.value_distance = std::max(all.value_distance, one.value_distance);
  all.gradient_distance = std::max(all.gradient_distance, one.gradient_distance);
  all.last_step = std::max(all.last_step, one.last_step);
  if (one.step < all.step) { // of rounding: the first of all
    all.step = one.step;
    all.before = one.before;
  }
}

/// Returns one finding of faults with the same ranks: the parameter that is most apart first.
VerifyFinding joined(std::vector<const FoundFault*> faults) {
  std::stable_sort(faults.begin(), faults.end(), [](const FoundFault* a, const FoundFault* b) {
    return worthOf(a->finding) > worthOf(b->finding);
  });
  VerifyFinding finding = faults.front()->finding;
  finding.sets = {verifyRanksOf(faults.front()->parts)};
  for (const FoundFault* fault : faults) {
    addFurther(finding, fault->finding);
    if (!fault->parameter.empty()) {
      finding.parameters.push_back(fault->parameter);
    }
  }
  return finding;
}

/// Adds the finding to one that says the same of other ranks, if there is one.
void addToAlike(std::vector<VerifyFinding>& findings, VerifyFinding finding) {
  const auto sorted = [](std::vector<std::string> names) {
    std::sort(names.begin(), names.end());
    return names;
  };
  const auto same = std::find_if(findings.begin(), findings.end(), [&](const VerifyFinding& other) {
    return alike(other) == alike(finding) && other.parameters.size() == finding.parameters.size() &&
           sorted(other.parameters) == sorted(finding.parameters);
  });
  if (same == findings.end()) {
    findings.push_back(std::move(finding));
    return;
  }
  addFurther(*same, finding);
  same->sets.insert(same->sets.end(), finding.sets.begin(), finding.sets.end());
}

} // namespace

RankRanges rangesOf(std::vector<int64_t> ranks) {
  return rankRanges(std::move(ranks));
}

VerifyRanks verifyRanksOf(const RankParts& parts) {
  VerifyRanks ranks;
  std::vector<int64_t> all;
  for (const std::vector<int64_t>& part : parts) {
    all.insert(all.end(), part.begin(), part.end());
    if (parts.size() > 1) {
      ranks.parts.push_back(rangesOf(part));
    }
  }
  ranks.ranks = rangesOf(std::move(all));
  return ranks;
}

std::vector<VerifyFinding> groupedFaults(const std::vector<FoundFault>& faults) {
  std::map<std::pair<Alike, RankParts>, std::vector<const FoundFault*>> groups;
  for (const FoundFault& fault : faults) {
    groups[{alike(fault.finding), fault.parts}].push_back(&fault);
  }
  std::vector<VerifyFinding> findings;
  for (const auto& [key, group] : groups) {
    addToAlike(findings, joined(group));
  }
  std::stable_sort(findings.begin(), findings.end(), [](const VerifyFinding& a, const VerifyFinding& b) {
    const auto key = [](const VerifyFinding& finding, size_t parameters) {
      const bool is_weak = finding.evidence != ReplicaEvidence::kGradients;
      return std::tuple(finding.severity, firstStepOf(finding), finding.what, parameters, is_weak);
    };
    return key(a, b.parameters.size()) < key(b, a.parameters.size());
  });
  foldLater(findings);
  return findings;
}

} // namespace commtap
