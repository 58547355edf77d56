// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "report/json/cursor_values.h"

namespace commtap {

/// Reads typed fields of nlohmann's document and tracks the path, so that an error can name the field. Throws
/// std::runtime_error; the entry points of the readers catch it and return a Result. DomCursor, for simdjson's
/// document, has the same functions as far as reports need them.
class JsonCursor : public CursorValues<JsonCursor> {
 public:
  /// Finds the fields of one object.
  class Fields {
   public:
    explicit Fields(const JsonCursor& object) : object_(object) {}

    /// Returns the field `name`; nullopt if there is none.
    std::optional<JsonCursor> find(const char* name) {
      const bool is_there = object_.value_.is_object() && object_.value_.contains(name);
      return is_there ? std::optional(object_.at(name)) : std::nullopt;
    }
    /// Returns false: nlohmann's objects hold each name once.
    static bool mayHaveRepeated() {
      return false;
    }
    void search() {}

   private:
    const JsonCursor& object_;
  };

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

  bool isNull() const {
    return value_.is_null();
  }

  template <typename T>
  T as(const char* wanted) const {
    try {
      return value_.get<T>();
    } catch (const nlohmann::json::exception&) {
      wrong(wanted);
    }
  }

  std::string string(const char* wanted = "a string") const {
    return as<std::string>(wanted);
  }
  bool boolean() const {
    return as<bool>("true or false");
  }
  double real() const {
    return as<double>("a number");
  }
  std::string objectText() const {
    return value_.dump();
  }

  std::string text(const char* name) const {
    return at(name).string();
  }
  /// Returns the string `name`; nullopt if there is none.
  std::optional<std::string> textIfAny(const char* name) const {
    return has(name) && value_[name].is_string() ? std::optional(text(name)) : std::nullopt;
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

  /// Returns nullopt for any other value. Checks range and type: nlohmann would truncate 4294967296 to 0 and read true
  /// as 1.
  template <typename T>
  std::optional<T> integerIfAny() const {
    const bool is_unsigned = value_.is_number_unsigned();
    const bool fits = is_unsigned ? std::in_range<T>(value_.get<uint64_t>())
                                  : value_.is_number_integer() && std::in_range<T>(value_.get<int64_t>());
    return fits ? std::optional(value_.get<T>()) : std::nullopt;
  }

  [[noreturn]] void wrong(const char* wanted) const {
    throw std::runtime_error(path_ + " is " + value_.dump().substr(0, 40) + ", not " + wanted);
  }

  template <typename Value>
  Value named(std::optional<Value> (*fromName)(std::string_view)) const {
    const std::optional<Value> found = fromName(string());
    if (!found) {
      throw std::runtime_error(path_ + " is " + value_.dump().substr(0, 40) + ", which is unknown");
    }
    return *found;
  }
  template <typename Value>
  Value name(const char* field_name, std::optional<Value> (*fromName)(std::string_view)) const {
    return at(field_name).named(fromName);
  }

  /// Returns the results of `read` for the last `most` items of a list.
  template <typename T, typename Read>
  std::vector<T> lastItems(size_t most, const Read& read) const {
    if (!value_.is_array()) {
      throw std::runtime_error(path_ + " is not a list");
    }
    const size_t size = value_.size();
    std::vector<T> items;
    items.reserve(std::min(size, most));
    for (size_t i = size - std::min(size, most); i < size; ++i) {
      items.push_back(read(JsonCursor(value_[i], path_ + "[" + std::to_string(i) + "]")));
    }
    return items;
  }
  /// Returns the results of `read` for each item of a list.
  template <typename T, typename Read>
  std::vector<T> items(const Read& read) const {
    return lastItems<T>(SIZE_MAX, read);
  }
  template <typename T, typename Read>
  std::vector<T> list(const char* name, const Read& read) const {
    return at(name).items<T>(read);
  }

  /// Calls visit(name, value) for each field of an object.
  template <typename Visit>
  void forEachField(const Visit& visit) const {
    if (!value_.is_object()) {
      wrong("an object");
    }
    for (const auto& [name, value] : value_.items()) {
      visit(name, JsonCursor(value, path_ + "." + name));
    }
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
