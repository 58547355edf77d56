// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/hang/verdict.h"
#include "report/model/model.h"
#include "tools/live/process_state.h"

namespace commtap {

/// A process's report, and what the machine tells about the process.
struct SeenProcess {
  std::shared_ptr<const Report> report;
  std::optional<ProcessSample> sample; ///< nullopt if it does not run, or runs on another machine
};

/// All processes that left something in some folders, at one moment.
struct JobLook {
  std::vector<SeenProcess> processes;
  std::vector<std::string> problems; ///< one line per file that could not be read
  uint64_t at_ns = 0;                ///< CLOCK_REALTIME, after the last file was read
  uint64_t moved_ns = 0;             ///< of the last look that found progress; see noteProgress()
};

/// Reads the reports and ledgers below each path. Changes nothing. A path that does not exist, or has nothing that can
/// be read, is a line of `problems`.
JobLook lookAt(const std::vector<std::string>& paths);

/// Returns a look at processes whose reports were read before, all of this machine.
JobLook lookOf(std::span<const std::shared_ptr<const Report>> reports, uint64_t at_ns);

/// Notes in `now` whether a process went on since the look before, or when one did at last.
void noteProgress(const JobLook& before, JobLook& now);

/// Returns why the newest job in `now` hangs. Its status is HangStatus::kUnknown if there is no process with a rank.
/// `has_all_hosts`: see HangClock.
Verdict verdictOf(const JobLook& before, const JobLook& now, double patience_s, bool has_all_hosts = true);

} // namespace commtap
