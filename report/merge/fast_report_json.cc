// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/merge/fast_report_json.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <simdjson.h>

#include "report/base/catch_errors.h"
#include "report/base/json_text.h"
#include "report/base/text_file.h"
#include "report/json/fields.h"
#include "report/json/report_json.h"
#include "report/json/report_tables.h"
#include "report/merge/fast_rows.h"
#include "report/merge/job_order.h"

namespace commtap {
namespace {

namespace dom = fast_json::dom;
using fast_json::NotSure;
using fast_json::rowFrom;

/// Returns the newest `most` of the last collectives.
std::vector<LastCollective> lastFrom(dom::array rows, size_t most) {
  std::vector<LastCollective> last;
  const size_t skipped = rows.size() > most ? rows.size() - most : 0;
  last.reserve(rows.size() - skipped);
  size_t position = 0;
  for (const dom::element row : rows) {
    if (position++ >= skipped) {
      last.push_back(rowFrom<LastCollective>(row.get_object(), ReportDepth::kAll));
    }
  }
  return last;
}

template <typename Document>
void readTables(dom::object object, Document& document, ReportDepth depth);

template <typename Value>
void readTable(dom::element element, Value& value, ReportDepth depth) {
  fast_json::get(element, value, AsItIs(), depth);
}
void readTable(dom::element element, std::vector<LastCollective>& last, ReportDepth depth) {
  last = lastFrom(element.get_array(), depth == ReportDepth::kAll ? SIZE_MAX : kMostCompared);
}
void readTable(dom::element element, std::optional<Nccl>& nccl, ReportDepth depth) {
  const dom::object object = element.get_object();
  fast_json::checkNames(object);
  nccl.emplace();
  if (const dom::element version = object[field::kVersion]; !version.is_null()) {
    nccl->version = fast_json::text(version);
  }
  readTables(object, *nccl, depth);
}

template <typename Document>
void readTables(dom::object object, Document& document, ReportDepth depth) {
  forEachTable<Document>([&object, &document, depth](const auto& table) {
    if (dom::element value; object[table.name].get(value) == simdjson::SUCCESS) {
      readTable(value, document.*table.member, depth);
    } else if (!mayBeNull(table)) {
      throw NotSure("a table is missing");
    }
  });
}

/// Leaves a document with more ranks than any job to the slow reader, which refuses it.
void checkRanks(dom::array groups) {
  size_t ranks = 0;
  for (const dom::element group : groups) {
    if (std::string_view text; group[field::kRanks].get(text) == simdjson::SUCCESS) {
      ranks += countOf(fast_json::sure(rangesFromText(text)));
    }
  }
  if (ranks > static_cast<size_t>(kMostRanks)) {
    throw NotSure("too many ranks");
  }
}

Report reportFrom(dom::element document, ReportDepth depth) {
  const dom::object root = document.get_object();
  if (std::string_view(root[field::kSchema].get_string()) != kReportSchema) {
    throw NotSure("another schema");
  }
  fast_json::checkNames(root);
  Report report;
  report.job = rowFrom<Job>(root[field::kJob].get_object(), depth);
  if (!hasValidRank(report.job)) {
    throw NotSure("a rank beyond the world size");
  }
  checkRanks(root[field::kGroups].get_array());
  readTables(root, report, depth);
  return report;
}

} // namespace

struct FastReportReader::State {
  dom::parser parser;
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
  if (const uint64_t needed = 2 * text.size() + jsonMemory(text, kFastTree); needed > memory) {
    return Result<Report>::failure(tooLargeText(name, needed));
  }
  if (text.size() > kMuchMemory) { // whose buffers would stay
    State once;
    return parseBy(once, name, text, depth, memory);
  }
  return parseBy(*state_, name, text, depth, memory);
}

Result<Report> FastReportReader::parseBy(
    State& state,
    const std::string& name,
    std::string& text,
    ReportDepth depth,
    uint64_t memory) {
  try {
    text.reserve(text.size() + simdjson::SIMDJSON_PADDING); // simdjson reads past the end
    return reportFrom(state.parser.parse(text), depth);
  } catch (const std::exception&) {
    state = State(); // its buffers are as large as what follows
    const uint64_t needed = text.size() + jsonMemory(text);
    Result<Report> report =
        needed > memory ? Result<Report>::failure(tooLargeText(name, needed)) : reportFromJson(text);
    return report || needed > memory ? report : Result<Report>::failure(name + ": " + report.error());
  }
}

} // namespace commtap
