// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/plan/fabric_files.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "report/base/text_file.h"
#include "report/json/report_json.h"
#include "report/runs/report_scan.h"

namespace commtap {
namespace {

namespace fs = std::filesystem;

/// Adds the times of the newest run in a folder. Returns "" or what is wrong with it.
std::string addRun(const std::string& folder, Fabric& fabric) {
  const Result<ReportScan> scan = scanReports(folder, {});
  const Result<SelectedReports> selected =
      scan ? selectReports(*scan, {}) : Result<SelectedReports>::failure(scan.error());
  if (!selected) {
    return selected.error();
  }
  std::vector<Report> reports;
  for (const FoundReport& found : selected->reports) {
    const Result<std::string> text = readJsonInput(found.path);
    Result<Report> report = text ? reportFromJson(*text) : Result<Report>::failure(text.error());
    if (!report) {
      return report.error();
    }
    if (report->job.planned) {
      return "it is a plan, which has no times";
    }
    reports.push_back(std::move(*report));
  }
  return fabric.addRun(reports, folder);
}

std::string addFile(const std::string& path, Fabric& fabric) {
  const Result<std::string> text = readJsonInput(path);
  return text ? fabric.addNcclTests(*text, path) : text.error();
}

} // namespace

Result<Fabric> readFabric(const std::vector<std::string>& paths) {
  Fabric fabric;
  for (const std::string& path : paths) {
    std::error_code error;
    const std::string wrong = fs::is_directory(path, error) ? addRun(path, fabric) : addFile(path, fabric);
    if (!wrong.empty()) {
      return Result<Fabric>::failure(
          fmt::format("--fabric {}: {}: give a file of nccl-tests (-J FILE.json) or the folder of a run", path, wrong));
    }
  }
  return fabric;
}

} // namespace commtap
