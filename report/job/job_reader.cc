// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/job/job_reader.h"

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "report/base/ordered_pipeline.h"
#include "report/base/text_file.h"
#include "report/job/fast_report_json.h"
#include "report/job/job_merge.h"
#include "report/job/job_report_json.h"
#include "report/json/report_head.h"
#include "report/ledger/ledger_reader.h"
#include "report/runs/report_paths.h"

namespace commtap {
namespace {

namespace fs = std::filesystem;

struct ReadReport {
  std::string path;
  Result<Report> report;
};

/// The report that a process put in its ledger's place after the ledger was found.
std::optional<ReadReport> readReplacement(const FoundReport& found, FastReportReader& reader) {
  for (const std::string& place : placesAfter(found.path, found.job)) {
    Result<Report> report = reader.read(place);
    if (report && processKeyOf(report->job) == processKeyOf(found.job)) {
      return ReadReport{place, std::move(report)};
    }
  }
  return std::nullopt;
}

ReadReport read(const FoundReport& found, FastReportReader& reader) {
  if (!found.is_ledger) {
    return {found.path, reader.read(found.path)};
  }
  Result<LedgerContents> contents = readLedgerFile(found.path);
  if (contents) {
    return {found.path, std::move(contents->report)};
  }
  if (std::optional<ReadReport> replacement = readReplacement(found, reader)) {
    return std::move(*replacement);
  }
  return {found.path, Result<Report>::failure(contents.error())};
}

std::string below(const std::string& folder, const std::string& file) {
  const std::string relative = fs::path(file).lexically_relative(folder).string();
  return relative.empty() || relative == "." || relative.starts_with("..") ? file : relative;
}

Result<JobReport> readJobReport(const std::string& path) {
  const Result<std::string> text = readTextFile(path);
  if (!text) {
    return Result<JobReport>::failure(text.error());
  }
  Result<JobReport> job = jobReportFromJson(*text);
  return job ? job : Result<JobReport>::failure(path + ": " + job.error());
}

} // namespace

Result<JobReport>
mergeScan(const std::string& path, const ReportScan& scan, const JobSelection& selection, const Progress& progress) {
  const Result<SelectedReports> selected = selectReports(scan, selection);
  if (!selected) {
    return Result<JobReport>::failure(path + ": " + selected.error());
  }
  const std::vector<FoundReport>& reports = selected->reports;
  std::vector<FastReportReader> readers(OrderedPipeline<ReadReport>::threadCount());
  std::vector<std::string> problems = scan.problems;
  JobMerge merge;
  size_t merged = 0;
  OrderedPipeline<ReadReport> pipeline(
      reports.size(), [&](size_t thread, size_t i) { return read(reports[i], readers[thread]); });
  pipeline.run([&](size_t i, const ReadReport& item) {
    if (item.report) {
      merge.add(*item.report, below(path, item.path));
      ++merged;
    } else {
      problems.push_back(item.report.error());
    }
    if (progress) {
      progress(i + 1, reports.size());
    }
  });
  if (merged == 0) {
    return Result<JobReport>::failure(problems.front());
  }
  JobReport job = merge.finish();
  job.attempts = selected->attempts;
  job.other_runs = selected->other_runs;
  job.source = path;
  job.problems = std::move(problems);
  return job;
}

Result<JobReport> readJob(const std::string& path, const JobSelection& selection, const Progress& progress) {
  std::error_code error;
  if (fs::is_regular_file(path, error) && schemaOfFile(path).value_or("").starts_with("commtap.job/")) {
    return readJobReport(path);
  }
  const Result<ReportScan> scan = scanReports(path, progress);
  return scan ? mergeScan(path, *scan, selection, progress) : Result<JobReport>::failure(scan.error());
}

} // namespace commtap
