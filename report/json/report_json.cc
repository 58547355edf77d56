// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/json/report_json.h"

#include <new>
#include <stdexcept>
#include <utility>

#include <nlohmann/json.hpp>

#include "report/base/json_text.h"
#include "report/json/fields.h"
#include "report/json/json_cursor.h"
#include "report/json/json_write.h"
#include "report/json/report_read.h"
#include "report/json/row_write.h"

namespace commtap {
namespace {

using nlohmann::json;
using Cursor = JsonCursor;

/// Returns whether a large document is certainly no report. Parsing it would take many times its size in memory.
bool isLargeForeign(std::string_view text) {
  constexpr size_t kLarge = 16U << 20U; // bytes
  return text.size() > kLarge && text.find("\"commtap") == std::string_view::npos;
}

template <typename T>
Result<T> fromJson(std::string_view text, T (*read)(const Cursor&)) {
  if (nestsTooDeeply(text)) {
    return Result<T>::failure("no report: its values are nested too deeply");
  }
  if (isLargeForeign(text)) {
    return Result<T>::failure(schemaError(std::nullopt));
  }
  try {
    const json document = json::parse(text);
    const Cursor root(document, "report");
    if (std::string error = schemaError(root.textIfAny(field::kSchema)); !error.empty()) {
      return Result<T>::failure(std::move(error));
    }
    return read(root);
  } catch (const json::parse_error& error) {
    return Result<T>::failure("no JSON document (at byte " + std::to_string(error.byte) + ")");
  } catch (const std::bad_alloc&) {
    return Result<T>::failure("not enough memory to read it");
  } catch (const std::exception& error) {
    constexpr size_t kMost = 200; // the text may quote a number of any length
    return Result<T>::failure(std::string(error.what()).substr(0, kMost));
  }
}

/// How many last collectives the report of a process that exited normally has. After any other end, each may matter.
constexpr size_t kLastOfNormalEnd = 100;

std::vector<LastCollective> lastToWrite(const Report& report) {
  const bool by_itself = exitsByItself(report.job.exit);
  const bool few = by_itself && report.last.size() > kLastOfNormalEnd;
  return {report.last.end() - static_cast<ptrdiff_t>(few ? kLastOfNormalEnd : report.last.size()), report.last.end()};
}

template <typename AppendRow>
void appendNccl(std::string& text, const Nccl& nccl, const AppendRow& append_row) {
  text += ",\n  \"" + std::string(field::kNccl) + "\": {\"" + field::kVersion + "\": ";
  text += jsonLine(textOrNull(nccl.version));
  appendRows(text, field::kCommunicators, nccl.communicators, append_row);
  appendRows(text, field::kCalls, nccl.calls, append_row);
  if (!nccl.open.empty()) {
    appendRows(text, field::kOpen, nccl.open, append_row);
  }
  text += '}';
}

} // namespace

void appendReport(std::string& text, const Report& report, const std::function<void(std::string&)>& take) {
  text += "{\n  \"" + std::string(field::kSchema) + "\": \"" + std::string(kReportSchema) + "\"";
  const ReportContext context{.timed = report.job.timing.isOn()};
  text += ",\n  \"" + std::string(field::kJob) + "\": ";
  appendRow(text, report.job, context);
  const auto append_row = [&take, &context](std::string& document, const auto& row) {
    appendRow(document, row, context);
    if (document.size() >= kReportPiece) {
      take(document);
    }
  };
  appendRows(text, field::kGroups, report.groups, append_row);
  appendRows(text, field::kModules, report.modules, append_row);
  appendRows(text, field::kCollectives, report.collectives, append_row);
  if (!report.members.empty()) {
    appendRows(text, field::kMembers, report.members, append_row);
  }
  if (report.operations) {
    appendRows(text, field::kOperations, *report.operations, append_row);
  }
  appendRows(text, field::kSteps, report.steps, append_row);
  appendRows(text, field::kLast, lastToWrite(report), append_row);
  if (report.nccl) {
    appendNccl(text, *report.nccl, append_row);
  }
  if (!report.cuda_graphs.empty()) {
    appendRows(text, field::kCudaGraphs, report.cuda_graphs, append_row);
  }
  if (report.own_cost) {
    text += ",\n  \"" + std::string(field::kOwnCost) + "\": ";
    appendRow(text, *report.own_cost, context);
  }
  // From own_cost on, `take` is not called: the writer of the file still changes that text.
  appendRows(text, field::kNotSeen, report.not_seen, [&context](std::string& document, const NotSeenEntry& row) {
    appendRow(document, row, context);
  });
  text += "\n}\n";
}

std::string reportToJson(const Report& report) {
  constexpr size_t kRowBytes = 300; // roughly
  std::string text;
  text.reserve((report.modules.size() + report.collectives.size()) * kRowBytes);
  appendReport(text, report, [](std::string&) {});
  return text;
}

std::string schemaError(const std::optional<std::string>& schema) {
  if (!schema) {
    return "not a commtap report: it has no field \"schema\"";
  }
  if (*schema == kReportSchema) {
    return {};
  }
  if (schema->starts_with("commtap/")) {
    return "a report of schema " + *schema + ", this commtap reads " + std::string(kReportSchema) +
           ": use the commtap that the job ran with";
  }
  return "not a commtap report: its schema is \"" + schema->substr(0, 40) + "\"";
}

Result<Report> reportFromJson(std::string_view text) {
  return fromJson<Report>(text, [](const Cursor& root) { return reportFrom(root, ReadScope()); });
}

Result<Job> jobFromJson(std::string_view text) {
  return fromJson<Job>(text, jobFrom<Cursor>);
}

} // namespace commtap
