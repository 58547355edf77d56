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

#include <nlohmann/json.hpp>

#include "report/base/timestamp.h"
#include "report/json/columns.h"
#include "report/model/model.h"
#include "report/model/vocabulary.h"

/// Converts fields of described rows to cells of flat tables.
namespace commtap::cells {

/// Whether a cell holds text: a text, a time or a name.
template <typename Item, typename Format>
constexpr bool isText() {
  if constexpr (std::is_same_v<Format, JsonObject>) {
    return false;
  } else {
    return std::is_same_v<Format, RealTime> || std::is_same_v<Item, std::string> || NamedEnum<Item> ||
           std::is_same_v<Item, Timing>;
  }
}

/// Returns the SQL type of a cell; "" for a value that is not a cell, such as a list of rows.
template <typename Value, typename Format>
constexpr std::string_view sqlType() {
  using Item = typename ItemOf<Value>::Type;
  if constexpr (isText<Item, Format>()) {
    return "VARCHAR";
  } else if constexpr (std::is_same_v<Item, bool> || std::is_same_v<Item, AsyncOp>) {
    return "BOOLEAN";
  } else if constexpr (std::integral<Item>) {
    return "BIGINT";
  } else if constexpr (std::floating_point<Item>) {
    return "DOUBLE";
  } else if constexpr (std::is_same_v<Item, std::vector<std::string>>) {
    return "VARCHAR[]";
  } else if constexpr (std::is_same_v<Item, std::vector<uint32_t>>) {
    return "BIGINT[]";
  } else {
    return "";
  }
}

/// Returns the cell of a value whose sqlType() is not "".
template <typename Value, typename Format>
nlohmann::json cellOf(const Value& value, Format format) {
  if constexpr (requires { value.has_value(); }) {
    return value ? cellOf(*value, format) : nlohmann::json(nullptr);
  } else if constexpr (std::is_same_v<Format, NullIfEmpty> || std::is_same_v<Format, RankList>) {
    return value.empty() ? nlohmann::json(nullptr) : nlohmann::json(value);
  } else if constexpr (std::is_same_v<Format, RealTime>) {
    return formatTimestamp(value);
  } else if constexpr (NamedEnum<Value>) {
    return EnumNames<Value>::name(value);
  } else if constexpr (std::is_same_v<Value, Timing>) {
    return timingText(value);
  } else if constexpr (std::is_same_v<Value, AsyncOp>) {
    return value == AsyncOp::kUnknown ? nlohmann::json(nullptr) : nlohmann::json(value == AsyncOp::kYes);
  } else {
    return value;
  }
}

/// Returns the help text of a column: its own, or else that of its type.
template <typename Row, typename Value, typename Format>
std::string helpOf(const Column<Row, Value, Format>& column) {
  if constexpr (NamedEnum<Value>) {
    return *column.help == '\0' ? std::string(EnumNames<Value>::kHelp) : column.help;
  }
  return column.help;
}

} // namespace commtap::cells
