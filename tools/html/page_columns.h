// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include <nlohmann/json.hpp>

#include "report/job/job_report.h"

/// Helpers that build the columns of the page's tables.
namespace commtap::page {

/// A list of distinct strings. The call operator returns the index of a string, adding it if it is new.
class Strings {
 public:
  size_t operator()(const std::string& text) {
    const auto [entry, is_new] = index_.emplace(text, list_.size());
    if (is_new) {
      list_.push_back(text);
    }
    return entry->second;
  }

  nlohmann::json take() {
    return std::move(list_);
  }

 private:
  std::unordered_map<std::string, size_t> index_;
  nlohmann::json list_ = nlohmann::json::array();
};

template <typename T>
nlohmann::json orNull(const std::optional<T>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

/// Returns the column with `get(row)` for each row.
template <typename Rows, typename Get>
nlohmann::json column(const Rows& rows, Get get) {
  nlohmann::json list = nlohmann::json::array();
  list.get_ref<nlohmann::json::array_t&>().reserve(rows.size());
  for (const auto& row : rows) {
    list.push_back(get(row));
  }
  return list;
}

inline nlohmann::json toJson(const RankRanges& ranges) {
  return column(ranges, [](const auto& range) { return nlohmann::json{range.first, range.second}; });
}

} // namespace commtap::page
