// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "report/base/timestamp.h"

namespace commtap {

/// Writes an object such as `{"module":"Global","count":3}` directly into a document, with the text of jsonLine(). Long
/// tables need it: the job's exit waits for them, and a nlohmann object per row takes ten times as long.
class JsonRow {
 public:
  explicit JsonRow(std::string& document) : document_(document) {
    put("{");
  }
  JsonRow(const JsonRow&) = delete;
  JsonRow& operator=(const JsonRow&) = delete;
  ~JsonRow() {
    put("}");
    flush();
  }

  // `name`: plain text of at most kMaxName bytes, which all field names are. Inline, because names are literals: the
  // compiler turns the copy into a few moves.
  void addText(std::string_view name, std::string_view value) {
    putName(name);
    putText(value);
  }
  /// Adds null for "".
  void addTextOrNull(std::string_view name, std::string_view value) {
    putName(name);
    if (value.empty()) {
      put("null");
    } else {
      putText(value);
    }
  }
  void addTexts(std::string_view name, const std::vector<std::string>& values) {
    putList(name, values, [this](const std::string& value) { putText(value); });
  }
  template <std::integral Number>
  void addNumber(std::string_view name, Number value) {
    putName(name);
    putNumber(value);
  }
  template <typename Number>
  void addNumbers(std::string_view name, const std::vector<Number>& values) {
    putList(name, values, [this](Number value) { putNumber(value); });
  }
  /// Adds the text of numberJson().
  void addReal(std::string_view name, double value) {
    putName(name);
    putReal(value);
  }
  void addBool(std::string_view name, bool value) {
    putName(name);
    put(value ? std::string_view("true") : std::string_view("false"));
  }
  void addNull(std::string_view name) {
    putName(name);
    put("null");
  }
  /// Adds a value of any other type.
  void addJson(std::string_view name, const nlohmann::ordered_json& value) {
    putName(name);
    putJson(value);
  }
  /// Adds a list. `append` appends the text of an item to the document.
  template <typename Items, typename Append>
  void addList(std::string_view name, const Items& items, Append append) {
    putList(name, items, [&](const auto& item) {
      flush();
      append(document_, item);
    });
  }
  /// Begins a nested object. Complete it before adding to this one.
  JsonRow addObject(std::string_view name) {
    putName(name);
    flush();
    return JsonRow(document_);
  }

 private:
  static constexpr size_t kMaxName = 508;
  static constexpr size_t kMaxPunctuation = 4; ///< around a name: ,"":

  void put(std::string_view text) {
    if (!makeRoom(text.size())) {
      document_ += text;
      return;
    }
    append(text);
  }
  /// Flushes if `bytes` do not fit. Returns false if the empty buffer is too small for them.
  bool makeRoom(size_t bytes) {
    if (bytes > pending_.size() - used_) {
      flush();
    }
    return bytes <= pending_.size();
  }
  /// Appends text that fits the buffer.
  void append(std::string_view text) {
    used_ += text.copy(pending_.data() + used_, text.size()); // not memcpy(): the data of "" may be nullptr
  }
  void flush() {
    document_.append(pending_.data(), used_);
    used_ = 0;
  }
  template <typename Items, typename PutItem>
  void putList(std::string_view name, const Items& items, PutItem putItem) {
    putName(name);
    put("[");
    std::string_view separator;
    for (const auto& item : items) {
      put(separator);
      putItem(item);
      separator = ",";
    }
    put("]");
  }
  [[gnu::always_inline]] void putName(std::string_view name) {
    makeRoom(name.size() + kMaxPunctuation);
    append(is_first_ ? std::string_view("\"") : std::string_view(",\""));
    append(name);
    append("\":");
    is_first_ = false;
  }
  void putText(std::string_view value);
  template <std::integral Number>
  void putNumber(Number value) {
    constexpr size_t kMaxDigits = 20; // length of 2^64 - 1 and of -2^63
    makeRoom(kMaxDigits);
    char* const begin = pending_.data() + used_;
    used_ += static_cast<size_t>(std::to_chars(begin, begin + kMaxDigits, value).ptr - begin);
  }
  void putReal(double value);
  void putJson(const nlohmann::ordered_json& value);

  std::string& document_;
  bool is_first_ = true;
  size_t used_ = 0;
  /// The end of the document. Appended in blocks of about a dozen fields.
  std::array<char, kMaxName + kMaxPunctuation> pending_;
};

/// Helpers that write commtap's JSON documents: one table row per line, null for unknown values, invalid UTF-8 in names
/// replaced.

/// Returns the output of `--json`: one line, in ASCII.
inline std::string jsonDocument(const nlohmann::ordered_json& value) {
  return value.dump(-1, ' ', /*ensure_ascii=*/true, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

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
