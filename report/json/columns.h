// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <type_traits>

#include "report/model/vocabulary.h"

namespace commtap {

/// kColumns<Row> describes a row type of the report: each field's name, member, format and meaning. It generates the
/// JSON writer, the JSON reader, the flat tables, the HTML page's data, the JSON Schemas and the tables of docs/.

/// Selects when a document has a field.
enum class Presence : uint8_t {
  kAlways,
  kIfTimed, ///< written only if the job ran with COMMTAP_TIMING
  kIfKnown, ///< written only if it has a value
};

/// Formats: how to write a field if the member's C++ type does not define it.
struct AsItIs {};
struct NullIfEmpty { ///< null for "" and for an empty list
  static constexpr bool kNullable = true;
};
struct JsonObject { ///< text of a JSON object; null for ""
  static constexpr bool kNullable = true;
};
struct RankList { ///< ranks in their order, written as ranges: "0-63,128"; null for none
  static constexpr bool kNullable = true;
};
struct RealTime {}; ///< ns of CLOCK_REALTIME, written as RFC 3339 in UTC with microseconds
struct Details {};  ///< a list that readers of many reports skip
struct Inline {};   ///< a described row; its fields are written in its place

struct ColumnFacts {
  Presence presence = Presence::kAlways;
  std::optional<int> minimum = 0; ///< the smallest valid number, for the JSON Schema
  bool unique = false;            ///< items of the list are distinct
  const char* ref = nullptr;      ///< the JSON Schema's definition of the value, if the C++ type does not define it
  bool key = false;               ///< part of the row's key (row_key.h): rows that differ in it are different rows
};

/// The type of a field's value, and whether the field can lack it.
template <typename Value>
struct ItemOf {
  using Type = Value;
  static constexpr bool kOptional = false;
};
template <typename Value>
struct ItemOf<std::optional<Value>> {
  using Type = Value;
  static constexpr bool kOptional = true;
};

template <typename Row, typename Value, typename FormatTag>
struct Column {
  using Format = FormatTag;

  const char* name; ///< plain ASCII
  Value Row::*member;
  const char* help; ///< sentences; "" if the JSON Schema's definition of the value is sufficient
  ColumnFacts facts;
};

template <typename Format = AsItIs, typename Row, typename Value>
constexpr Column<Row, Value, Format>
column(const char* name, Value Row::*member, const char* help, ColumnFacts facts = {}) {
  return {name, member, help, facts};
}

/// Returns whether the column may be null or absent in JSON.
template <typename Row, typename Value, typename Format>
constexpr bool mayBeNull(const Column<Row, Value, Format>& column) {
  constexpr bool is_optional = requires(Value value) {
    value.has_value();
  };
  constexpr bool is_by_format = requires {
    requires Format::kNullable;
  };
  return is_optional || is_by_format || std::is_same_v<Value, AsyncOp> || column.facts.presence != Presence::kAlways;
}

/// Returns whether a number is not below the column's minimum. An unsigned number is valid: its type excludes negative
/// ones, and a count of 0 is harmless.
template <typename Column, typename Value>
constexpr bool isInRange(const Column& column, const Value& value) {
  if constexpr (requires { value.has_value(); }) {
    return !value || isInRange(column, *value);
  } else if constexpr (std::is_floating_point_v<Value> || (std::is_integral_v<Value> && std::is_signed_v<Value>)) {
    return !column.facts.minimum || value >= static_cast<Value>(*column.facts.minimum);
  } else {
    return true;
  }
}

/// A tuple of Columns for each described row type.
template <typename Row>
inline constexpr auto kColumns = nullptr;

/// True for a row type that kColumns describes.
template <typename Row>
concept Described = !std::is_same_v<std::remove_cv_t<decltype(kColumns<Row>)>, std::nullptr_t>;

/// Calls `visit` with each column, in writing order.
template <Described Row, typename Visit>
constexpr void forEachColumn(const Visit& visit) {
  std::apply([&visit](const auto&... each) { (visit(each), ...); }, kColumns<Row>);
}

} // namespace commtap
