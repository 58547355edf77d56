// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/merge/job_reader.h"

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "report/base/text_file.h"
#include "report/job/job_report_json.h"
#include "report/job/saturated_sums.h"
#include "report/json/report_head.h"
#include "report/merge/job_merge.h"
#include "report/merge/plan_merge.h"
#include "report/merge/report_reader.h"

namespace commtap {
namespace {

namespace fs = std::filesystem;

std::string below(const std::string& folder, const std::string& file) {
  const std::string relative = fs::path(file).lexically_relative(folder).string();
  return relative.empty() || relative == "." || relative.starts_with("..") ? file : relative;
}

Result<JobReport> readJobReport(const std::string& path) {
  const Result<std::string> text = readJsonInput(path);
  if (!text) {
    return Result<JobReport>::failure(text.error());
  }
  Result<JobReport> job = jobReportFromJson(*text);
  return job ? job : Result<JobReport>::failure(path + ": " + job.error());
}

} // namespace

Result<JobReport> mergeScan(
    const std::string& path,
    const ReportScan& scan,
    const JobSelection& selection,
    const Progress& progress,
    const ReportVisitor& visit) {
  const Result<SelectedReports> selected = selectReports(scan, selection);
  if (!selected) {
    return Result<JobReport>::failure(path + ": " + selected.error());
  }
  std::vector<std::string> problems = scan.problems;
  JobMerge merge;
  size_t merged = 0;
  forEachReport(selected->reports, ReportDepth::kCompared, progress, [&](const ReadReport& item) {
    if (!item.report) {
      problems.push_back(item.report.error());
      return;
    }
    merge.add(*item.report, below(path, item.path));
    ++merged;
    if (visit) {
      visit(*item.report, item.path);
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
  job.copies = scan.copies;
  for (const std::string& number : saturatedSums(job)) {
    job.problems.push_back(saturatedLine(path, number));
  }
  return job;
}

bool isJobReport(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && schemaOfFile(path).value_or("").starts_with("commtap.job/");
}

Result<JobReport> readJob(const std::string& path, const JobSelection& selection, const Progress& progress) {
  if (isJobReport(path)) {
    return readJobReport(path);
  }
  if (const std::string plan = selection.rank ? "" : planIn(path); !plan.empty()) {
    return readJobReport(plan);
  }
  const Result<ReportScan> scan = scanReports(path, progress);
  return scan ? mergeScan(path, *scan, selection, progress) : Result<JobReport>::failure(scan.error());
}

} // namespace commtap
