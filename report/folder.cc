// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/folder.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <tuple>

#include "report/atomic_file.h"
#include "report/ledger_reader.h"
#include "report/output.h"
#include "report/report_json.h"
#include "report/text_file.h"

namespace commtap {
namespace {

namespace fs = std::filesystem;

/// What names a process across files and runs.
auto processKey(const Job& job) {
  return std::tuple(job.run_id, job.host, job.pid, job.started_at_ns / 1000);
}

std::vector<std::string> reportPaths(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    return {path};
  }
  std::vector<std::string> paths;
  fs::recursive_directory_iterator entry(path, fs::directory_options::skip_permission_denied, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    const std::string extension = entry->path().extension();
    if (entry->is_regular_file(error) && (extension == ".json" || extension == ".ledger")) {
      paths.push_back(entry->path());
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

Result<ReportFile> readOne(const std::string& path) {
  if (isLedgerFile(path) || fs::path(path).extension() == ".ledger") {
    Result<LedgerContents> contents = readLedgerFile(path);
    if (!contents) {
      return Result<ReportFile>::failure(contents.error());
    }
    return ReportFile{path, true, std::move(contents->report)};
  }
  const Result<std::string> text = readTextFile(path);
  if (!text) {
    return Result<ReportFile>::failure(text.error());
  }
  Result<Report> report = reportFromJson(*text);
  if (!report) {
    return Result<ReportFile>::failure(path + ": " + report.error());
  }
  return ReportFile{path, false, std::move(*report)};
}

/// A process that ended normally may be seen twice, while its ledger is on its way out.
void dropDoubles(std::vector<ReportFile>& files) {
  std::set<decltype(processKey(Job()))> finished;
  for (const ReportFile& file : files) {
    if (!file.is_ledger) {
      finished.insert(processKey(file.report.job));
    }
  }
  std::erase_if(files, [&](const ReportFile& file) {
    return file.is_ledger && finished.count(processKey(file.report.job)) > 0;
  });
}

size_t keepNewestRun(std::vector<ReportFile>& files) {
  const auto newest = std::max_element(files.begin(), files.end(), [](const ReportFile& a, const ReportFile& b) {
    return a.report.job.started_at_ns < b.report.job.started_at_ns;
  });
  if (newest == files.end()) {
    return 0;
  }
  const std::string run_id = newest->report.job.run_id;
  return std::erase_if(files, [&](const ReportFile& file) { return file.report.job.run_id != run_id; });
}

auto sortKey(const ReportFile& file) {
  const Job& job = file.report.job;
  return std::tuple(job.attempt, !job.rank.has_value(), job.rank.value_or(0), job.host, job.pid);
}

} // namespace

Result<ReportFolder> readReports(const std::string& path, const Progress& progress) {
  std::error_code error;
  if (!fs::exists(path, error)) {
    return Result<ReportFolder>::failure(path + " does not exist");
  }
  ReportFolder folder;
  const std::vector<std::string> paths = reportPaths(path);
  for (size_t i = 0; i < paths.size(); ++i) {
    Result<ReportFile> file = readOne(paths[i]);
    if (file) {
      folder.files.push_back(std::move(*file));
    } else {
      folder.problems.push_back(file.error());
    }
    if (progress) {
      progress(i + 1, paths.size());
    }
  }
  dropDoubles(folder.files);
  if (folder.files.empty()) {
    return Result<ReportFolder>::failure(
        folder.problems.empty() ? path + " holds no report: did the job make a collective with commtap preloaded?"
                                : folder.problems.front());
  }
  folder.older_runs = keepNewestRun(folder.files);
  std::sort(folder.files.begin(), folder.files.end(), [](const ReportFile& a, const ReportFile& b) {
    return sortKey(a) < sortKey(b);
  });
  return folder;
}

std::vector<std::string> recoverLedgers(const std::string& folder, std::vector<std::string>& problems) {
  std::vector<std::string> made;
  for (const std::string& path : reportPaths(folder)) {
    if (fs::path(path).extension() != ".ledger") {
      continue;
    }
    Result<LedgerContents> contents = readLedgerFile(path);
    if (!contents) {
      problems.push_back(contents.error());
      continue;
    }
    if (contents->report.job.exit == ExitKind::kRunning) {
      continue;
    }
    const std::string base = fs::path(path).parent_path();
    const std::string name = fs::path(contents->report_name).filename();
    const std::string report_path = chooseReportPath(base, name, contents->report.job);
    const std::string error = writeFileAtomically(report_path, reportToJson(contents->report));
    if (!error.empty()) {
      problems.push_back(error);
      continue;
    }
    unlink(path.c_str());
    made.push_back(report_path);
  }
  return made;
}

} // namespace commtap
