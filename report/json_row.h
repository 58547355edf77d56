// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace commtap {

/// Writes one object straight into a document, `{"module":"Global","count":3}`, with the text that jsonLine() would
/// make of it. For the tables that have a row for everything a job does: they are written while the job waits to end,
/// and an object of nlohmann's for each row takes ten times as long.
class JsonRow {
 public:
  explicit JsonRow(std::string& document) : document_(document) {
    document_ += '{';
  }
  JsonRow(const JsonRow&) = delete;
  JsonRow& operator=(const JsonRow&) = delete;
  ~JsonRow() {
    document_ += '}';
  }

  // `name`: plain text, as all names of fields are.
  void addText(std::string_view name, std::string_view value);
  /// null for "".
  void addTextOrNull(std::string_view name, std::string_view value);
  void addTexts(std::string_view name, const std::vector<std::string>& values);
  void addNumber(std::string_view name, uint64_t value);
  /// As numberJson() writes it.
  void addReal(std::string_view name, double value);
  void addBool(std::string_view name, bool value);
  void addNull(std::string_view name);
  /// Any other value.
  void addJson(std::string_view name, const nlohmann::ordered_json& value);
  /// An object within this one, which goes on when that is complete.
  JsonRow addObject(std::string_view name) {
    appendName(name);
    return JsonRow(document_);
  }

 private:
  void appendName(std::string_view name);
  void appendText(std::string_view value);

  std::string& document_;
  bool is_first_ = true;
};

} // namespace commtap
