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

namespace commtap {

/// The report of a job: its ranks' reports merged. docs/schema/commtap-job-2.schema.json describes each field of the
/// JSON document. The processes of a rank are added up before ranks are compared. A process without a rank counts as a
/// rank whose number is null.

/// The sum, minimum and maximum of a number over the ranks that have it.
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

/// The amounts of one row over ranks. The mean is a spread's sum divided by `ranks`.
struct RankedAmount {
  uint64_t ranks = 0; ///< ranks that have the row; min and mean exclude the others
  Spread<uint64_t> count;
  Spread<uint64_t> bytes;
  Spread<double> bus_bytes;
};

/// A module that a row covers, and its part of the row's bytes over all ranks.
struct JobMember {
  std::string module; ///< "" for the padding between parameters
  uint64_t bytes = 0;
  std::optional<uint64_t> count; ///< as in Member
  uint64_t changes = 0;          ///< as in Member

  bool operator==(const JobMember&) const = default;
};

/// The times of a row's calls, over all ranks. Bandwidths and histograms are in JobReport::module_times.
struct JobRowTime {
  uint64_t count = 0; ///< of the calls with a time; 0 if none has one
  uint64_t running_ns = 0;
  uint64_t exposed_ns = 0;
};

/// One row per distinct keyOf() (columns.h). Exclusive, as in Collective.
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
  std::string label;                ///< "" for none
  bool compiled = false;            ///< the code of a compiled graph issued it
  bool setup = false;               ///< issued before the process began its first forward
  std::vector<std::string> lowered; ///< union over all ranks, sorted
  std::vector<JobMember> members;   ///< padding last; empty unless they are known on every rank that has the row
  size_t rank_set = 0;              ///< index into JobReport::rank_sets: ranks that have the row
  RankedAmount amount;
  Splits splits;             ///< over all ranks
  uint64_t uneven_bytes = 0; ///< by which ranks have less than the busiest of their process group
  JobRowTime time;
};

/// All process groups with one description, backend and size. The four "tp" groups of a mesh are one "tp".
struct JobGroup {
  std::string name; ///< the description, else PyTorch's name; unique: the second "tp" (another size) is "tp#2"
  std::string desc; ///< "" for none
  std::string backend;
  uint32_t size = 0;                          ///< ranks per process group; 0 if not known
  std::vector<std::vector<uint32_t>> members; ///< the ranks of each used process group, sorted
  Amounts totals;                             ///< sums over ranks
  std::string mesh_dimension = {};            ///< as in Group, on every rank that used a group; "" if ranks differ
};

/// A module of the job, with sums over ranks.
struct JobModule : ModuleNode {
  size_t rank_set = 0;    ///< index into JobReport::rank_sets: the ranks that have the module
  SpreadsByPhase calls{}; ///< over the ranks that have the module
};

/// Ranks of one process group that should have made the same calls, but did not.
struct Disagreement {
  enum class What : uint8_t { // most severe first
    kOrder,                   ///< different collectives under one sequence number: a hang or wrong results
    kCount,                   ///< different numbers of calls: probably a hang or a bug
    kUnmatched,               ///< the group received more or less than it sent
    kBytes,                   ///< equal numbers of calls with different payloads
    kModule,                  ///< equal numbers of calls in the group; ranks attribute them to other modules or phases
    kStopped,                 ///< ranks were killed at different points of the same sequence
  };
  /// The call of a kOrder disagreement.
  struct Call {
    std::string module;
    std::string op;
    Kind kind = Kind::kOther;
    std::string dtype;     ///< "" for none
    std::string reduce_op; ///< "" for none
    std::optional<int64_t> root;
  };
  /// Ranks that agree with each other, and their numbers.
  struct Value {
    RankRanges ranks;
    uint64_t count = 0;            ///< calls; not set for kOrder
    std::optional<uint64_t> bytes; ///< nullopt if ranks may legitimately differ (all_to_all)
    std::optional<Call> call;      ///< only set for kOrder
  };

  What what = What::kCount;
  size_t group = 0;              ///< index into JobReport::groups
  std::vector<uint32_t> members; ///< the ranks of the process group, sorted; some may have no report
  uint64_t sequence = 0;         ///< first differing sequence number in the group, from 1; only set for kOrder
  std::string module;            ///< "" for kUnmatched and kOrder, like phase, op and reduce_op
  std::optional<Phase> phase;
  std::string op;
  Kind kind = Kind::kOther;  ///< kSend for kUnmatched; for kOrder, the kind of most ranks' call
  std::string dtype;         ///< "" for none
  std::string reduce_op;     ///< "" for none
  std::vector<Value> values; ///< largest set of ranks first; for kUnmatched, sent and received
};
template <>
struct EnumNames<Disagreement::What> : Named<Disagreement::What> {
  static constexpr const char* kHelp = "What ranks disagree about.";
  static constexpr auto kNames =
      std::to_array<std::string_view>({"order", "count", "unmatched", "bytes", "module", "stopped"});
};
inline constexpr int kDisagreementKinds = EnumNames<Disagreement::What>::kCount;
inline constexpr auto disagreementName = EnumNames<Disagreement::What>::name;
inline constexpr auto disagreementFromName = EnumNames<Disagreement::What>::fromName;

/// A process whose report was merged.
struct JobProcess {
  std::optional<int64_t> rank;
  std::string host;
  uint64_t pid = 0;
  uint64_t started_at_ns = 0;          ///< CLOCK_REALTIME
  std::optional<uint64_t> ended_at_ns; ///< CLOCK_REALTIME
  ExitKind exit = ExitKind::kRunning;
  std::optional<int64_t> exit_signal;
  std::string file; ///< path of its report; relative to JobReport::source if below it
  AmountsByKind totals{};
  uint64_t last_activity_ns = 0; ///< CLOCK_REALTIME, of its last event
  std::optional<int64_t> exit_status;
};

struct JobTotal {
  PhaseKind key;
  RankedAmount amount;
};

/// The amounts of one kind in one group in a step, or in several steps added up.
struct JobStepAmount {
  Kind kind = Kind::kOther;
  size_t group = 0;   ///< index into JobReport::groups
  uint64_t ranks = 0; ///< ranks with any; the spreads exclude the others
  Spread<uint64_t> count;
  Spread<uint64_t> bytes;
  Spread<uint64_t> running_ns;
  Spread<uint64_t> exposed_ns;
};

struct JobStep {
  uint64_t first_step = 0;
  uint64_t steps = 1;           ///< steps that are added up
  uint64_t ranks = 0;           ///< ranks that have this row
  uint64_t timed_ranks = 0;     ///< ranks that have completed the steps
  Spread<uint64_t> duration_ns; ///< sum over `steps`, over `timed_ranks`
  std::vector<JobStepAmount> collectives;
  std::optional<uint64_t> forward_passes = {};  ///< the most of any rank; nullopt if not known
  std::optional<uint64_t> backward_passes = {}; ///< the most of any rank; nullopt if not known
  uint64_t closure_passes = 0;                  ///< the most of any rank
  std::optional<uint64_t> training_steps = {};  ///< those of `steps` that trained; nullopt for none
};

/// Calls of one NCCL function. Min and mean exclude the ranks without calls.
struct RankedNcclCalls {
  uint64_t ranks = 0;
  Spread<uint64_t> count;
  Spread<uint64_t> failed;
  Spread<uint64_t> bytes;
};

/// One row per distinct (function, op, group, module, phase, dtype).
struct JobNcclCall {
  std::string function;
  std::string op;              ///< "" for a call without a collective
  std::optional<size_t> group; ///< index into JobReport::groups; nullopt for no group
  std::string module;
  Phase phase = Phase::kOther;
  std::string dtype;   ///< "" for none
  size_t rank_set = 0; ///< index into JobReport::rank_sets: ranks that have the row
  RankedNcclCalls calls;
};

struct JobNcclVersion {
  std::string version; ///< "" if not known
  RankRanges ranks;    ///< ranks that use it
};

struct JobNccl {
  uint64_t processes = 0;     ///< processes that called NCCL
  uint64_t communicators = 0; ///< counted once per process that has it
  std::vector<JobNcclVersion> versions;
  std::vector<JobNcclCall> calls; ///< the calls of collectives first; by op, group, function, module
};

struct JobReport {
  /// These are defined in the source, because dozens of sources would else compile them, with those of all members.
  JobReport();
  JobReport(const JobReport&);
  JobReport(JobReport&&) noexcept;
  JobReport& operator=(const JobReport&);
  JobReport& operator=(JobReport&&) noexcept;
  ~JobReport();

  std::string run_id;
  std::string name;              ///< for people; "" if the run has none
  int64_t attempt = 0;           ///< the merged attempt
  std::vector<int64_t> attempts; ///< all attempts found, ascending
  std::optional<int64_t> world_size;
  uint64_t started_at_ns = 0;          ///< CLOCK_REALTIME, first process
  std::optional<uint64_t> ended_at_ns; ///< CLOCK_REALTIME, last process; nullopt if a process has no end
  std::string torch_version;           ///< of the first process; "" if not known
  std::string commtap_version;         ///< of the first process
  std::vector<std::string> argv;       ///< command line of the first process; empty if its report has none
  bool planned = false;                ///< made by `commtap plan`: nothing was communicated
  uint64_t other_runs = 0;             ///< other runs in the folder, not merged
  std::string source;                  ///< the merged folder or file, or the hosts

  RankRanges ranks;                        ///< ranks with a report
  RankRanges missing;                      ///< ranks without a report; empty if the world size is not known
  std::vector<Disagreement> disagreements; ///< most severe first; at most kMaxDisagreements
  uint64_t disagreements_found = 0;        ///< number found, including those beyond kMaxDisagreements
  std::vector<NotSeenSummary> not_seen;
  std::vector<std::string> problems; ///< one line per file that could not be read
  std::vector<std::string> copies;   ///< one line per file that was not counted again; not part of the document

  std::vector<JobTotal> totals;           ///< by phase and kind
  std::vector<JobGroup> groups;           ///< by bytes, largest first
  std::vector<RankRanges> rank_sets;      ///< distinct sets of ranks, which rows refer to
  std::vector<JobModule> modules;         ///< Global first, then depth first: children follow their parent
  std::vector<JobCollective> collectives; ///< in the order of modules, then by phase, op, group
  std::vector<JobStep> steps;             ///< in order
  std::vector<JobStep> outside_steps;     ///< if ranks train: what they did before each step without training
  std::vector<TimeTotals> group_times;    ///< by kind and group, longest exposed first; empty if nothing is timed
  std::vector<TimeTotals> module_times;   ///< by module, label, set-up, kind and group; empty if nothing is timed
  std::optional<JobNccl> nccl;            ///< nullopt if no rank called NCCL
  std::vector<JobProcess> processes;      ///< by rank and pid; processes without a rank last
};

/// Returns the sums over ranks.
Amount sumOf(const RankedAmount& amount);

/// Returns the job's sums over ranks by phase and kind.
Amounts amountsOf(const JobReport& job);

inline constexpr size_t kMaxDisagreements = 1000;

/// Returns the disagreements that mean a hang or a bug; they come first in the list. The others are differences in how
/// ranks attribute the same calls, and in how far killed ranks came.
std::span<const Disagreement> seriousDisagreements(const JobReport& job);

/// Returns how the processes ended, with the ranks of each end.
std::vector<ExitSummary> exitsOf(const JobReport& job);
/// Returns the number of processes without a rank.
size_t unrankedOf(const JobReport& job);
/// Returns whether a process still runs, as far as is known.
bool isRunning(const JobReport& job);
/// Returns whether a signal or an error ended a process.
bool hasEndedBadly(const JobReport& job);
/// Returns whether the ranks may yet agree, if the job runs: they differ briefly in all but the order of their calls.
bool mayYetAgree(const Disagreement& disagreement, bool runs);

/// Processes of one rank: its numbers are their sums.
struct ProcessesOfRank {
  uint64_t count = 1;  ///< the most of any rank
  bool follow = false; ///< one began when another had ended, as in a sweep; else only those that communicated count
};
ProcessesOfRank processesOfRank(const JobReport& job);

/// Returns the number of ranks of a job, at least 1. A process without a rank is one, as in the sums.
uint64_t rankCount(const JobReport& job);

/// Returns the number of steps of a job's longest rank. If any step trained, these are the steps in which an optimizer
/// stepped, or which what was taken for its sign ended; what is outside of them is no step. In a job that only
/// evaluates, a step that no rank has completed counts only if it communicated.
uint64_t stepsOf(const JobReport& job);

/// Returns the row of the training step that a job was in when it was read, or ended badly: its calls are in the rows
/// of the job, and stepsOf() does not count it. Returns nullptr if it communicated nothing, or the job ended well: what
/// follows its last step is then no step.
const JobStep* unfinishedStep(const JobReport& job);

/// A row of a job's steps, and how many of these steps train.
struct StepsThatTrain {
  const JobStep* row = nullptr;
  uint64_t training = 0;
};

/// Returns the rows of the steps that stepsOf() counts, and of what is outside of them, in order. Ranks that made other
/// numbers of steps may have rows for steps that an earlier row has: it leaves these out.
std::vector<StepsThatTrain> trainingSteps(const JobReport& job);

/// Returns the names of the numbers whose sums over the job's ranks do not fit into 64 bits.
std::vector<std::string> saturatedSums(const JobReport& job);

/// Returns the line that reports such a sum to a user; `source` is the folder or file of the numbers.
std::string saturatedLine(const std::string& source, const std::string& number);

/// Returns whether a compiler merged the row's calls from those of its members.
inline bool isMerged(const JobCollective& row) {
  return !row.members.empty() && row.members.front().count.has_value();
}

} // namespace commtap
