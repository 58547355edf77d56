// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/merge/report_reader.h"

#include <optional>
#include <utility>

#include "report/base/catch_errors.h"
#include "report/base/ordered_pipeline.h"
#include "report/base/text_file.h"
#include "report/json/inert_row.h"
#include "report/ledger_reader/ledger_reader.h"
#include "report/runs/report_paths.h"

namespace commtap {
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

} // namespace commtap
