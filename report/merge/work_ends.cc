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

/// Replaces the value of the first member of this name. Returns false if there is no member with this value.
bool replaceValue(std::string& text, const char* name, const std::string& value, const std::string& by) {
  const std::string start = "\"" + std::string(name) + "\":"; // not in a string, whose quotation marks are escaped
  const size_t at = text.find(start + value);
  if (at == std::string::npos) {
    return false;
  }
  text.replace(at + start.size(), value.size(), by);
  return true;
}

/// Changes the exit in the file of a report. Returns false if it cannot be written.
bool rewriteExit(const std::string& path, const Job& job) {
  const auto name = [](ExitKind exit) { return "\"" + std::string(exitKindName(exit)) + "\""; };
  Result<std::string> text = readTextFile(path, maxInputSize());
  return text && replaceValue(*text, field::kExit, name(job.exit), name(ExitKind::kAfterWork)) &&
         (!job.exit_status || replaceValue(*text, field::kExitStatus, std::to_string(*job.exit_status), "null")) &&
         writeFileAtomically(path, *text).empty();
}

/// Returns whether Ray ended its worker: by `_exit` with an error, as its own processes had ended.
/// An exception of the job ends no worker.
bool wasEndedByRay(const Job& job) {
  return job.exit == ExitKind::kUnderscoreExit && job.exit_status.value_or(0) != 0 && !job.argv.empty() &&
         job.argv[0].starts_with("ray::");
}

} // namespace

void WorkEnds::add(const Report& report, const std::string& path) {
  is_under_way_ = is_under_way_ || hasCallUnderWay(report);
  if ((wasKilled(report.job) || wasEndedByRay(report.job)) && report.job.host == hostName()) {
    ended_.emplace_back(report.job, path);
  }
}

void WorkEnds::note(JobReport& job) const {
  if (is_under_way_ || !haveCalledAlike(job)) {
    return;
  }
  for (const auto& [ended, path] : ended_) {
    const auto process = std::find_if(job.processes.begin(), job.processes.end(), [&ended](const JobProcess& each) {
      return each.pid == ended.pid && each.exit == ended.exit && each.host == ended.host;
    });
    if (process != job.processes.end() && rewriteExit(path, ended)) {
      process->exit = ExitKind::kAfterWork;
      process->exit_status.reset();
    }
  }
}

} // namespace commtap
