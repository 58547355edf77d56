// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

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
  bool key = false;               ///< part of the row's key: rows that differ in it are different rows
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

/// The meaning of the field `schema` of every document that a command prints.
inline constexpr const char* kSchemaHelp = "The version of this format. A reader must reject another major version.";
/// The meaning of the field `other_runs` of every document about one run of a folder.
inline constexpr const char* kOtherRunsHelp =
    "The number of other runs that were found in the same folder and left out.";

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

/// The key of a row: the columns whose description has `.key = true`, in the order of the columns.

namespace row_key {

/// Returns the part of column `kIndex` as a tuple of one; an empty tuple for a column outside of the key.
template <typename Row, size_t kIndex, typename PartOf>
constexpr auto part(const PartOf& partOf) {
  constexpr const auto& kColumn = std::get<kIndex>(kColumns<Row>);
  if constexpr (kColumn.facts.key) {
    return std::tuple<decltype(partOf(kColumn))>(partOf(kColumn));
  } else {
    return std::tuple<>();
  }
}

template <typename Row, typename PartOf, size_t... kIndex>
constexpr auto parts(const PartOf& partOf, std::index_sequence<kIndex...> /*columns*/) {
  // Braces, because the arguments of a function are evaluated in any order.
  const std::tuple<decltype(part<Row, kIndex>(partOf))...> ordered{part<Row, kIndex>(partOf)...};
  return std::apply([](const auto&... each) { return std::tuple_cat(each...); }, ordered);
}

} // namespace row_key

/// Calls partOf(column) for each column of the key, in order, and returns the results as a tuple. A reference stays
/// one.
template <Described Row, typename PartOf>
constexpr auto keyParts(const PartOf& partOf) {
  constexpr size_t kCount = std::tuple_size_v<std::remove_cv_t<decltype(kColumns<Row>)>>;
  return row_key::parts<Row>(partOf, std::make_index_sequence<kCount>());
}

/// Returns the row's key: references to its members.
template <Described Row>
constexpr auto keyOf(const Row& row) {
  return keyParts<Row>([&row](const auto& column) -> const auto& { return row.*column.member; });
}

/// Sets each member of `row` that is part of the key: calls set(member, part) with the part of `key` at its place.
template <Described Row, typename Key, typename Set>
void setKey(Row& row, const Key& key, const Set& set) {
  const auto members = keyParts<Row>([&row](const auto& column) -> auto& { return row.*column.member; });
  static_assert(std::tuple_size_v<decltype(members)> == std::tuple_size_v<Key>);
  [&]<size_t... kIndex>(std::index_sequence<kIndex...> /*parts*/) {
    (set(std::get<kIndex>(members), std::get<kIndex>(key)), ...);
  }
  (std::make_index_sequence<std::tuple_size_v<Key>>());
}

/// Returns the position of a column in the key. Throws, and so does not compile, for a column outside of it.
template <Described Row>
consteval size_t keyIndex(std::string_view name) {
  size_t index = 0;
  bool is_found = false;
  forEachColumn<Row>([&](const auto& column) {
    is_found = is_found || (column.facts.key && column.name == name);
    index += column.facts.key && !is_found ? 1 : 0;
  });
  return is_found ? index : throw std::logic_error("not a column of the key");
}

/// Returns the names of the columns of the key.
template <Described Row>
std::vector<std::string_view> keyNames() {
  std::vector<std::string_view> names;
  forEachColumn<Row>([&names](const auto& column) {
    if (column.facts.key) {
      names.emplace_back(column.name);
    }
  });
  return names;
}

} // namespace commtap
