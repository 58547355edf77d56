// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
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
    put("{");
  }
  JsonRow(const JsonRow&) = delete;
  JsonRow& operator=(const JsonRow&) = delete;
  ~JsonRow() {
    put("}");
    flush();
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
  /// A list of what `append` makes of each item, which it adds to the document.
  template <typename T, typename Append>
  void addList(std::string_view name, const std::vector<T>& items, Append append) {
    putList(name, items, [&](const T& item) {
      flush();
      append(document_, item);
    });
  }
  /// An object within this one, which goes on when that is complete.
  JsonRow addObject(std::string_view name) {
    putName(name);
    flush();
    return JsonRow(document_);
  }

 private:
  void put(std::string_view text) {
    if (text.size() > pending_.size() - used_) {
      flush();
      if (text.size() > pending_.size()) {
        document_ += text;
        return;
      }
    }
    used_ += text.copy(pending_.data() + used_, text.size()); // and not memcpy(), which must not be given a null of ""
  }
  void flush() {
    document_.append(pending_.data(), used_);
    used_ = 0;
  }
  template <typename T, typename PutItem>
  void putList(std::string_view name, const std::vector<T>& items, PutItem putItem) {
    putName(name);
    put("[");
    for (size_t i = 0; i < items.size(); ++i) {
      put(i == 0 ? std::string_view() : std::string_view(","));
      putItem(items[i]);
    }
    put("]");
  }
  void putName(std::string_view name);
  void putText(std::string_view value);

  std::string& document_;
  bool is_first_ = true;
  size_t used_ = 0;
  std::array<char, 512> pending_; ///< the end of the document, which takes up pieces of a dozen fields at a time
};

} // namespace commtap
