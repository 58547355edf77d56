// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

#include <simdjson.h>

#include "report/base/timestamp.h"
#include "report/json/columns.h"
#include "report/json/enum_names.h"
#include "report/json/fields.h"
#include "report/json/nccl_columns.h"
#include "report/json/process_columns.h"
#include "report/json/row_columns.h"
#include "report/merge/fast_json.h"
#include "report/merge/fast_report_json.h"
#include "report/model/model.h"
#include "report/model/rank_ranges.h"

/// Reads described rows with simdjson. Throws the exceptions of fast_json.h.
namespace commtap::fast_json {

template <Described Row>
Row rowFrom(dom::object object, ReportDepth depth);

template <Described Row>
std::vector<Row> rowsFrom(dom::element value, ReportDepth depth) {
  std::vector<Row> rows;
  const dom::array items = value.get_array();
  rows.reserve(items.size());
  for (const dom::element item : items) {
    rows.push_back(rowFrom<Row>(item.get_object(), depth));
  }
  return rows;
}

/// Reads a value that is not null. One overload per C++ type and format.

inline void get(dom::element element, std::string& value, AsItIs, ReportDepth) {
  value = text(element);
}
inline void get(dom::element element, bool& value, AsItIs, ReportDepth) {
  value = element.get_bool();
}
inline void get(dom::element element, double& value, AsItIs, ReportDepth) {
  value = element.get_double();
}
template <std::integral Number>
void get(dom::element element, Number& value, AsItIs, ReportDepth) {
  value = integer<Number>(element);
}
template <NamedEnum Enum>
void get(dom::element element, Enum& value, AsItIs, ReportDepth) {
  value = sure(EnumNames<Enum>::fromName(element.get_string()));
}
inline void get(dom::element element, AsyncOp& value, AsItIs, ReportDepth) {
  value = element.get_bool() ? AsyncOp::kYes : AsyncOp::kNo;
}
inline void get(dom::element element, Timing& value, AsItIs, ReportDepth) {
  value = sure(timingFromText(element.get_string()));
}
inline void get(dom::element element, std::vector<std::string>& values, AsItIs, ReportDepth) {
  for (const dom::element item : element.get_array()) {
    values.push_back(text(item));
  }
}
template <std::integral Number>
void get(dom::element element, std::vector<Number>& values, AsItIs, ReportDepth) {
  const dom::array items = element.get_array();
  values.reserve(items.size());
  for (const dom::element item : items) {
    values.push_back(integer<Number>(item));
  }
}
inline void get(dom::element element, Histogram& histogram, AsItIs, ReportDepth) {
  for (const dom::key_value_pair entry : element.get_object()) {
    uint64_t from = 0;
    const char* const end = entry.key.data() + entry.key.size();
    if (std::from_chars(entry.key.data(), end, from) != std::from_chars_result{end, std::errc()}) {
      throw NotSure("a class that is not a number");
    }
    histogram[from] = integer<uint64_t>(entry.value);
  }
}
inline void get(dom::element element, CallsByPhase& calls, AsItIs, ReportDepth) {
  for (const dom::key_value_pair entry : element.get_object()) {
    calls[static_cast<size_t>(sure(phaseFromName(entry.key)))] = integer<uint64_t>(entry.value);
  }
}
template <Described Row>
void get(dom::element element, Row& row, AsItIs, ReportDepth depth) {
  row = rowFrom<Row>(element.get_object(), depth);
}
inline void get(dom::element element, CollectiveTime& time, AsItIs, ReportDepth depth) {
  const dom::object object = element.get_object();
  checkNames(object);
  for (size_t kind = 0; kind < time.durations.size(); ++kind) {
    dom::object durations;
    if (object[durationName(static_cast<DurationKind>(kind))].get(durations) == simdjson::SUCCESS) {
      time.durations[kind] = rowFrom<Durations>(durations, depth);
    }
  }
  if (dom::element bytes; object[field::kTimedBytes].get(bytes) == simdjson::SUCCESS) {
    time.bytes = integer<uint64_t>(bytes);
    time.bus_bytes = object[field::kTimedBusBytes].get_double();
  }
}
template <Described Row>
void get(dom::element element, std::vector<Row>& rows, AsItIs, ReportDepth depth) {
  rows = rowsFrom<Row>(element, depth);
}
template <Described Row>
void get(dom::element element, std::vector<Row>& rows, Details, ReportDepth depth) {
  if (depth == ReportDepth::kAll) {
    rows = rowsFrom<Row>(element, depth);
  }
}
template <typename Value>
void get(dom::element element, Value& value, NullIfEmpty, ReportDepth depth) {
  get(element, value, AsItIs(), depth);
}
inline void get(dom::element element, std::vector<uint32_t>& ranks, RankList, ReportDepth) {
  ranks = sure(ranksFromText(element.get_string()));
}
inline void get(dom::element element, uint64_t& realtime_ns, RealTime, ReportDepth) {
  realtime_ns = sure(parseTimestamp(text(element)));
}
inline void get(dom::element element, std::string& json, JsonObject, ReportDepth) {
  json = simdjson::minify(dom::object(element.get_object()));
}
template <typename Value, typename Format>
void get(dom::element element, std::optional<Value>& value, Format format, ReportDepth depth) {
  get(element, value.emplace(), format, depth);
}

/// Returns the field `name`, or nullopt if there is none. Fields are mostly in the order of columns, so the field at
/// `next` is tried before a search. Advances `next` if that field matches.
inline std::optional<dom::element> fieldOf(dom::object object, dom::object::iterator& next, std::string_view name) {
  if (next != object.end() && next.key() == name) {
    const dom::element value = next.value();
    ++next;
    return value;
  }
  dom::element value;
  return object[name].get(value) == simdjson::SUCCESS ? std::optional(value) : std::nullopt;
}

template <Described Row>
Row rowFrom(dom::object object, ReportDepth depth) {
  Row row;
  dom::object::iterator next = object.begin();
  forEachColumn<Row>([&](const auto& column) {
    using Format = typename std::remove_cvref_t<decltype(column)>::Format;
    const std::optional<dom::element> field = fieldOf(object, next, column.name);
    if (field && !field->is_null()) {
      get(*field, row.*column.member, Format(), depth);
      if (!isInRange(column, row.*column.member)) {
        throw NotSure("a number out of range");
      }
    } else if (!mayBeNull(column)) {
      throw NotSure("a field is missing");
    }
  });
  if (next != object.end()) { // not exactly these columns in this order
    checkNames(object);
  }
  return row;
}

} // namespace commtap::fast_json
