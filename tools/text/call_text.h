// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "report/job/job_report.h"
#include "report/model/model.h"
#include "report/model/rank_ranges.h"
#include "tools/text/table.h"
#include "tools/text/text.h"

namespace commtap {

/// A collective that a rank issued, with the facts that identify it outside its report.
struct LastRow {
  std::optional<int64_t> rank;
  std::string group_title;
  LastCollective call;
  std::string state;    ///< as lastStateText()
  std::string run = {}; ///< "" if all rows are of one run
};

/// Calls of `Report::last`.
using CallSet = std::set<const LastCollective*>;

/// Returns the newest calls that isPassed() finds: the ranks that made them wait for no other rank in them.
CallSet passedCalls(std::span<const Report* const> reports);

/// Returns the state of a call of `report.last` in words for people: `waiting` or `may be waiting` for a call that has
/// returned while its caller waits, unless it is in `passed`.
std::string lastStateText(const Report& report, const LastCollective& call, const CallSet& passed);

/// Returns the newest `most` of the report's last collectives, oldest first.
std::vector<LastRow> lastRows(const Report& report, size_t most, const CallSet& passed);

/// Returns "rank 3", or a phrase for a process without a rank.
std::string rankName(const std::optional<int64_t>& rank);

/// Returns "all_reduce of 4.00 KiB for MLP.net1 (backward)".
std::string collectiveText(const LastCollective& last);

/// A collective of some ranks.
struct RankCall {
  RankRanges ranks;
  LastCollective call;
};

/// A process group whose ranks issued different collectives under one sequence number: a hang or wrong results.
struct SequenceMismatch {
  std::string group_title;
  uint64_t sequence = 0;       ///< first differing sequence number
  std::vector<RankCall> calls; ///< one per distinct call, that of most ranks first
};

/// Returns the mismatches that `commtap why` finds among the ranks of the newest run. Sends and receives are left out:
/// without a verdict on the whole job it is not known which of them meet.
std::vector<SequenceMismatch> sequenceMismatches(std::span<const Report* const> reports);

/// Returns one paragraph per group whose ranks issued different collectives under one sequence number; "" if there are
/// none.
std::string mismatchText(std::span<const SequenceMismatch> mismatches, const Color& color);

/// Returns the table of the last collectives.
std::string lastText(std::span<const LastRow> rows, const Color& color);

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

/// Returns the lines of the disagreements, with a title for each sort; "" for none.
std::string disagreementLines(const JobReport& job, const Color& color);

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
