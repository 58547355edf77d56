// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/model/model.h"
#include "report/runs/report_paths.h"
#include "tools/live/process_state.h"

namespace commtap {

/// A process's report, and its machine's facts about the process.
struct SeenProcess {
  std::shared_ptr<const Report> report;
  std::optional<ProcessSample> sample; ///< nullopt if it does not run, or its machine was not asked
  uint64_t progress = 0;               ///< grows with whatever the process does that its report counts
};

/// Returns the process of a complete report, with its progress.
SeenProcess seenProcess(std::shared_ptr<const Report> report, std::optional<ProcessSample> sample);

/// All processes that left something in some folders or on some hosts, at one moment.
struct JobLook {
  std::vector<SeenProcess> processes;
  std::vector<StartedProcess> started; ///< see addStarted()
  std::vector<std::string> problems;   ///< one line per file that could not be read, or host that did not answer
  uint64_t at_ns = 0;                  ///< CLOCK_REALTIME, after the last file was read
  uint64_t moved_ns = 0;               ///< of the last look that found progress; see noteProgress()
  bool has_all_hosts = true;           ///< false: a rank without a process here may run on another host
};

/// The values that a later look is compared with.
struct EarlierLook {
  struct Process {
    uint64_t progress = 0;
    std::optional<ProcessSample> sample;
  };
  std::map<ProcessKey, Process> processes;
  uint64_t at_ns = 0;
  uint64_t moved_ns = 0;

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

/// Notes in `now` whether a process went on since the look before, or when one did at last.
void noteProgress(const EarlierLook& before, JobLook& now);

bool isRunning(const JobLook& look);

} // namespace commtap
