// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/job/job_report.h"
#include "tools/text/text.h"

namespace commtap {

/// Returns inert text: "all_reduce in MLP.net1 (backward) on mesh_tp of ranks 0-3: 12 calls on ranks 0-1, 3; 11 on rank
/// 2".
std::string disagreementText(const Disagreement& disagreement, const JobReport& job);

/// Disagreements that differ only in their ranks: one, with all ranks.
struct DisagreementBundle {
  Disagreement disagreement;
  size_t groups = 1; ///< process groups that disagree alike
};
/// Returns the bundles in the order of their first disagreement.
std::vector<DisagreementBundle> bundled(std::span<const Disagreement> disagreements);
/// Returns the text of the disagreement, with the number of process groups.
std::string disagreementText(const DisagreementBundle& bundle, const JobReport& job);

/// Returns ", float32, sum, root 1": the facts, besides kind and payload, in which the ranks of a group must agree.
template <typename Call>
std::string factsText(const Call& call) {
  const std::string root = call.root ? "root " + std::to_string(*call.root) : "";
  std::string text;
  for (const std::string& fact : {call.dtype, call.reduce_op, root}) {
    text += fact.empty() ? "" : ", " + inert(fact);
  }
  return text;
}

/// Returns "rank 2" or "ranks 0-1, 3".
std::string ranksText(const RankRanges& ranks);

} // namespace commtap
