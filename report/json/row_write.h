// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "report/base/json_text.h"
#include "report/base/timestamp.h"
#include "report/json/columns.h"
#include "report/json/json_row.h"
#include "report/json/row_columns.h"
#include "report/model/model.h"
#include "report/model/rank_ranges.h"
#include "report/model/vocabulary.h"

namespace commtap {

/// The context for writing rows of a report.
struct ReportContext {
  bool timed = false; ///< write the fields of Presence::kIfTimed
};

/// Appends the row as a JSON object. A document with formats of its own needs its own context, and overloads of
/// addField() in this namespace.
template <Described Row, typename Context>
void appendRow(std::string& text, const Row& row, const Context& context);

template <typename Row, typename Context>
void addFields(JsonRow& object, const Row& row, const Context& context);

/// Adds the field `name` to `row`. One overload per C++ type and format.

template <typename Context>
void addField(JsonRow& row, std::string_view name, const std::string& value, AsItIs, const Context&) {
  row.addText(name, value);
}
template <std::same_as<bool> Bool, typename Context>
void addField(JsonRow& row, std::string_view name, Bool value, AsItIs, const Context&) {
  row.addBool(name, value);
}
template <typename Context>
void addField(JsonRow& row, std::string_view name, double value, AsItIs, const Context&) {
  row.addReal(name, value);
}
template <std::integral Number, typename Context>
requires(!std::same_as<Number, bool>) void addField(
    JsonRow& row,
    std::string_view name,
    Number value,
    AsItIs,
    const Context&) {
  row.addNumber(name, value);
}
template <NamedEnum Enum, typename Context>
void addField(JsonRow& row, std::string_view name, Enum value, AsItIs, const Context&) {
  row.addText(name, EnumNames<Enum>::name(value));
}
template <typename Context>
void addField(JsonRow& row, std::string_view name, AsyncOp value, AsItIs, const Context&) {
  value == AsyncOp::kUnknown ? row.addNull(name) : row.addBool(name, value == AsyncOp::kYes);
}
template <typename Context>
void addField(JsonRow& row, std::string_view name, Timing value, AsItIs, const Context&) {
  row.addText(name, timingText(value));
}
template <typename Context>
void addField(JsonRow& row, std::string_view name, const std::vector<std::string>& values, AsItIs, const Context&) {
  row.addTexts(name, values);
}
template <std::integral Number, typename Context>
void addField(JsonRow& row, std::string_view name, const std::vector<Number>& values, AsItIs, const Context&) {
  row.addNumbers(name, values);
}
template <typename Context>
void addField(JsonRow& row, std::string_view name, const Histogram& histogram, AsItIs, const Context&) {
  JsonRow object = row.addObject(name);
  for (const auto& [from, count] : histogram) {
    object.addNumber(std::to_string(from), count);
  }
}
template <typename Context>
void addField(JsonRow& row, std::string_view name, const CallsByPhase& calls, AsItIs, const Context&) {
  JsonRow object = row.addObject(name);
  for (size_t phase = 0; phase < calls.size(); ++phase) {
    if (calls[phase] > 0) {
      object.addNumber(phaseName(static_cast<Phase>(phase)), calls[phase]);
    }
  }
}
template <Described Row, typename Context>
void addField(JsonRow& row, std::string_view name, const Row& value, AsItIs, const Context& context) {
  JsonRow object = row.addObject(name);
  addFields(object, value, context);
}
template <typename Context>
void addField(JsonRow& row, std::string_view name, const CollectiveTime& time, AsItIs, const Context& context) {
  JsonRow object = row.addObject(name);
  for (size_t kind = 0; kind < time.durations.size(); ++kind) {
    if (time.durations[kind].count > 0) {
      addField(object, durationName(static_cast<DurationKind>(kind)), time.durations[kind], AsItIs(), context);
    }
  }
  if (!time.stalled_in.empty()) {
    addField(object, field::kStalledIn, longestFirst(time.stalled_in), AsItIs(), context);
  }
  if (time.bytes > 0 && time.of(DurationKind::kRunning).sum_ns > 0) { // a barrier has no bandwidth
    object.addNumber(field::kTimedBytes, time.bytes);
    object.addReal(field::kTimedBusBytes, time.bus_bytes);
    object.addReal("algbw_bytes_per_second", time.algorithmBandwidth());
    object.addReal("busbw_bytes_per_second", time.busBandwidth());
  }
}
template <Described Row, typename Context>
void addField(JsonRow& row, std::string_view name, const std::vector<Row>& rows, AsItIs, const Context& context) {
  row.addList(name, rows, [&](std::string& document, const Row& item) { appendRow(document, item, context); });
}
template <Described Row, typename Context>
void addField(JsonRow& row, std::string_view name, const std::vector<Row>& rows, Details, const Context& context) {
  addField(row, name, rows, AsItIs(), context);
}
template <typename Value, typename Context>
void addField(JsonRow& row, std::string_view name, const Value& value, NullIfEmpty, const Context& context) {
  value.empty() ? row.addNull(name) : addField(row, name, value, AsItIs(), context);
}
template <typename Context>
void addField(JsonRow& row, std::string_view name, const std::vector<uint32_t>& ranks, RankList, const Context&) {
  row.addTextOrNull(name, rangesText(ranks));
}
template <typename Context>
void addField(JsonRow& row, std::string_view name, const RankRanges& ranges, AsItIs, const Context&) {
  row.addText(name, rangesText(ranges));
}
template <typename Context>
void addField(JsonRow& row, std::string_view name, const std::vector<RankRanges>& all, AsItIs, const Context&) {
  std::vector<std::string> texts;
  for (const RankRanges& ranges : all) {
    texts.push_back(rangesText(ranges));
  }
  row.addTexts(name, texts);
}
template <typename Context>
void addField(JsonRow& row, std::string_view name, uint64_t realtime_ns, RealTime, const Context&) {
  row.addText(name, formatTimestamp(realtime_ns));
}
template <typename Context>
void addField(JsonRow& row, std::string_view name, const std::string& json, JsonObject, const Context&) {
  const std::string_view text = nestsTooDeeply(json) ? std::string_view() : json;
  const nlohmann::ordered_json object = nlohmann::ordered_json::parse(text, nullptr, /*allow_exceptions=*/false);
  object.is_object() ? row.addJson(name, object) : row.addNull(name);
}
template <typename Value, typename Format, typename Context>
void addField(
    JsonRow& row,
    std::string_view name,
    const std::optional<Value>& value,
    Format format,
    const Context& context) {
  value ? addField(row, name, *value, format, context) : row.addNull(name);
}

/// Returns whether to write a value of Presence::kIfKnown.
template <typename Value>
bool isKnown(const Value& /*value*/) {
  return true;
}
inline bool isKnown(const bool& value) {
  return value;
}
inline bool isKnown(const uint64_t& number) {
  return number > 0;
}
inline bool isKnown(const std::string& text) {
  return !text.empty();
}
template <typename Value>
bool isKnown(const std::optional<Value>& value) {
  return value.has_value();
}
template <typename Row>
bool isKnown(const std::vector<Row>& rows) {
  return !rows.empty();
}
inline bool isKnown(const CollectiveTime& time) {
  return time.isKnown();
}
inline bool isKnown(const Splits& splits) {
  return splits.calls > 0;
}
inline bool isKnown(const PeerBytes& peers) {
  return !peers.empty();
}

template <typename Row, typename Column, typename Context>
void addColumn(JsonRow& object, const Row& row, const Column& column, const Context& context) {
  using Format = typename Column::Format;
  const auto& value = row.*column.member;
  const Presence presence = column.facts.presence;
  if ((presence == Presence::kIfTimed && !context.timed) || (presence == Presence::kIfKnown && !isKnown(value))) {
    return;
  }
  if constexpr (std::is_same_v<Format, Inline>) {
    addFields(object, value, context);
  } else if constexpr (requires { addFieldOf(object, row, column, context); }) {
    addFieldOf(object, row, column, context);
  } else {
    addField(object, column.name, value, Format(), context);
  }
}

template <typename Row, typename Context>
void addFields(JsonRow& object, const Row& row, const Context& context) {
  forEachColumn<Row>([&](const auto& column) { addColumn(object, row, column, context); });
}

template <Described Row, typename Context>
void appendRow(std::string& text, const Row& row, const Context& context) {
  JsonRow object(text);
  addFields(object, row, context);
}

/// Returns a document that is one row, as a command prints it with `--json`.
template <Described Row>
std::string jsonDocument(const Row& row) {
  std::string text;
  appendRow(text, row, ReportContext());
  return text + "\n";
}

} // namespace commtap
