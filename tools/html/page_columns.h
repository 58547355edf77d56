// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "report/job/job_detail_columns.h"
#include "report/job/job_report.h"
#include "report/verify/verification.h"

/// Helpers that build the columns of the page's tables; the facts of a run on every page, and the text of its data.
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
nlohmann::json cellOrNull(const std::optional<T>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

/// Returns the column with `get(row)` for each row.
template <typename Rows, typename Get>
nlohmann::json columnOf(const Rows& rows, Get get) {
  nlohmann::json list = nlohmann::json::array();
  list.get_ref<nlohmann::json::array_t&>().reserve(rows.size());
  for (const auto& row : rows) {
    list.push_back(get(row));
  }
  return list;
}

/// The context for building the columns of described rows.
struct ColumnContext {
  std::initializer_list<std::string_view> wanted; ///< names of the page's columns
  Strings& strings;
};

inline bool isWanted(const ColumnContext& context, std::string_view name) {
  return std::find(context.wanted.begin(), context.wanted.end(), name) != context.wanted.end();
}

/// Returns whether a field can be a column of the page; lists cannot.
template <typename Value>
constexpr bool isCell() {
  if constexpr (requires { typename Value::value_type; } && !std::is_same_v<Value, std::string>) {
    return requires(Value value) {
      value.has_value();
    };
  } else {
    return std::is_same_v<Value, std::string> || std::is_arithmetic_v<Value> || std::is_enum_v<Value>;
  }
}

/// Returns the cell of a value: a number for a phase or kind, an index into `strings` for a text.
template <typename Value>
nlohmann::json cell(const Value& value, Strings& strings) {
  if constexpr (requires { value.has_value(); }) {
    return value ? cell(*value, strings) : nlohmann::json(nullptr);
  } else if constexpr (std::is_same_v<Value, std::string>) {
    return strings(value);
  } else if constexpr (std::is_same_v<Value, ExitKind>) {
    return exitKindName(value);
  } else {
    return value;
  }
}

/// Adds the wanted columns of `rows` to `document`. A Spread becomes `name` for the sum, and `name_min`, `name_max`,
/// `name_min_rank` and `name_max_rank` for its ranks. `get(row)`: the described part of a row.
template <Described Row, typename Rows, typename Get>
void addColumns(nlohmann::json& document, const Rows& rows, const Get& get, const ColumnContext& context) {
  const auto add = [&](const std::string& name, const auto& valueOf) {
    if (isWanted(context, name)) {
      document[name] = columnOf(rows, [&](const auto& row) { return cell(valueOf(get(row)), context.strings); });
    }
  };
  forEachColumn<Row>([&](const auto& described) {
    using Value = std::remove_cvref_t<decltype(std::declval<Row>().*described.member)>;
    using Format = typename std::remove_cvref_t<decltype(described)>::Format;
    const auto member = described.member;
    const std::string name = described.name;
    if constexpr (std::is_same_v<Format, Inline>) {
      const auto part = [&](const auto& row) -> const Value& { return get(row).*member; };
      addColumns<Value>(document, rows, part, context);
    } else if constexpr (requires(Value value) { value.min_rank; }) {
      add(name, [member](const Row& row) { return (row.*member).sum; });
      add(name + "_min", [member](const Row& row) { return (row.*member).min; });
      add(name + "_max", [member](const Row& row) { return (row.*member).max; });
      add(name + "_min_rank", [member](const Row& row) { return (row.*member).min_rank; });
      add(name + "_max_rank", [member](const Row& row) { return (row.*member).max_rank; });
    } else if constexpr (isCell<Value>()) {
      add(name, [member](const Row& row) { return row.*member; });
    }
  });
}

/// Returns the wanted columns of described rows.
template <Described Row>
nlohmann::json
columnsOf(const std::vector<Row>& rows, std::initializer_list<std::string_view> wanted, Strings& strings) {
  nlohmann::json document = nlohmann::json::object();
  addColumns<Row>(document, rows, std::identity(), {wanted, strings});
  return document;
}

inline nlohmann::json toJson(const RankRanges& ranges) {
  return columnOf(ranges, [](const auto& range) { return nlohmann::json{range.first, range.second}; });
}

/// Returns the facts of the page's header.
nlohmann::json factsOf(const JobReport& job);

/// Returns the table of processes. Times are in ns since 1970; `end` has the words of endText().
nlohmann::json processesOf(const JobReport& job, Strings& strings);

/// Returns the names of the phases or kinds, by number.
nlohmann::json phaseNames();
nlohmann::json kindNames();

/// Returns the document as ASCII JSON that is safe in a <script> element.
std::string documentText(const nlohmann::json& document);

/// Returns the page data of the job's NCCL calls; null if there are none.
nlohmann::json ncclOf(const JobReport& job, Strings& strings);

/// Returns a list with what `commtap advise` says of the job: `rule`, `text`, `link`, `group`, `stake`, `rows` (numbers
/// of rows of the page, the first of them) and `row_count`.
nlohmann::json adviceOf(const JobReport& job);

/// Returns what `commtap verify` says: `status`, `line` and `found`, the words of each error and warning as a list of
/// lines. Null without a verdict.
nlohmann::json verifyOf(const Verification* verification);

} // namespace commtap::page
