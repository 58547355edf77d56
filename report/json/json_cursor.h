// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "report/base/timestamp.h"

namespace commtap {

/// Reads typed fields and tracks the path, so that an error can name the field. Throws std::runtime_error; the entry
/// points of the readers catch it and return a Result.
class JsonCursor {
 public:
  JsonCursor(const nlohmann::json& value, std::string path) : value_(value), path_(std::move(path)) {}

  JsonCursor at(const char* name) const {
    if (!value_.is_object() || !value_.contains(name)) {
      throw std::runtime_error(path_ + "." + name + " is missing");
    }
    return {value_[name], path_ + "." + name};
  }

  bool has(const char* name) const {
    return value_.is_object() && value_.contains(name) && !value_[name].is_null();
  }

  template <typename T>
  T as(const char* wanted) const {
    try {
      return value_.get<T>();
    } catch (const nlohmann::json::exception&) {
      wrong(wanted);
    }
  }

  std::string text(const char* name) const {
    return at(name).as<std::string>("a string");
  }

  std::string textOrEmpty(const char* name) const {
    return has(name) ? text(name) : std::string();
  }

  template <typename T>
  T number(const char* name) const {
    return at(name).integer<T>();
  }

  template <typename T>
  std::optional<T> optionalNumber(const char* name) const {
    return has(name) ? std::optional<T>(number<T>(name)) : std::nullopt;
  }

  /// Checks range and type: nlohmann would truncate 4294967296 to 0 and read true as 1.
  template <typename T>
  T integer() const {
    const bool is_unsigned = value_.is_number_unsigned();
    const bool fits = is_unsigned ? std::in_range<T>(value_.get<uint64_t>())
                                  : value_.is_number_integer() && std::in_range<T>(value_.get<int64_t>());
    if (!fits) {
      wrong(std::is_unsigned_v<T> ? "a count" : "an integer");
    }
    return value_.get<T>();
  }

  template <typename T>
  std::vector<T> integers(const char* name) const {
    return list<T>(name, [](const JsonCursor& cursor) { return cursor.integer<T>(); });
  }

  /// Returns ns of CLOCK_REALTIME.
  uint64_t timestamp() const {
    const std::optional<uint64_t> time = parseTimestamp(as<std::string>("a string"));
    if (!time) {
      wrong("a time");
    }
    return *time;
  }

  [[noreturn]] void wrong(const char* wanted) const {
    throw std::runtime_error(path_ + " is " + value_.dump().substr(0, 40) + ", not " + wanted);
  }

  template <typename Value>
  Value named(std::optional<Value> (*fromName)(std::string_view)) const {
    const std::optional<Value> found = fromName(as<std::string>("a string"));
    if (!found) {
      throw std::runtime_error(path_ + " is " + value_.dump().substr(0, 40) + ", which is unknown");
    }
    return *found;
  }
  template <typename Value>
  Value name(const char* field_name, std::optional<Value> (*fromName)(std::string_view)) const {
    return at(field_name).named(fromName);
  }

  /// Returns the results of `read` for each item of a list.
  template <typename T, typename Read>
  std::vector<T> items(const Read& read) const {
    if (!value_.is_array()) {
      throw std::runtime_error(path_ + " is not a list");
    }
    std::vector<T> items;
    items.reserve(value_.size());
    for (size_t i = 0; i < value_.size(); ++i) {
      items.push_back(read(JsonCursor(value_[i], path_ + "[" + std::to_string(i) + "]")));
    }
    return items;
  }
  template <typename T, typename Read>
  std::vector<T> list(const char* name, const Read& read) const {
    return at(name).items<T>(read);
  }

  const nlohmann::json& value() const {
    return value_;
  }
  /// Returns a path such as "report.collectives[3].count".
  const std::string& path() const {
    return path_;
  }

 private:
  const nlohmann::json& value_;
  std::string path_;
};

} // namespace commtap
