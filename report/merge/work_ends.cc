// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/merge/work_ends.h"

#include <algorithm>

#include "report/base/atomic_file.h"
#include "report/base/process.h"
#include "report/base/text_file.h"
#include "report/json/fields.h"
#include "report/model/work_end.h"

namespace commtap {
namespace {

/// Returns whether all ranks are there, have ended and have made the same calls.
bool haveCalledAlike(const JobReport& job) {
  const bool has_all = job.world_size && job.missing.empty() && job.problems.empty() &&
                       std::all_of(job.processes.begin(), job.processes.end(), [](const JobProcess& process) {
                         return process.rank.has_value() && process.exit != ExitKind::kRunning;
                       });
  return has_all && std::all_of(job.disagreements.begin(), job.disagreements.end(), [](const Disagreement& each) {
           return each.what == Disagreement::What::kModule;
         });
}

/// Changes the exit in a report that was recovered from a ledger. Returns false if it cannot be written.
bool rewriteExit(const std::string& path) {
  const auto field = [](ExitKind exit) {
    return "\"" + std::string(field::kExit) + "\":\"" + std::string(exitKindName(exit)) + "\"";
  };
  Result<std::string> text = readTextFile(path, maxInputSize());
  const std::string killed = field(ExitKind::kKilled); // not in a string, whose quotation marks are escaped
  const size_t at = text ? text->find(killed) : std::string::npos;
  return at != std::string::npos &&
         writeFileAtomically(path, text->replace(at, killed.size(), field(ExitKind::kAfterWork))).empty();
}

} // namespace

void WorkEnds::add(const Report& report, const std::string& path) {
  is_under_way_ = is_under_way_ || hasCallUnderWay(report);
  if (report.job.exit == ExitKind::kKilled && report.job.host == hostName()) {
    killed_.emplace_back(report.job.pid, path);
  }
}

void WorkEnds::note(JobReport& job) const {
  if (is_under_way_ || !haveCalledAlike(job)) {
    return;
  }
  for (const auto& [pid, path] : killed_) {
    const auto process = std::find_if(job.processes.begin(), job.processes.end(), [&pid](const JobProcess& each) {
      return each.pid == pid && each.exit == ExitKind::kKilled && each.host == hostName();
    });
    if (process != job.processes.end() && rewriteExit(path)) {
      process->exit = ExitKind::kAfterWork;
    }
  }
}

} // namespace commtap
