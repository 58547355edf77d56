// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/export/export_source.h"

#include <algorithm>
#include <tuple>

#include "report/base/text_file.h"
#include "report/json/report_json.h"
#include "report/ledger/ledger_reader.h"
#include "report/runs/report_paths.h"

namespace commtap {
namespace {

/// Reads a complete report, including module parameters, which readers of whole jobs skip.
Result<Report> readReport(const std::string& path) {
  const Result<std::string> text = readTextFile(path);
  if (!text) {
    return Result<Report>::failure(text.error());
  }
  Result<Report> report = reportFromJson(*text);
  return report ? std::move(report) : Result<Report>::failure(path + ": " + report.error());
}

Result<Report> readLedgerReport(const FoundReport& found) {
  Result<LedgerContents> contents = readLedgerFile(found.path);
  if (contents) {
    return std::move(contents->report);
  }
  // A process that ended after the scan of the folder has replaced its ledger with its report.
  for (const std::string& place : placesAfter(found.path, found.job)) {
    Result<Report> report = readReport(place);
    if (report && processKeyOf(report->job) == processKeyOf(found.job)) {
      return report;
    }
  }
  return Result<Report>::failure(contents.error());
}

auto sortKey(const Job& job) {
  return std::tuple(job.run_id, job.attempt, !job.rank.has_value(), job.rank.value_or(0), job.host, job.pid);
}

} // namespace

Result<std::vector<FoundReport>> chosenReports(const ReportScan& scan, const ExportSelection& selection) {
  using Found = Result<std::vector<FoundReport>>;
  std::vector<FoundReport> reports = scan.reports;
  if (!selection.all) {
    Result<SelectedReports> selected = selectReports(scan, selection.job);
    if (!selected) {
      return Found::failure(selected.error());
    }
    reports = std::move(selected->reports);
  }
  std::erase_if(reports, [&](const FoundReport& found) {
    const bool other_host = !selection.host.empty() && found.job.host != selection.host;
    return other_host || (selection.rank && found.job.rank != selection.rank);
  });
  if (reports.empty()) {
    return Found::failure("no report of this rank or host (see commtap show)");
  }
  std::sort(reports.begin(), reports.end(), [](const FoundReport& a, const FoundReport& b) {
    return sortKey(a.job) < sortKey(b.job);
  });
  return reports;
}

void readEach(
    const std::vector<FoundReport>& found,
    const Progress& progress,
    std::vector<std::string>& problems,
    const std::function<void(Report)>& visit) {
  for (size_t i = 0; i < found.size(); ++i) {
    Result<Report> report = found[i].is_ledger ? readLedgerReport(found[i]) : readReport(found[i].path);
    if (report) {
      visit(std::move(*report));
    } else {
      problems.push_back(report.error());
    }
    progress(i + 1, found.size());
  }
}

} // namespace commtap
