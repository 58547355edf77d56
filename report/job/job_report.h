// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/job/job_summary.h"
#include "report/model/amounts.h"
#include "report/model/module_tree.h"
#include "report/model/time_sums.h"

namespace commtap {

/// The report of a whole job: the reports of its ranks made one, as the JSON document holds it
/// (docs/schema/commtap-job-1.schema.json describes each field). A rank's processes are added up before ranks are
/// compared; a process without a rank counts as a rank of its own, whose number is null.

/// One number over the ranks that have it.
template <typename T>
struct Spread {
  T sum{};
  T min{};
  T max{};
  std::optional<int64_t> min_rank; ///< the lowest rank that has the smallest number; nullopt: a process without a rank
  std::optional<int64_t> max_rank;
};

/// Spreads by Phase.
using SpreadsByPhase = std::array<Spread<uint64_t>, kPhaseCount>;

/// Amounts by Kind.
using AmountsByKind = std::array<Amount, kKindCount>;

/// What ranks counted of one thing. The mean is a spread's sum divided by `ranks`.
struct RankedAmount {
  uint64_t ranks = 0; ///< how many ranks have it; the others have nothing, which is not in min and mean
  Spread<uint64_t> count;
  Spread<uint64_t> bytes;
  Spread<double> bus_bytes;
};

/// One row a distinct (module, phase, op, kind, group, dtype, reduce_op, async, issued_in). Exclusive, as in
/// Collective.
struct JobCollective {
  std::string module;
  std::string issued_in;
  Phase phase = Phase::kOther;
  std::string op;
  Kind kind = Kind::kOther;
  size_t group = 0;      ///< index into JobReport::groups
  std::string dtype;     ///< "" for none
  std::string reduce_op; ///< "" for none
  AsyncOp async_op = AsyncOp::kUnknown;
  std::vector<std::string> lowered; ///< of all ranks together, sorted
  size_t rank_set = 0;              ///< index into JobReport::rank_sets: who has the row
  RankedAmount amount;
};

/// All process groups of one description, backend and size: the four "tp" groups of a mesh are one "tp".
struct JobGroup {
  std::string name; ///< the description, else PyTorch's name; unique: the second "tp" (another size) is "tp#2"
  std::string desc; ///< "" for none
  std::string backend;
  uint32_t size = 0;                          ///< ranks in each of them; 0 if it is not known
  std::vector<std::vector<uint32_t>> members; ///< the ranks of each that was used, sorted
  Amounts totals;                             ///< sums over ranks
};

/// A module of the job, with sums over ranks.
struct JobModule : ModuleNode {
  size_t rank_set = 0;    ///< index into JobReport::rank_sets: the ranks that have the module
  SpreadsByPhase calls{}; ///< over the ranks that have the module
};

/// Ranks of one process group that should have done the same, and did not.
struct Disagreement {
  enum class What : uint8_t { // the worst first
    kOrder,                   ///< another collective under the same number: a hang, or wrong results
    kCount,                   ///< different numbers of calls: likely a hang or a bug
    kUnmatched,               ///< not as much received as sent in the group
    kBytes,                   ///< the same number of calls, of different payload
    kModule, ///< the group's calls agree in number, but ranks made them for different modules or in different phases
  };
  /// What ranks called.
  struct Call {
    std::string module;
    std::string op;
    Kind kind = Kind::kOther;
    std::string dtype; ///< "" for none
  };
  /// Ranks that agree with each other.
  struct Value {
    RankRanges ranks;
    uint64_t count = 0;            ///< calls; not of kOrder
    std::optional<uint64_t> bytes; ///< nullopt where ranks may rightly differ (all_to_all)
    std::optional<Call> call;      ///< of kOrder alone
  };

  What what = What::kCount;
  size_t group = 0;              ///< index into JobReport::groups
  std::vector<uint32_t> members; ///< the ranks of the one process group, sorted; some may have no report
  uint64_t sequence = 0;         ///< of kOrder alone: the first number in the group at which ranks differ, from 1
  std::string module;            ///< "" for kUnmatched and kOrder, as are phase, op and reduce_op
  std::optional<Phase> phase;
  std::string op;
  Kind kind = Kind::kOther;  ///< send for kUnmatched; for kOrder what most ranks called
  std::string dtype;         ///< "" for none
  std::string reduce_op;     ///< "" for none
  std::vector<Value> values; ///< what most ranks have first; for kUnmatched two: what was sent, what was received
};
inline constexpr int kDisagreementKinds = 5;
std::string_view disagreementName(Disagreement::What what);
std::optional<Disagreement::What> disagreementFromName(std::string_view name);

/// A process whose report is part of the job's.
struct JobProcess {
  std::optional<int64_t> rank;
  std::string host;
  uint64_t pid = 0;
  uint64_t started_at_ns = 0;          ///< CLOCK_REALTIME
  std::optional<uint64_t> ended_at_ns; ///< CLOCK_REALTIME
  ExitKind exit = ExitKind::kRunning;
  std::optional<int64_t> exit_signal;
  std::string file; ///< where its report was read; relative to JobReport::source if it lies below that
  AmountsByKind totals{};
};

struct JobTotal {
  PhaseKind key;
  RankedAmount amount;
};

/// What ranks communicated of one kind in one group in a step, or in several that are added up.
struct JobStepAmount {
  Kind kind = Kind::kOther;
  size_t group = 0;   ///< index into JobReport::groups
  uint64_t ranks = 0; ///< how many ranks have any; the others are not in the spreads
  Spread<uint64_t> count;
  Spread<uint64_t> bytes;
  Spread<uint64_t> running_ns;
  Spread<uint64_t> blocked_ns;
};

struct JobStep {
  uint64_t first_step = 0;
  uint64_t steps = 1;           ///< how many are added up
  uint64_t ranks = 0;           ///< how many ranks have this row
  uint64_t timed_ranks = 0;     ///< of which have ended it
  Spread<uint64_t> duration_ns; ///< of these ranks, over all `steps`
  std::vector<JobStepAmount> collectives;
};

/// Calls of one function of NCCL; the ranks that never made one have nothing, which is not in min and mean.
struct RankedNcclCalls {
  uint64_t ranks = 0;
  Spread<uint64_t> count;
  Spread<uint64_t> failed;
  Spread<uint64_t> bytes;
};

/// One row a distinct (function, op, group, module, phase, dtype).
struct JobNcclCall {
  std::string function;
  std::string op;              ///< "" for a call that no collective makes
  std::optional<size_t> group; ///< index into JobReport::groups; nullopt for none
  std::string module;
  Phase phase = Phase::kOther;
  std::string dtype;   ///< "" for none
  size_t rank_set = 0; ///< index into JobReport::rank_sets: who has the row
  RankedNcclCalls calls;
};

struct JobNcclVersion {
  std::string version; ///< "" if it did not tell
  RankRanges ranks;    ///< that use it
};

struct JobNccl {
  uint64_t processes = 0;     ///< that called it
  uint64_t communicators = 0; ///< counted in each process that has it
  std::vector<JobNcclVersion> versions;
  std::vector<JobNcclCall> calls; ///< those of collectives first; by op, group, function, module
};

struct JobReport {
  std::string run_id;
  int64_t attempt = 0;           ///< the one that is reported
  std::vector<int64_t> attempts; ///< all that were found, ascending
  std::optional<int64_t> world_size;
  uint64_t started_at_ns = 0;          ///< CLOCK_REALTIME, of the first process
  std::optional<uint64_t> ended_at_ns; ///< CLOCK_REALTIME, of the last one; nullopt if one has no end
  std::string torch_version;           ///< of the first process; "" if it is not known
  std::string commtap_version;         ///< of the first process
  uint64_t other_runs = 0;             ///< runs in the same folder that were left out
  std::string source;                  ///< the folder or file that was merged

  RankRanges ranks;                        ///< those with a report
  RankRanges missing;                      ///< those without; empty if the world size is not known
  std::vector<Disagreement> disagreements; ///< the worst first; at most kMaxDisagreements
  uint64_t disagreements_found = 0;        ///< of which `disagreements` are the worst
  std::vector<NotSeenSummary> not_seen;
  std::vector<std::string> problems; ///< one line for each file that could not be read

  std::vector<JobTotal> totals;           ///< by phase and kind
  std::vector<JobGroup> groups;           ///< most bytes first
  std::vector<RankRanges> rank_sets;      ///< sets of ranks that several rows have in common
  std::vector<JobModule> modules;         ///< Global first, then depth first: children follow their parent
  std::vector<JobCollective> collectives; ///< in the order of modules, then by phase, op, group
  std::vector<JobStep> steps;             ///< in order
  std::vector<TimeTotals> group_times;    ///< by kind and group, the longest blocked first; empty if nothing is timed
  std::vector<TimeTotals> module_times;   ///< by module, kind and group; likewise
  std::optional<JobNccl> nccl;            ///< nullopt if no rank called NCCL
  std::vector<JobProcess> processes;      ///< by rank and pid, those without a rank last
};

/// Returns the job's sums over ranks by phase and kind.
Amounts amountsOf(const JobReport& job);

inline constexpr size_t kMaxDisagreements = 1000;

/// Of the disagreements in the list those that mean a hang or a bug; they come first. The others may be only the way in
/// which ranks attribute the same calls.
std::span<const Disagreement> seriousDisagreements(const JobReport& job);

/// Returns the ranks of the job, those missing, and how each process ended.
JobSummary summaryOf(const JobReport& job);

} // namespace commtap
