// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/merge/fast_report_json.h"

#include <cstdint>
#include <utility>

#include <simdjson.h>

#include "report/base/catch_errors.h"
#include "report/base/json_text.h"
#include "report/base/text_file.h"
#include "report/json/fields.h"
#include "report/json/report_json.h"
#include "report/json/report_read.h"
#include "report/merge/dom_cursor.h"
#include "report/merge/job_order.h"

namespace commtap {

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
