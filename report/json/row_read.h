// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "report/json/columns.h"
#include "report/json/enum_names.h"
#include "report/json/json_cursor.h"
#include "report/json/row_columns.h"
#include "report/model/model.h"
#include "report/model/rank_ranges.h"

namespace commtap {

/// The context of rows without references to other rows.
struct NoContext {};

/// Reads a row from its JSON object. Throws std::runtime_error, which names the field and what was found there. A
/// document with formats of its own needs its own context, and overloads of readField() in this namespace.
template <Described Row, typename Context>
void readRow(const JsonCursor& cursor, Row& row, const Context& context);

template <Described Row, typename Context = NoContext>
Row rowFrom(const JsonCursor& cursor, const Context& context = {}) {
  Row row;
  readRow(cursor, row, context);
  return row;
}

template <Described Row, typename Context = NoContext>
std::vector<Row> rowsFrom(const JsonCursor& cursor, const char* name, const Context& context = {}) {
  return cursor.list<Row>(name, [&context](const JsonCursor& item) { return rowFrom<Row>(item, context); });
}

/// Reads counts by powers of two. Throws if a key is not a number or has no count.
inline Histogram histogramFrom(const JsonCursor& cursor) {
  Histogram histogram;
  for (const auto& [text, count] : cursor.value().items()) {
    const uint64_t from = std::strtoull(text.c_str(), nullptr, 10);
    if (std::to_string(from) != text || !count.is_number_unsigned()) {
      throw std::runtime_error(
          cursor.path() + " has \"" + text.substr(0, 40) + "\", which is not the start of a class with its count");
    }
    histogram[from] = count.get<uint64_t>();
  }
  return histogram;
}

/// Reads ranges of ranks such as "0-3,8".
inline RankRanges rangesFrom(const JsonCursor& cursor) {
  std::optional<RankRanges> ranges = rangesFromText(cursor.as<std::string>("ranges of ranks"));
  if (!ranges) {
    cursor.wrong("ranges of ranks");
  }
  return std::move(*ranges);
}

/// Reads ranks in their order.
inline std::vector<uint32_t> ranksFrom(const JsonCursor& cursor) {
  std::optional<std::vector<uint32_t>> ranks = ranksFromText(cursor.as<std::string>("ranges of ranks"));
  if (!ranks) {
    cursor.wrong("ranges of ranks");
  }
  return std::move(*ranks);
}

/// Adds the ranks at the cursor to `count`. Throws if a document has more than kMostRanks: each takes memory.
inline void addRanks(const JsonCursor& cursor, size_t& count) {
  count += countOf(rangesFrom(cursor));
  if (count > static_cast<size_t>(kMostRanks)) {
    throw std::runtime_error(cursor.path() + ": the document has more ranks than any job");
  }
}

/// Reads the value at the cursor, which is not null. One overload per C++ type and format.

template <typename Context>
void readField(const JsonCursor& cursor, std::string& value, AsItIs, const Context&) {
  value = cursor.as<std::string>("a string");
}
template <typename Context>
void readField(const JsonCursor& cursor, bool& value, AsItIs, const Context&) {
  value = cursor.as<bool>("true or false");
}
template <typename Context>
void readField(const JsonCursor& cursor, double& value, AsItIs, const Context&) {
  value = cursor.as<double>("a number");
}
template <std::integral Number, typename Context>
requires(!std::same_as<Number, bool>) void readField(const JsonCursor& cursor, Number& value, AsItIs, const Context&) {
  value = cursor.integer<Number>();
}
template <NamedEnum Enum, typename Context>
void readField(const JsonCursor& cursor, Enum& value, AsItIs, const Context&) {
  value = cursor.named<Enum>(EnumNames<Enum>::fromName);
}
template <typename Context>
void readField(const JsonCursor& cursor, AsyncOp& value, AsItIs, const Context&) {
  value = cursor.as<bool>("true or false") ? AsyncOp::kYes : AsyncOp::kNo;
}
template <typename Context>
void readField(const JsonCursor& cursor, Timing& value, AsItIs, const Context&) {
  value = cursor.named<Timing>(timingFromText);
}
template <typename Context>
void readField(const JsonCursor& cursor, std::vector<std::string>& values, AsItIs, const Context&) {
  values = cursor.as<std::vector<std::string>>("a list of strings");
}
template <std::integral Number, typename Context>
void readField(const JsonCursor& cursor, std::vector<Number>& values, AsItIs, const Context&) {
  values = cursor.items<Number>([](const JsonCursor& item) { return item.integer<Number>(); });
}
template <typename Context>
void readField(const JsonCursor& cursor, Histogram& histogram, AsItIs, const Context&) {
  histogram = histogramFrom(cursor);
}
template <typename Context>
void readField(const JsonCursor& cursor, CallsByPhase& calls, AsItIs, const Context&) {
  for (size_t phase = 0; phase < calls.size(); ++phase) {
    const std::string name(phaseName(static_cast<Phase>(phase)));
    calls[phase] = cursor.optionalNumber<uint64_t>(name.c_str()).value_or(0);
  }
}
template <Described Row, typename Context>
void readField(const JsonCursor& cursor, Row& row, AsItIs, const Context& context) {
  readRow(cursor, row, context);
}
template <typename Context>
void readField(const JsonCursor& cursor, CollectiveTime& time, AsItIs, const Context& context) {
  for (size_t kind = 0; kind < time.durations.size(); ++kind) {
    const std::string name(durationName(static_cast<DurationKind>(kind)));
    if (cursor.has(name.c_str())) {
      readRow(cursor.at(name.c_str()), time.durations[kind], context);
    }
  }
  if (cursor.has(field::kTimedBytes)) {
    time.bytes = cursor.number<uint64_t>(field::kTimedBytes);
    time.bus_bytes = cursor.at(field::kTimedBusBytes).as<double>("a number");
  }
}
template <Described Row, typename Context>
void readField(const JsonCursor& cursor, std::vector<Row>& rows, AsItIs, const Context& context) {
  rows = cursor.items<Row>([&context](const JsonCursor& item) { return rowFrom<Row>(item, context); });
}
template <Described Row, typename Context>
void readField(const JsonCursor& cursor, std::vector<Row>& rows, Details, const Context& context) {
  readField(cursor, rows, AsItIs(), context);
}
template <typename Value, typename Context>
void readField(const JsonCursor& cursor, Value& value, NullIfEmpty, const Context& context) {
  readField(cursor, value, AsItIs(), context);
}
template <typename Context>
void readField(const JsonCursor& cursor, std::vector<uint32_t>& ranks, RankList, const Context&) {
  ranks = ranksFrom(cursor);
}
template <typename Context>
void readField(const JsonCursor& cursor, RankRanges& ranges, AsItIs, const Context&) {
  ranges = rangesFrom(cursor);
}
template <typename Context>
void readField(const JsonCursor& cursor, uint64_t& realtime_ns, RealTime, const Context&) {
  realtime_ns = cursor.timestamp();
}
template <typename Context>
void readField(const JsonCursor& cursor, std::string& json, JsonObject, const Context&) {
  json = cursor.value().dump();
}
template <typename Value, typename Format, typename Context>
void readField(const JsonCursor& cursor, std::optional<Value>& value, Format format, const Context& context) {
  readField(cursor, value.emplace(), format, context);
}

/// Returns whether the document must have a value in the column, given the columns before it.
template <typename Row, typename Column>
bool isExpected(const Row& row, const Column& column) {
  using Format = typename Column::Format;
  if constexpr (requires { Format::isExpected(row); }) {
    return Format::isExpected(row);
  } else {
    return !mayBeNull(column);
  }
}

template <Described Row, typename Context>
void readRow(const JsonCursor& cursor, Row& row, const Context& context) {
  forEachColumn<Row>([&](const auto& column) {
    using Format = typename std::remove_cvref_t<decltype(column)>::Format;
    auto& value = row.*column.member;
    if constexpr (std::is_same_v<Format, Inline>) {
      readRow(cursor, value, context);
    } else if (isExpected(row, column) || cursor.has(column.name)) {
      const JsonCursor cell = cursor.at(column.name);
      readField(cell, value, Format(), context);
      if (!isInRange(column, value)) {
        cell.wrong(*column.facts.minimum == 0 ? "a number of at least 0" : "a number of at least 1");
      }
    }
  });
}

} // namespace commtap
