// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/json/report_json.h"

#include <new>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "report/base/json_text.h"
#include "report/json/fields.h"
#include "report/json/json_cursor.h"
#include "report/json/json_write.h"
#include "report/json/report_read.h"
#include "report/json/report_tables.h"
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

/// Writes the tables of a report one after the other.
class TableWriter {
 public:
  TableWriter(std::string& text, const Report& report, const std::function<void(std::string&)>& take)
      : text_(text), report_(report), take_(take), context_{.timed = report.job.timing.isOn()} {}

  void addJob() {
    addObject(field::kJob, report_.job);
  }
  template <typename Document>
  void addTables(const Document& document) {
    forEachTable<Document>([this, &document](const auto& table) {
      const auto& value = document.*table.member;
      if constexpr (std::is_same_v<decltype(value), const std::optional<OwnCost>&>) {
        may_take_ = false;
      }
      if (table.facts.presence != Presence::kIfKnown || isKnown(value)) {
        add(table.name, value);
      }
    });
  }

 private:
  template <Described Row>
  void add(const char* name, const std::vector<Row>& rows) {
    appendRows(text_, name, rows, [this](std::string& document, const Row& row) {
      appendRow(document, row, context_);
      if (may_take_ && document.size() >= kReportPiece) {
        take_(document);
      }
    });
  }
  void add(const char* name, const std::vector<LastCollective>& /*all*/) {
    add<LastCollective>(name, lastToWrite(report_));
  }
  template <typename Value>
  void add(const char* name, const std::optional<Value>& value) {
    add(name, *value);
  }
  void add(const char* name, const OwnCost& cost) {
    addObject(name, cost);
  }
  void add(const char* name, const Nccl& nccl) {
    text_ += ",\n  \"" + std::string(name) + "\": {\"" + field::kVersion + "\": ";
    text_ += jsonLine(textOrNull(nccl.version));
    addTables(nccl);
    text_ += '}';
  }
  template <Described Row>
  void addObject(const char* name, const Row& row) {
    text_ += ",\n  \"" + std::string(name) + "\": ";
    appendRow(text_, row, context_);
  }

  std::string& text_;
  const Report& report_;
  const std::function<void(std::string&)>& take_;
  ReportContext context_;
  bool may_take_ = true; ///< false from own_cost on: the writer of the file still changes that text
};

} // namespace

void appendReport(std::string& text, const Report& report, const std::function<void(std::string&)>& take) {
  text += "{\n  \"" + std::string(field::kSchema) + "\": \"" + std::string(kReportSchema) + "\"";
  TableWriter writer(text, report, take);
  writer.addJob();
  writer.addTables(report);
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
