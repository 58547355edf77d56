// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "report/base/timestamp.h"

namespace commtap {

/// Helpers that write commtap's JSON documents: one table row per line, null for unknown values, invalid UTF-8 in names
/// replaced.

inline std::string jsonLine(const nlohmann::ordered_json& value) {
  return value.dump(-1, ' ', /*ensure_ascii=*/false, nlohmann::ordered_json::error_handler_t::replace);
}

template <typename T>
nlohmann::ordered_json orNull(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

inline nlohmann::ordered_json textOrNull(const std::string& value) {
  return value.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(value);
}

inline nlohmann::ordered_json timeOrNull(const std::optional<uint64_t>& realtime_ns) {
  return realtime_ns ? nlohmann::ordered_json(formatTimestamp(*realtime_ns)) : nlohmann::ordered_json(nullptr);
}

/// Returns whether a number fits uint64_t and is written without a fraction: 96, not 96.0.
inline bool isWhole(double value) {
  return std::floor(value) == value && value >= 0 && value < 9e15;
}
inline nlohmann::ordered_json numberJson(double value) {
  return isWhole(value) ? nlohmann::ordered_json(static_cast<uint64_t>(value)) : nlohmann::ordered_json(value);
}

/// Adds `,"name": [...]` to a document. `append` adds a row to it.
template <typename T, typename Append>
void appendRows(std::string& text, const char* name, const std::vector<T>& rows, Append append) {
  text += ",\n  \"" + std::string(name) + "\": [";
  const char* separator = "\n    ";
  for (const T& row : rows) {
    text += separator;
    append(text, row);
    separator = ",\n    ";
  }
  text += rows.empty() ? "]" : "\n  ]";
}

template <typename T, typename ToJson>
void appendTable(std::string& text, const char* name, const std::vector<T>& rows, ToJson toJson) {
  appendRows(text, name, rows, [&](std::string& document, const T& row) { document += jsonLine(toJson(row)); });
}

} // namespace commtap
