// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "report/json/columns.h"
#include "report/json/row_columns.h"
#include "report/model/model.h"
#include "report/model/rank_ranges.h"
#include "report/model/vocabulary.h"

namespace commtap {

/// The context of rows without references to other rows.
struct NoContext {};

/// Reads a row from its JSON object, at a JsonCursor or a DomCursor (simdjson's, in the tools). Throws
/// std::runtime_error, which names the field and what was found there. A document with formats of its own needs its own
/// context, and overloads of readField() in this namespace.
template <typename Cursor, Described Row, typename Context>
void readRow(const Cursor& cursor, Row& row, const Context& context);

template <Described Row, typename Cursor, typename Context = NoContext>
Row rowFrom(const Cursor& cursor, const Context& context = {}) {
  Row row;
  readRow(cursor, row, context);
  return row;
}

template <Described Row, typename Cursor, typename Context = NoContext>
std::vector<Row> rowsFrom(const Cursor& cursor, const char* name, const Context& context = {}) {
  return cursor.template list<Row>(name, [&context](const Cursor& item) { return rowFrom<Row>(item, context); });
}

/// Reads counts by powers of two. Throws if a name is not a number or has no count.
template <typename Cursor>
Histogram histogramFrom(const Cursor& cursor) {
  Histogram histogram;
  cursor.forEachField([&](std::string_view name, const Cursor& count) {
    uint64_t from = 0;
    const char* const end = name.data() + name.size();
    const bool is_number = std::from_chars(name.data(), end, from) == std::from_chars_result{end, std::errc()};
    const std::optional<uint64_t> calls = count.template integerIfAny<uint64_t>();
    if (!is_number || std::to_string(from) != name || !calls) {
      throw std::runtime_error(
          cursor.path() + " has \"" + std::string(name.substr(0, 40)) +
          "\", which is not the start of a class with its count");
    }
    histogram[from] = *calls;
  });
  return histogram;
}

/// Reads ranges of ranks such as "0-3,8".
template <typename Cursor>
RankRanges rangesFrom(const Cursor& cursor) {
  std::optional<RankRanges> ranges = rangesFromText(cursor.string("ranges of ranks"));
  if (!ranges) {
    cursor.wrong("ranges of ranks");
  }
  return std::move(*ranges);
}

/// Reads ranks in their order.
template <typename Cursor>
std::vector<uint32_t> ranksFrom(const Cursor& cursor) {
  std::optional<std::vector<uint32_t>> ranks = ranksFromText(cursor.string("ranges of ranks"));
  if (!ranks) {
    cursor.wrong("ranges of ranks");
  }
  return std::move(*ranks);
}

/// Adds the ranks at the cursor to `count`. Throws if a document has more than kMostRanks: each takes memory.
template <typename Cursor>
void addRanks(const Cursor& cursor, size_t& count) {
  count += countOf(rangesFrom(cursor));
  if (count > static_cast<size_t>(kMostRanks)) {
    throw std::runtime_error(cursor.path() + ": the document has more ranks than any job");
  }
}

/// Reads the value at the cursor, which is not null. One overload per C++ type and format.

template <typename Cursor, typename Context>
void readField(const Cursor& cursor, std::string& value, AsItIs, const Context&) {
  value = cursor.string();
}
template <typename Cursor, typename Context>
void readField(const Cursor& cursor, bool& value, AsItIs, const Context&) {
  value = cursor.boolean();
}
template <typename Cursor, typename Context>
void readField(const Cursor& cursor, double& value, AsItIs, const Context&) {
  value = cursor.real();
}
template <typename Cursor, std::integral Number, typename Context>
requires(!std::same_as<Number, bool>) void readField(const Cursor& cursor, Number& value, AsItIs, const Context&) {
  value = cursor.template integer<Number>();
}
template <typename Cursor, NamedEnum Enum, typename Context>
void readField(const Cursor& cursor, Enum& value, AsItIs, const Context&) {
  value = cursor.template named<Enum>(EnumNames<Enum>::fromName);
}
template <typename Cursor, typename Context>
void readField(const Cursor& cursor, AsyncOp& value, AsItIs, const Context&) {
  value = cursor.boolean() ? AsyncOp::kYes : AsyncOp::kNo;
}
template <typename Cursor, typename Context>
void readField(const Cursor& cursor, Timing& value, AsItIs, const Context&) {
  value = cursor.template named<Timing>(timingFromText);
}
template <typename Cursor, typename Context>
void readField(const Cursor& cursor, std::vector<std::string>& values, AsItIs, const Context&) {
  values = cursor.template items<std::string>([](const Cursor& item) { return item.string(); });
}
template <typename Cursor, std::integral Number, typename Context>
void readField(const Cursor& cursor, std::vector<Number>& values, AsItIs, const Context&) {
  values = cursor.template items<Number>([](const Cursor& item) { return item.template integer<Number>(); });
}
template <typename Cursor, typename Context>
void readField(const Cursor& cursor, Histogram& histogram, AsItIs, const Context&) {
  histogram = histogramFrom(cursor);
}
template <typename Cursor, typename Context>
void readField(const Cursor& cursor, CallsByPhase& calls, AsItIs, const Context&) {
  cursor.forEachField([&calls](std::string_view name, const Cursor& count) {
    const std::optional<Phase> phase = phaseFromName(name);
    if (phase && !count.isNull()) {
      calls[static_cast<size_t>(*phase)] = count.template integer<uint64_t>();
    }
  });
}
template <typename Cursor, Described Row, typename Context>
void readField(const Cursor& cursor, Row& row, AsItIs, const Context& context) {
  readRow(cursor, row, context);
}
template <typename Cursor, typename Context>
void readField(const Cursor& cursor, CollectiveTime& time, AsItIs, const Context& context) {
  for (size_t kind = 0; kind < time.durations.size(); ++kind) {
    const std::string name(durationName(static_cast<DurationKind>(kind)));
    if (cursor.has(name.c_str())) {
      readRow(cursor.at(name.c_str()), time.durations[kind], context);
    }
  }
  std::vector<StalledIn> stalls;
  if (cursor.has(field::kStalledIn)) {
    readField(cursor.at(field::kStalledIn), stalls, AsItIs(), context);
  }
  for (const StalledIn& row : stalls) {
    addStall(time.stalled_in, {row.module, row.phase}, {row.count, row.exposed_ns});
  }
  if (cursor.has(field::kTimedBytes)) {
    time.bytes = cursor.template number<uint64_t>(field::kTimedBytes);
    time.bus_bytes = cursor.at(field::kTimedBusBytes).real();
  }
}
template <typename Cursor, Described Row, typename Context>
void readField(const Cursor& cursor, std::vector<Row>& rows, AsItIs, const Context& context) {
  rows = cursor.template items<Row>([&context](const Cursor& item) { return rowFrom<Row>(item, context); });
}
template <typename Cursor, Described Row, typename Context>
void readField(const Cursor& cursor, std::vector<Row>& rows, Details, const Context& context) {
  readField(cursor, rows, AsItIs(), context);
}
template <typename Cursor, typename Value, typename Context>
void readField(const Cursor& cursor, Value& value, NullIfEmpty, const Context& context) {
  readField(cursor, value, AsItIs(), context);
}
template <typename Cursor, typename Context>
void readField(const Cursor& cursor, std::vector<uint32_t>& ranks, RankList, const Context&) {
  ranks = ranksFrom(cursor);
}
template <typename Cursor, typename Context>
void readField(const Cursor& cursor, RankRanges& ranges, AsItIs, const Context&) {
  ranges = rangesFrom(cursor);
}
template <typename Cursor, typename Context>
void readField(const Cursor& cursor, uint64_t& realtime_ns, RealTime, const Context&) {
  realtime_ns = cursor.timestamp();
}
template <typename Cursor, typename Context>
void readField(const Cursor& cursor, std::string& json, JsonObject, const Context&) {
  json = cursor.objectText();
}
template <typename Cursor, typename Value, typename Format, typename Context>
void readField(const Cursor& cursor, std::optional<Value>& value, Format format, const Context& context) {
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

/// Reads the columns of a row; `fields` are those of the object at `cursor`.
template <typename Cursor, Described Row, typename Context>
void readColumns(const Cursor& cursor, typename Cursor::Fields& fields, Row& row, const Context& context) {
  forEachColumn<Row>([&](const auto& column) {
    using Format = typename std::remove_cvref_t<decltype(column)>::Format;
    auto& value = row.*column.member;
    if constexpr (std::is_same_v<Format, Inline>) {
      readColumns(cursor, fields, value, context);
    } else if (const std::optional<Cursor> cell = fields.find(column.name); cell && !cell->isNull()) {
      readField(*cell, value, Format(), context);
      if (!isInRange(column, value)) {
        cell->wrong(*column.facts.minimum == 0 ? "a number of at least 0" : "a number of at least 1");
      }
    } else if (isExpected(row, column)) {
      readField(cursor.at(column.name), value, Format(), context); // says what is wrong
    }
  });
}

template <typename Cursor, Described Row, typename Context>
void readRow(const Cursor& cursor, Row& row, const Context& context) {
  typename Cursor::Fields fields(cursor);
  readColumns(cursor, fields, row, context);
  if (fields.mayHaveRepeated()) {
    row = Row();
    fields.search();
    readColumns(cursor, fields, row, context);
  }
}

} // namespace commtap
