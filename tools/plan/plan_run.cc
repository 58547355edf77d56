// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/plan/plan_run.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <list>
#include <map>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "report/base/atomic_file.h"
#include "report/base/text_file.h"
#include "report/job/job_report_json.h"
#include "report/json/report_json.h"
#include "report/merge/plan_merge.h"
#include "report/runs/ledger_recovery.h"
#include "tools/cli/subcommands.h"
#include "tools/run/launch.h"
#include "tools/run/preload.h"

namespace commtap {
namespace {

namespace fs = std::filesystem;

/// The planner's file that says which rank represents which, and how each ended.
constexpr const char* kStandingFile = "/plan/standing.outcome";
/// The planner's file that says that it made the folder.
constexpr const char* kMarkFile = "/plan/made-by-commtap.txt";

/// The exit status of a planner that a signal stopped.
constexpr int kExitStopped = 130;

/// Runs the planner.
Ending runPlanner(const std::vector<std::string>& command, const Environment& environment) {
  Launcher launcher;
  const Ending ending = launcher.run(command, environment.variables());
  launcher.release();
  return ending;
}

/// Returns why a rank ended early: "rank 0: train.py:5: ValueError: ..."; "" if none did.
std::string earlyEnd(std::string_view text) {
  const nlohmann::json document = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!document.is_object() || !document.contains("outcomes")) {
    return "";
  }
  for (const auto& [rank, outcome] : document["outcomes"].items()) {
    const std::string ended = outcome.value("ended", "");
    if (ended == "error" || ended == "data") {
      const std::string where = outcome.value("where", "");
      return fmt::format("rank {}: {}{}{}", rank, where, where.empty() ? "" : ": ", outcome.value("what", ""));
    }
  }
  return "";
}

/// Writes the job report of all ranks, and that before the last step.
Result<MadePlan> mergeRanks(const std::string& folder) {
  std::vector<std::string> problems;
  recoverLedgers(folder, problems);
  sayAll(problems);
  const Result<std::string> text = readTextFile(folder + kStandingFile);
  const Result<PlanRanks> ranks = text ? PlanRanks::fromJson(*text) : Result<PlanRanks>::failure(text.error());
  if (!ranks) {
    return Result<MadePlan>::failure(fmt::format("{}: no rank was planned: {}", folder, ranks.error()));
  }
  Result<JobReport> job = mergePlan(folder, *ranks);
  if (!job) {
    const std::string early = earlyEnd(*text);
    return Result<MadePlan>::failure(early.empty() ? job.error() : early);
  }
  std::string error = writeFileAtomically(folder + "/" + kPlanFile, jobReportToJson(*job));
  const Result<JobReport> before = mergeBeforeLast(folder, *ranks); // none in a plan of one step
  if (error.empty() && before) {
    error = writeFileAtomically(folder + "/" + kBeforeLastFile, jobReportToJson(*before));
  }
  return error.empty() ? MadePlan{std::move(*job), earlyEnd(*text)} : Result<MadePlan>::failure(error);
}

Result<Report> readReport(const std::string& path) {
  const Result<std::string> text = readJsonInput(path);
  return text ? reportFromJson(*text) : Result<Report>::failure(text.error());
}

} // namespace

Result<std::string> findPlanner() {
  return findInstalled(executableFolder(), {"plan/plan.py" /* build folder */, "../share/commtap/plan/plan.py"});
}

std::string whyNotPlanFolder(const std::string& out) {
  std::error_code error;
  for (const char* mark : {kMarkFile, kStandingFile}) {
    if (fs::is_regular_file(fs::symlink_status(out + mark, error))) {
      return "";
    }
  }
  for (const std::string name : {"plan", "ranks", kPlanFile}) {
    if (fs::exists(fs::symlink_status(fs::path(out) / name, error))) {
      return fmt::format(
          "{}/{} is not of a plan, and a plan would replace it: give --out a folder that is new, or of an earlier plan",
          out,
          name);
    }
  }
  return "";
}

Result<MadePlan> makePlan(
    const PlanArguments& arguments,
    const PythonCommand& command,
    const Environment& run,
    const std::string& planner) {
  if (std::string other = whyNotPlanFolder(arguments.out); !other.empty()) {
    return Result<MadePlan>::failure(std::move(other));
  }
  std::error_code error;
  fs::remove(arguments.out + "/" + kPlanFile, error);
  fs::remove(arguments.out + kStandingFile, error);
  std::vector<std::string> words = command.python;
  words.insert(words.end(), {planner, "planner", planSettings(arguments, command, run)});
  const Ending ending = runPlanner(words, Environment(environ));
  if (ending.exec_error != 0) {
    return Result<MadePlan>::failure(
        fmt::format("{} cannot be started: {}", words[0], std::strerror(ending.exec_error)));
  }
  const bool is_stopped = WIFEXITED(ending.wait_status) && WEXITSTATUS(ending.wait_status) == kExitStopped;
  if (is_stopped && !fs::exists(arguments.out + kStandingFile, error)) {
    return Result<MadePlan>::failure(kPlanStopped);
  }
  Result<MadePlan> made = mergeRanks(arguments.out);
  if (made && is_stopped) {
    made->early_end = kPlanStopped;
  }
  return made;
}

Result<std::vector<Messages>> lastStepIn(const std::string& folder, const JobReport& job, uint32_t per_node) {
  using Failed = Result<std::vector<Messages>>;
  const Result<std::string> text = readTextFile(folder + kStandingFile);
  const Result<PlanRanks> ranks = text ? PlanRanks::fromJson(*text) : Result<PlanRanks>::failure(text.error());
  if (!ranks) {
    return Failed::failure(ranks.error());
  }
  std::map<int64_t, std::vector<int64_t>> standing;
  for (const auto& [rank, planned] : ranks->standing()) {
    standing[planned].push_back(rank);
  }
  std::list<Report> reports; // whose addresses `planned` has
  std::vector<PlannedRank> planned;
  for (auto& [rank, ranks_of_it] : standing) {
    Result<Report> before = readReport(fmt::format("{}/plan/rank-{}.before", folder, rank));
    if (!before) {
      return Failed::failure(fmt::format("rank {} made fewer than two steps, and the last one is compared", rank));
    }
    for (const JobProcess& process : job.processes) {
      if (process.rank != rank || process.pid != before->job.pid) {
        continue;
      }
      Result<Report> report = readReport((fs::path(folder) / process.file).string());
      if (!report) {
        return Failed::failure(report.error());
      }
      const Report* now = &reports.emplace_back(std::move(*report));
      const Report* then = &reports.emplace_back(std::move(*before));
      planned.push_back({now, then, std::move(ranks_of_it)});
      break;
    }
  }
  return messagesOf(planned, job.groups, per_node);
}

} // namespace commtap
