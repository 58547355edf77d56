// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "report/json/whole_report.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include <nlohmann/json.hpp>

#include "report/json/report_json.h"

namespace commtap {
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

} // namespace commtap
