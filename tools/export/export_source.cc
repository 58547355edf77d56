// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/export/export_source.h"

#include <algorithm>
#include <utility>

#include "report/merge/report_reader.h"

namespace commtap {
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
    return comesBefore(a.job, b.job);
  });
  return reports;
}

void readEach(
    const std::vector<FoundReport>& found,
    const Progress& progress,
    std::vector<std::string>& problems,
    const std::function<void(Report)>& visit) {
  forEachReport(found, ReportDepth::kAll, progress, [&](ReadReport item) {
    if (item.report) {
      visit(std::move(*item.report));
    } else {
      problems.push_back(item.report.error());
    }
  });
}

} // namespace commtap
