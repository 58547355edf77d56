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

/// A row type of the report is described once: kColumns<Row> lists each field's name, member, format and meaning. The
/// JSON writer, both JSON readers, the flat tables, the HTML page's data, the JSON Schemas and the pages of docs/
/// follow from it.

/// When a document has a field.
enum class Presence : uint8_t {
  kAlways,
  kLenient, ///< always written and asked for by the JSON Schema; readers keep the member's default without it
  kNewer,   ///< always written; absent in documents of an older commtap, where the member keeps its default
  kIfTimed, ///< written only if the job ran with COMMTAP_TIMING
  kIfKnown, ///< written only if it has a value
};

/// Formats: how a field is written where the member's C++ type does not say.
struct AsItIs {};
struct NullIfEmpty { ///< null for "" and for an empty list
  static constexpr bool kNullable = true;
};
struct JsonObject { ///< text of a JSON object, null for ""
  static constexpr bool kNullable = true;
};
struct RealTime {}; ///< ns of CLOCK_REALTIME, written as RFC 3339 in UTC with microseconds
struct Details {};  ///< a list that is skipped by readers of many reports
struct Inline {};   ///< a described row whose fields are written in its place

struct ColumnFacts {
  Presence presence = Presence::kAlways;
  std::optional<int> minimum = 0; ///< the smallest valid number, for the JSON Schema
  bool unique = false;            ///< whether no item of a list occurs twice
  const char* ref = nullptr;      ///< the JSON Schema's definition of the value, where the C++ type does not say
};

template <typename Row, typename Value, typename FormatTag>
struct Column {
  using Format = FormatTag;

  const char* name; ///< plain ASCII
  Value Row::*member;
  const char* help; ///< sentences; "" if the JSON Schema's definition of the value says it all
  ColumnFacts facts;
};

template <typename Format = AsItIs, typename Row, typename Value>
constexpr Column<Row, Value, Format>
column(const char* name, Value Row::*member, const char* help, ColumnFacts facts = {}) {
  return {name, member, help, facts};
}

/// Whether JSON may hold null for the column, or lack it.
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

/// A tuple of Columns for each described row type.
template <typename Row>
inline constexpr auto kColumns = nullptr;

/// True for a row type that kColumns describes.
template <typename Row>
concept Described = !std::is_same_v<std::remove_cv_t<decltype(kColumns<Row>)>, std::nullptr_t>;

/// Calls `visit` with each column, in the order in which they are written.
template <Described Row, typename Visit>
constexpr void forEachColumn(const Visit& visit) {
  std::apply([&visit](const auto&... each) { (visit(each), ...); }, kColumns<Row>);
}

} // namespace commtap
