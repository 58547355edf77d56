// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/runs/report_scan.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <system_error>
#include <tuple>

#include "report/base/ordered_pipeline.h"
#include "report/base/result.h"
#include "report/base/text_file.h"
#include "report/json/report_json.h"
#include "report/ledger_reader/ledger_reader.h"
#include "report/ledger_reader/ledger_records.h"
#include "report/model/saturating.h"
#include "report/runs/report_paths.h"
#include "report/runs/run_folder.h"

namespace commtap {
namespace {

namespace fs = std::filesystem;

Result<FoundReport> lookAt(const std::string& path, uint64_t memory) {
  if (std::string error = whyNotInput(path); !error.empty()) {
    return Result<FoundReport>::failure(std::move(error));
  }
  const bool is_ledger = isLedgerFile(path) || fs::path(path).extension() == ".ledger";
  if (!is_ledger) {
    Result<Job> job = readReportHead(path, memory);
    return job ? Result<FoundReport>({path, false, std::move(*job), 0}) : Result<FoundReport>::failure(job.error());
  }
  Result<LedgerContents> contents = readLedgerFile(path);
  if (!contents) {
    return Result<FoundReport>::failure(contents.error());
  }
  const uint64_t calls = callsOf(contents->report);
  return FoundReport{path, true, std::move(contents->report.job), calls};
}

Result<FoundReport> look(const std::string& path, uint64_t memory) {
  return catchErrors<FoundReport>(path, [&] { return lookAt(path, memory); });
}

/// Reads the heads of the files of `all` that are not in `done`. Returns true if a file was deleted before it could be
/// read. Adds the errors of files that are not commtap's to `foreign`.
bool lookAtNew(
    const std::vector<std::string>& all,
    bool is_one_file,
    const Progress& progress,
    std::set<std::string>& done,
    ReportScan& scan,
    std::vector<std::string>& foreign) {
  std::vector<std::string> paths;
  std::copy_if(all.begin(), all.end(), std::back_inserter(paths), [&](const std::string& path) {
    return done.insert(path).second;
  });
  bool missed = false;
  OrderedPipeline<Result<FoundReport>> pipeline(
      paths.size(), [&paths](size_t /*thread*/, size_t i) { return look(paths[i], memoryOfMany()); });
  pipeline.run([&](size_t i, Result<FoundReport> found) {
    if (!found) {
      found = look(paths[i], maxInputSize());
    }
    if (found) {
      found->job.argv.clear();
      scan.reports.push_back(std::move(*found));
    } else if (vanished(paths[i])) {
      missed = true;
    } else if (is_one_file || !isOtherDocument(paths[i])) {
      (isForeign(paths[i]) ? foreign : scan.problems).push_back(found.error());
    }
    if (progress) {
      progress(i + 1, paths.size());
    }
  });
  return missed;
}

/// Drops all files of a process except one.
void dropCopies(ReportScan& scan) {
  std::vector<ProcessFile> files;
  files.reserve(scan.reports.size());
  for (const FoundReport& report : scan.reports) {
    files.push_back({report.path, &report.job, report.is_ledger, report.calls});
  }
  std::vector<FoundReport> kept;
  for (const size_t i : oneFilePerProcess(files, scan.copies)) {
    kept.push_back(std::move(scan.reports[i]));
  }
  scan.reports = std::move(kept);
}

std::vector<int64_t> attemptsOf(const std::vector<FoundReport>& reports) {
  std::set<int64_t> attempts;
  for (const FoundReport& report : reports) {
    attempts.insert(report.job.attempt);
  }
  return {attempts.begin(), attempts.end()};
}

/// Returns false if no report is left.
bool keepRank(int64_t rank, std::vector<FoundReport>& reports) {
  std::erase_if(reports, [rank](const FoundReport& report) { return report.job.rank != rank; });
  return !reports.empty();
}

} // namespace

Result<ReportScan> scanReports(const std::string& path, const Progress& progress, Copies copies) {
  std::error_code error;
  if (!fs::exists(path, error)) {
    return Result<ReportScan>::failure(path + " does not exist");
  }
  const bool is_one_file = !fs::is_directory(path, error);
  ReportScan scan;
  // A process that exits during the scan replaces its ledger with a report, so scan again for that report.
  constexpr int kMaxLooks = 10;
  std::set<std::string> done;
  std::vector<std::string> foreign;
  bool missed = true;
  for (int looked = 0; missed && looked < kMaxLooks; ++looked) {
    missed = lookAtNew(reportPaths(path, scan.problems), is_one_file, progress, done, scan, foreign);
  }
  scan.unnamed = addForeign(foreign, scan.problems);
  if (copies == Copies::kLeaveOut) {
    dropCopies(scan);
  }
  if (scan.reports.empty()) {
    return Result<ReportScan>::failure(
        scan.problems.empty() ? path + " holds no report: did the job make a collective with commtap preloaded?"
                              : scan.problems.front());
  }
  return scan;
}

bool comesBefore(const Job& a, const Job& b) {
  const auto key = [](const Job& job) {
    return std::tuple(
        std::string_view(job.run_id),
        job.attempt,
        !job.rank.has_value(),
        job.rank.value_or(0),
        std::string_view(job.host),
        job.pid,
        job.started_at_ns);
  };
  return key(a) < key(b);
}

std::vector<FoundRun> runsOf(const ReportScan& scan) {
  std::map<std::string, FoundRun> by_id;
  for (const FoundReport& report : scan.reports) {
    FoundRun& run = by_id[report.job.run_id];
    run.started_at_ns = std::max(run.started_at_ns, report.job.started_at_ns);
    run.name = run.name.empty() ? report.job.name : run.name;
  }
  std::vector<FoundRun> runs;
  runs.reserve(by_id.size());
  for (auto& [run_id, run] : by_id) {
    run.run_id = run_id;
    runs.push_back(std::move(run));
  }
  std::stable_sort(
      runs.begin(), runs.end(), [](const FoundRun& a, const FoundRun& b) { return a.started_at_ns > b.started_at_ns; });
  return runs;
}

Result<SelectedReports> selectReports(const ReportScan& scan, const JobSelection& selection) {
  const std::vector<FoundRun> runs = runsOf(scan);
  const std::string text = selection.run_id.value_or(runs.empty() ? "" : runs.front().run_id);
  const std::vector<FoundRun> meant = runsMeant(runs, text);
  if (meant.size() != 1) {
    return Result<SelectedReports>::failure(notOneRun(runs, text));
  }
  SelectedReports selected;
  std::copy_if(
      scan.reports.begin(), scan.reports.end(), std::back_inserter(selected.reports), [&](const FoundReport& report) {
        return report.job.run_id == meant.front().run_id;
      });
  selected.other_runs = runs.size() - 1;
  selected.attempts = attemptsOf(selected.reports);
  const int64_t attempt = selection.attempt.value_or(selected.attempts.back());
  std::erase_if(selected.reports, [&](const FoundReport& report) { return report.job.attempt != attempt; });
  if (selected.reports.empty()) {
    return Result<SelectedReports>::failure(
        "there is no report of attempt " + std::to_string(attempt) + "; the run has " +
        std::to_string(selected.attempts.front()) + " to " + std::to_string(selected.attempts.back()));
  }
  if (selection.rank && !keepRank(*selection.rank, selected.reports)) {
    return Result<SelectedReports>::failure(
        "there is no report of rank " + std::to_string(*selection.rank) + " in attempt " + std::to_string(attempt));
  }
  std::sort(selected.reports.begin(), selected.reports.end(), [](const FoundReport& a, const FoundReport& b) {
    return comesBefore(a.job, b.job);
  });
  return selected;
}

namespace {

namespace fs = std::filesystem;

bool isPreferred(const ProcessFile& a, const ProcessFile& b) {
  const auto key = [](const ProcessFile& file) {
    return std::tuple(
        file.is_ledger,
        !file.job->ended_at_ns.has_value(),
        UINT64_MAX - file.calls,
        std::count(file.path.begin(), file.path.end(), '/'),
        std::string_view(file.path));
  };
  return key(a) < key(b);
}

bool isLedgerNextToReport(const ProcessFile& file, const ProcessFile& counted) {
  return file.is_ledger && !counted.is_ledger &&
         fs::path(file.path).parent_path() == fs::path(counted.path).parent_path();
}

} // namespace

uint64_t callsOf(const Report& report) {
  uint64_t calls = 0;
  for (const Collective& row : report.collectives) {
    addSaturating(calls, row.count);
  }
  return calls;
}

std::vector<size_t> oneFilePerProcess(const std::vector<ProcessFile>& files, std::vector<std::string>& copies) {
  std::map<ProcessKey, size_t> chosen;
  for (size_t i = 0; i < files.size(); ++i) {
    const auto [entry, is_new] = chosen.emplace(processKeyOf(*files[i].job), i);
    if (!is_new && isPreferred(files[i], files[entry->second])) {
      entry->second = i;
    }
  }
  std::vector<size_t> counted;
  for (size_t i = 0; i < files.size(); ++i) {
    const size_t best = chosen.at(processKeyOf(*files[i].job));
    if (best == i) {
      counted.push_back(i);
    } else if (!isLedgerNextToReport(files[i], files[best])) {
      copies.push_back(files[i].path + " holds the same process as " + files[best].path + ", which is counted");
    }
  }
  return counted;
}

} // namespace commtap
