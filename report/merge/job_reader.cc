// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/merge/job_reader.h"

#include <simdjson.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "report/base/json_text.h"
#include "report/base/ordered_pipeline.h"
#include "report/base/result.h"
#include "report/base/text_file.h"
#include "report/job/job_report.h"
#include "report/job/job_report_json.h"
#include "report/json/fields.h"
#include "report/json/inert_row.h"
#include "report/json/report_json.h"
#include "report/json/report_read.h"
#include "report/ledger_reader/ledger_reader.h"
#include "report/merge/dom_cursor.h"
#include "report/merge/job_merge.h"
#include "report/merge/job_order.h"
#include "report/merge/plan_merge.h"
#include "report/runs/report_paths.h"

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

namespace {

/// Returns the report that replaced a ledger after the ledger was found.
std::optional<ReadReport>
readReplacement(const FoundReport& found, ReportDepth depth, uint64_t memory, FastReportReader& reader) {
  for (const std::string& place : placesAfter(found.path, found.job)) {
    Result<Report> report = reader.read(place, depth, memory);
    if (report && processKeyOf(report->job) == processKeyOf(found.job)) {
      return ReadReport{place, std::move(report)};
    }
  }
  return std::nullopt;
}

ReadReport read(const FoundReport& found, ReportDepth depth, uint64_t memory, FastReportReader& reader) {
  if (!found.is_ledger) {
    return {found.path, reader.read(found.path, depth, memory)};
  }
  Result<LedgerContents> contents =
      catchErrors<LedgerContents>(found.path, [&found] { return readLedgerFile(found.path); });
  if (contents) {
    return {found.path, std::move(contents->report)};
  }
  if (std::optional<ReadReport> replacement = readReplacement(found, depth, memory, reader)) {
    return std::move(*replacement);
  }
  return {found.path, Result<Report>::failure(contents.error())};
}

ReadReport readInert(const FoundReport& found, ReportDepth depth, uint64_t memory, FastReportReader& reader) {
  ReadReport item = read(found, depth, memory, reader);
  if (item.report) {
    makeInertReport(*item.report);
  }
  return item;
}

} // namespace

void forEachReport(
    const std::vector<FoundReport>& found,
    ReportDepth depth,
    const Progress& progress,
    const std::function<void(ReadReport)>& visit) {
  std::vector<FastReportReader> readers(OrderedPipeline<ReadReport>::threadCount());
  OrderedPipeline<ReadReport> pipeline(found.size(), [&](size_t thread, size_t i) {
    return readInert(found[i], depth, memoryOfMany(), readers[thread]);
  });
  FastReportReader alone;
  pipeline.run([&](size_t i, ReadReport item) {
    visit(item.report ? std::move(item) : readInert(found[i], depth, maxInputSize(), alone));
    if (progress) {
      progress(i + 1, found.size());
    }
  });
}

struct FastReportReader::State {
  simdjson::dom::parser parser;
};

FastReportReader::FastReportReader() : state_(std::make_unique<State>()) {}
FastReportReader::FastReportReader(FastReportReader&&) noexcept = default;
FastReportReader& FastReportReader::operator=(FastReportReader&&) noexcept = default;
FastReportReader::~FastReportReader() = default;

Result<Report> FastReportReader::read(const std::string& path, ReportDepth depth, uint64_t memory) {
  return catchErrors<Report>(path, [&] {
    Result<std::string> text = readInputText(path, memory);
    return text ? parse(path, *text, depth, memory) : Result<Report>::failure(text.error());
  });
}

Result<Report> FastReportReader::readText(const std::string& name, std::string text, ReportDepth depth) {
  return catchErrors<Report>(name, [&] { return parse(name, text, depth, maxInputSize()); });
}

Result<Report> FastReportReader::parse(const std::string& name, std::string& text, ReportDepth depth, uint64_t memory) {
  constexpr uint64_t kFastTree = 32; ///< bytes per value of simdjson's tape and of the report
  constexpr size_t kMuchMemory = size_t{16} << 20U;
  if (const uint64_t needed = 2 * text.size() + kFastTree * mostJsonValues(text); needed > memory) {
    return Result<Report>::failure(tooLargeText(name, needed));
  }
  if (text.size() > kMuchMemory) { // whose buffers would stay
    State once;
    return parseBy(once, name, text, depth);
  }
  return parseBy(*state_, name, text, depth);
}

Result<Report> FastReportReader::parseBy(State& state, const std::string& name, std::string& text, ReportDepth depth) {
  text.reserve(text.size() + simdjson::SIMDJSON_PADDING); // simdjson reads past the end
  simdjson::dom::element document;
  if (const simdjson::error_code error = state.parser.parse(text).get(document); error != simdjson::SUCCESS) {
    return Result<Report>::failure(name + ": no JSON document: " + simdjson::error_message(error));
  }
  const DomCursor root(document, "report");
  if (const std::string error = schemaError(root.textIfAny(field::kSchema)); !error.empty()) {
    return Result<Report>::failure(name + ": " + error);
  }
  const bool has_all = depth == ReportDepth::kAll;
  return reportFrom(root, ReadScope{.details = has_all, .most_last = has_all ? SIZE_MAX : kMostCompared});
}

} // namespace commtap
