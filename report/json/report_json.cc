// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/json/report_json.h"

#include <algorithm>
#include <cstddef>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "report/base/json_text.h"
#include "report/base/text_file.h"
#include "report/json/fields.h"
#include "report/json/json_cursor.h"
#include "report/json/json_row.h"
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

namespace {

using nlohmann::json;

/// Returns the number of names that stand at the same places in both documents.
size_t commonNames(const json& one, const json& other) {
  size_t names = 0;
  if (one.is_object() && other.is_object()) {
    for (const auto& [name, value] : one.items()) {
      if (const auto found = other.find(name); found != other.end()) {
        names += 1 + commonNames(value, *found);
      }
    }
  }
  if (one.is_array() && other.is_array()) {
    for (size_t i = 0; i < std::min(one.size(), other.size()); ++i) {
      names += commonNames(one[i], other[i]);
    }
  }
  return names;
}

/// Returns whether every name in the document of a report is one that commtap writes there for this report.
bool holdsNothingElse(std::string_view text, const Report& report) {
  const std::string written = reportToJson(report);
  if (text == written) { // usually
    return true;
  }
  size_t names = 0; // also the repeated ones, of which the parsed document holds one
  const json document = json::parse(text, [&names](int /*depth*/, json::parse_event_t event, json& /*parsed*/) {
    names += event == json::parse_event_t::key ? 1 : 0;
    return true;
  });
  return commonNames(document, json::parse(written)) == names;
}

} // namespace

Result<Report> wholeReportFromJson(std::string_view text) {
  Result<Report> report = reportFromJson(text);
  if (report && !holdsNothingElse(text, *report)) {
    return Result<Report>::failure("it holds more than a report");
  }
  return report;
}

namespace {

constexpr int kHeadLines = 3; ///< the brace, `schema` and `job`, as reportToJson() writes them

/// Returns the end of line kHeadLines.
size_t endOfHead(std::string_view start) {
  size_t end = 0;
  for (int i = 0; i < kHeadLines && end != std::string_view::npos; ++i) {
    end = start.find('\n', i == 0 ? 0 : end + 1);
  }
  return end;
}

/// Returns the start of an input, with the first kHeadLines lines unless they are longer than any report's.
Result<std::string> firstLines(const std::string& path) {
  constexpr size_t kUsual = 8U << 10U;  // bytes
  constexpr size_t kMost = 256U << 10U; // command lines are truncated far below this
  Result<std::string> start = readStartOfInput(path, kUsual);
  const bool is_enough = !start || start->size() < kUsual || endOfHead(*start) != std::string_view::npos;
  return is_enough ? start : readStartOfInput(path, kMost);
}

/// Removes blanks and then `token` from the start of `text`. Returns false if `token` does not follow.
bool take(std::string_view& text, std::string_view token) {
  const size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos || !text.substr(start).starts_with(token)) {
    return false;
  }
  text.remove_prefix(start + token.size());
  return true;
}

} // namespace

Result<Job> jobOfReportHead(std::string_view start) {
  std::string head(start.substr(0, endOfHead(start))); // completed to a JSON document below
  if (const size_t end = head.find_last_not_of(" \t\r\n"); end != std::string::npos && head[end] == ',') {
    head[end] = '}';
  }
  return jobFromJson(head);
}

Result<Job> readReportHead(const std::string& path, uint64_t memory) {
  const Result<std::string> start = firstLines(path);
  if (!start) {
    return Result<Job>::failure(start.error());
  }
  if (Result<Job> job = jobOfReportHead(*start)) {
    return job;
  }
  const Result<std::string> text = readJsonInput(path, memory);
  if (!text) {
    return Result<Job>::failure(text.error());
  }
  Result<Job> job = jobFromJson(*text);
  return job ? job : Result<Job>::failure(path + ": " + job.error());
}

std::optional<std::string> schemaOf(std::string_view text) {
  const std::string name = std::string("\"") + field::kSchema + "\"";
  take(text, "\xef\xbb\xbf"); // a byte order mark, which JSON's readers pass over
  if (!take(text, "{") || !take(text, name) || !take(text, ":") || !take(text, "\"")) {
    return std::nullopt;
  }
  const size_t end = text.find('"');
  return end == std::string_view::npos ? std::nullopt : std::optional<std::string>(text.substr(0, end));
}

std::optional<std::string> schemaOfFile(const std::string& path) {
  constexpr size_t kEnough = 256; ///< bytes
  const Result<std::string> start = readStartOfInput(path, kEnough);
  return start ? schemaOf(*start) : std::nullopt;
}

bool isOtherDocument(const std::string& path) {
  const std::optional<std::string> schema = schemaOfFile(path);
  return schema && (schema->starts_with("commtap.") || schema->starts_with("commtap-"));
}

} // namespace commtap
