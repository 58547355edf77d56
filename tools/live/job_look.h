// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <csignal>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "report/base/result.h"
#include "report/model/model.h"
#include "report/runs/report_paths.h"
#include "tools/live/process_state.h"

namespace commtap {

/// A process's report, and its machine's facts about the process.
struct SeenProcess {
  std::shared_ptr<const Report> report;
  std::optional<ProcessSample> sample; ///< nullopt if it does not run, or its machine was not asked
  uint64_t progress = 0;               ///< grows with whatever the process does that its report counts
  size_t path = 0;                     ///< the index of the path of lookAt() that has it
};

/// Returns the process of a complete report, with its progress.
SeenProcess seenProcess(std::shared_ptr<const Report> report, std::optional<ProcessSample> sample);

/// All processes that left something in some folders or on some hosts, at one moment.
struct JobLook {
  std::vector<SeenProcess> processes;
  std::vector<StartedProcess> started;      ///< see addStarted()
  std::vector<std::string> problems;        ///< one line per file that could not be read, or host that did not answer
  uint64_t at_ns = 0;                       ///< CLOCK_REALTIME, after the last file was read
  std::map<std::string, uint64_t> moved_ns; ///< by run: of the last look that found progress; see noteProgress()
  bool has_all_hosts = true;                ///< false: a rank without a process here may run on another host
};

/// The values that a later look is compared with.
struct EarlierLook {
  struct Process {
    uint64_t progress = 0;
    std::optional<ProcessSample> sample;
  };
  std::map<ProcessKey, Process> processes;
  uint64_t at_ns = 0;
  std::map<std::string, uint64_t> moved_ns; ///< by run

  /// Returns nullptr if the process was not there.
  const Process* find(const Job& job) const;
};

/// Reads the reports and ledgers below each path. Changes nothing. A path that does not exist, or has nothing that can
/// be read, is a line of `problems`.
JobLook lookAt(const std::vector<std::string>& paths);

/// Adds the processes of this machine that are to write to the folders and are newer than what is there, unless one of
/// the look runs. A folder need not exist.
void addStarted(const std::vector<std::string>& folders, JobLook& look);

/// Returns a look at processes whose reports were read before, all of this machine; others may run elsewhere.
JobLook lookOf(std::span<const std::shared_ptr<const Report>> reports, uint64_t at_ns);

EarlierLook earlier(const JobLook& look);

/// Returns whether the process went on since the look before.
bool hasMoved(const EarlierLook::Process* before, const SeenProcess& now);

/// Notes in `now` for each run whether a process went on since the look before, or when one did at last.
void noteProgress(const EarlierLook& before, JobLook& now);

bool isRunning(const JobLook& look);

using AttemptKey = std::pair<std::string, int64_t>; ///< run, attempt

/// Returns the look at the processes of each attempt that has a rank.
std::map<AttemptKey, JobLook> byAttempt(const JobLook& now);

/// A run of a look, and the look at it alone.
struct SeenRun {
  FoundRun run;
  JobLook look;
};

/// The runs of a look that has a rank of them.
struct ChosenRuns {
  std::vector<SeenRun> judged; ///< the newest of each path, or the one that a user wants; the newest first
  std::vector<SeenRun> others; ///< the newest first
};

/// Returns the runs of a look. Fails if `wanted`, as runsMeant(), is none of them; "": the newest.
Result<ChosenRuns> chosenRuns(const JobLook& now, const std::string& wanted);

/// Blocks SIGTERM and SIGINT in this thread and the threads it starts later. Returns the set to pass to sigwait().
sigset_t blockEndSignals();

/// Lets SIGTERM and SIGINT end the process at once with status 0, wherever it is: for a command that has nothing to
/// finish, and may be waiting for another machine, another program or a reader of its output.
void endAtSignals();

/// The communication of processes since they started.
struct TrafficSums {
  uint64_t count = 0;
  uint64_t bytes = 0;
  uint64_t running_ns = 0;
  double running_bus_bytes = 0;
  uint64_t exposed_ns = 0;
  uint64_t timed = 0; ///< processes that exposed_ns covers

  void add(const TrafficSums& other);
  bool operator==(const TrafficSums&) const = default;
};

/// A row's run, as runName(), and its name. Rows of different runs are never added up.
using TrafficName = std::pair<std::string, std::string>;
using TrafficTable = std::map<TrafficName, TrafficSums>;

struct Traffic {
  TrafficTable by_kind;
  TrafficTable by_group; ///< by title
  TrafficTable by_module;

  void add(const Traffic& other);
  bool operator==(const Traffic&) const = default;
};

Traffic trafficOf(std::span<const std::shared_ptr<const Report>> reports);

/// Returns a name for the run and attempt of a process: "run", "run attempt 2", or "pid 17" without a run ID.
std::string runName(const Job& job);

} // namespace commtap
