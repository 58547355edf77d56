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
#include "report/json/nccl_columns.h"
#include "report/json/process_columns.h"
#include "report/json/row_columns.h"
#include "report/json/row_read.h"
#include "report/json/row_write.h"

namespace commtap {
namespace {

using nlohmann::json;
using Cursor = JsonCursor;

std::string schemaError(const json& document) {
  if (!document.is_object() || !document.contains(field::kSchema) || !document[field::kSchema].is_string()) {
    return "not a commtap report: it has no field \"schema\"";
  }
  const auto schema = document[field::kSchema].get<std::string>();
  if (schema == kReportSchema) {
    return {};
  }
  if (schema.rfind("commtap/", 0) == 0) {
    return "a report of schema " + schema + ", this commtap reads " + std::string(kReportSchema) +
           ": use the commtap that the job ran with";
  }
  return "not a commtap report: its schema is \"" + schema.substr(0, 40) + "\"";
}

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
    return Result<T>::failure(schemaError(json()));
  }
  try {
    const json document = json::parse(text);
    if (std::string error = schemaError(document); !error.empty()) {
      return Result<T>::failure(std::move(error));
    }
    return read(Cursor(document, "report"));
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

Job jobFrom(const Cursor& root) {
  Job job = rowFrom<Job>(root.at(field::kJob));
  if (!hasValidRank(job)) {
    throw std::runtime_error(
        "report.job.rank is " + std::to_string(*job.rank) + ", but report.job.world_size is " +
        std::to_string(*job.world_size));
  }
  return job;
}

void checkRanks(const Cursor& root) {
  size_t ranks = 0;
  root.list<int>(field::kGroups, [&ranks](const Cursor& group) {
    if (group.has(field::kRanks)) {
      addRanks(group.at(field::kRanks), ranks);
    }
    return 0;
  });
}

Nccl ncclFrom(const Cursor& cursor) {
  return {
      .version = cursor.textOrEmpty(field::kVersion),
      .communicators = rowsFrom<NcclCommunicator>(cursor, field::kCommunicators),
      .calls = rowsFrom<NcclCall>(cursor, field::kCalls),
      .open = cursor.has(field::kOpen) ? rowsFrom<NcclOpenCall>(cursor, field::kOpen) : std::vector<NcclOpenCall>()};
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

Result<Report> reportFromJson(std::string_view text) {
  return fromJson<Report>(text, [](const Cursor& root) {
    Report report;
    report.job = jobFrom(root);
    checkRanks(root);
    report.groups = rowsFrom<Group>(root, field::kGroups);
    report.modules = rowsFrom<Module>(root, field::kModules);
    report.collectives = rowsFrom<Collective>(root, field::kCollectives);
    if (root.has(field::kMembers)) {
      report.members = rowsFrom<Member>(root, field::kMembers);
    }
    if (root.has(field::kOperations)) {
      report.operations = rowsFrom<Operation>(root, field::kOperations);
    }
    if (root.has(field::kSteps)) {
      report.steps = rowsFrom<Step>(root, field::kSteps);
    }
    if (root.has(field::kLast)) {
      report.last = rowsFrom<LastCollective>(root, field::kLast);
    }
    if (root.has(field::kNccl)) {
      report.nccl = ncclFrom(root.at(field::kNccl));
    }
    if (root.has(field::kCudaGraphs)) {
      report.cuda_graphs = rowsFrom<CudaGraph>(root, field::kCudaGraphs);
    }
    if (root.has(field::kOwnCost)) {
      report.own_cost = rowFrom<OwnCost>(root.at(field::kOwnCost));
    }
    report.not_seen = rowsFrom<NotSeenEntry>(root, field::kNotSeen);
    return report;
  });
}

Result<Job> jobFromJson(std::string_view text) {
  return fromJson<Job>(text, jobFrom);
}

} // namespace commtap
