// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/advice/advice.h"
#include "report/job/job_report.h"
#include "report/model/amounts.h"
#include "tools/text/table.h"

namespace commtap {

/// The mean of rows per rank and step.
struct Mean {
  double calls = 0;
  double bytes = 0;

  Mean& operator+=(const Mean& other) {
    calls += other.calls;
    bytes += other.bytes;
    return *this;
  }
};

/// Divides the sums of a job by its ranks, and by its training steps if it has any. Set-up is per rank and run.
class Means {
 public:
  explicit Means(const JobReport& job);

  uint64_t steps() const {
    return steps_;
  }
  uint64_t ranks() const {
    return ranks_;
  }
  /// Returns the words that say that the numbers include calls that no step made; "" if they do not.
  const std::string& outside() const {
    return outside_;
  }
  /// Returns whether all is one step that was not seen to end: it may be a loop without a sign of a step.
  bool isOneOpenStep() const {
    return steps_ == 1 && !has_ended_;
  }
  void add(const JobCollective& row, Mean& mean) const;
  /// Returns what the job communicated before its first forward, per rank.
  Mean setupOf(const JobReport& job) const;

 private:
  uint64_t steps_;
  uint64_t ranks_;
  std::string outside_;
  bool has_ended_;
};

/// How the calls of several rows are spread over the ranks of a job: a mean over ranks that differ is no rank's number.
class CallSpread {
 public:
  void add(const JobCollective& row, const JobReport& job);

  /// Returns "1 on 1 of 2 ranks", "3 to 4", or "ranks differ" if no more is known; "" if all ranks make as many calls,
  /// or if a process has no rank. `steps`: by how many calls are divided.
  std::string text(const JobReport& job, uint64_t steps) const;

 private:
  using RanksByCalls = std::map<int64_t, size_t>;
  RanksByCalls evenCalls(const RankRanges& all) const;

  std::map<int64_t, int64_t> changes_; ///< of the calls at a rank, against the rank before it; without uneven rows
  std::vector<const JobCollective*> uneven_;
  bool has_unranked_ = false;
};

/// Returns "Per rank and step: all but set-up, divided by 4 ranks and 10 steps", the unit of all means but set-up.
std::string unitText(const Means& means);

/// Returns what the run communicated before its first forward; "" for nothing.
std::string setupText(const JobReport& job, const Means& means);

/// Whether numbers are sums over a run, of which ranks may be missing, or means over its ranks, or of one process.
enum class Scope : uint8_t { kRun, kRanks, kProcess };

/// Returns the lines above a job's numbers: the run, the ranks and those missing, how ranks ended unless it was
/// normally, and what commtap did not see.
std::string headerText(const JobReport& job, const Color& color);
std::string headerText(const JobReport& job, Scope scope, const Color& color);

/// Returns "3 other runs left out (commtap list, --run ID)".
std::string leftOutText(uint64_t runs);

/// Returns how processes ended: "killed after the launcher sent SIGTERM; ..."; "" if they ended normally.
std::string endText(const ExitSummary& exit);
/// Returns a line for each end of a run by a failure or a signal: fewer numbers may be due to it.
std::vector<std::string> badEnds(const std::vector<const JobReport*>& jobs);
/// Returns the ranks of one ending and how they ended: "rank 0-3: killed ..."; "" if they ended normally.
std::string exitText(const ExitSummary& exit);
/// Returns "3 unknown_op: ...; first: aten.talk (ranks 0-1)", what commtap did not see.
std::string notSeenText(const NotSeenSummary& summary);

/// Returns the number of ranks in a group; "?" if it is not known.
std::string sizeText(uint32_t size);

/// The times of a job that a command shows.
struct ShownTimes {
  const std::vector<TimeTotals>& by_group;
  const std::vector<TimeTotals>& by_module; ///< of all modules
  const JobReport& job;                     ///< its ranks and steps
  std::string module = {};                  ///< pattern of the modules to show; "" for all
  bool total = false;                       ///< exposed time is the sum over ranks and steps, with set-up
};

/// Returns a table by kind and group, the first rows of one by module, and where the job stood still.
std::string timeTables(const ShownTimes& times, const Color& color);

/// Returns timeTables(), or how to turn on timing if nothing was timed.
std::string timeText(const ShownTimes& times, const Color& color);

/// Returns a line, without its end, for each rank of a timed run that others waited for in more than a twentieth of a
/// step, beyond the median rank: how long, and the module where it came late most.
std::vector<std::string> lateLines(const JobReport& job);

/// Explains the columns of stepTimeCells(), for the heading of a table of steps.
inline constexpr const char* kStepTimesAre = "TIME PER STEP: mean of the ranks; COUNT and BYTES: sum of the ranks";

/// Returns the time per step: the mean of the ranks that completed the steps, the shortest and the longest, each with
/// its rank: "12.5 ms", "12.0 ms (3)", "13.1 ms (0)". Returns three empty cells if no rank has completed them.
std::vector<std::string> stepTimeCells(const JobStep& step);

/// Returns one line about how much the times of the slowest rank vary, without the first steps, which compile and warm
/// up. Steps that are added up count with their mean. Returns "" for too few steps.
std::string stepSpreadText(const std::vector<JobStep>& steps);

/// Returns the NCCL calls of the job: versions and communicators, the calls behind c10d collectives, then the other
/// calls. `phase` limits them to one phase. Returns "" if no rank called NCCL.
std::string ncclText(const JobReport& job, const Color& color, std::optional<Phase> phase = std::nullopt);

/// Returns for each row what distinguishes it from the other rows of its name, as inert text to put behind the name:
/// ", c10d.allreduce_, float32". Returns "" for a row whose name no other row has. `names`: the names of the rows.
std::vector<std::string> distinctionsOf(std::span<const JobCollective* const> rows, std::span<const std::string> names);

/// Returns "; its rows have 42.0 % of the bytes", or of the calls if hardly any bytes would go, per rank and step as in
/// commtap show; "" if only set-up is meant.
std::string adviceShareText(const Advice& advice, const JobReport& job);

/// Returns "; keeping it takes about 12.0 MiB per rank" for an advice to keep what is communicated again; "" for
/// others.
std::string adviceMemoryText(const Advice& advice);

/// Returns the words of a command that name the job: what it was read from, and its run if there are others.
std::string placeOf(const JobReport& job, const std::string& path);

/// Returns the line "advice: ..." for commands that show other facts of a run: the first rule, `amount` after it, how
/// many more there are, and the command that shows them; "" without advice. `place`: the result of placeOf().
std::string adviceLine(const std::vector<Advice>& advice, const std::string& amount, const std::string& place);

/// Returns a group's name as inert text: "dp". A group without a description has a number for a name, and its ranks say
/// which it is: "3 [0-1]".
std::string groupLabel(const JobGroup& group);

} // namespace commtap
