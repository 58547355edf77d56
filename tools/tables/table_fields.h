// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "report/model/model.h"
#include "tools/tables/report_tables.h"
#include "tools/tables/row_cells.h"

namespace commtap {

/// The report whose rows are visited, with its process groups by name.
class TableSource {
 public:
  explicit TableSource(const Report& report) : report_(report) {
    for (const Group& group : report.groups) {
      groups_.emplace(group.name, &group);
    }
  }

  const Report& report() const {
    return report_;
  }
  /// Returns nullptr if the report has no group of the name.
  const Group* group(const std::string& name) const {
    const auto found = groups_.find(name);
    return found == groups_.end() ? nullptr : found->second;
  }

 private:
  const Report& report_;
  std::unordered_map<std::string_view, const Group*> groups_;
};

/// A column of the table of rows `Row`.
template <typename Row>
struct TableField {
  TableColumn column;
  std::function<nlohmann::json(const TableSource& source, const Row& row)> cell;
};

/// The columns of a table: the columns of kColumns<Row> that can be cells, in order, with the table's own changes. A
/// field added to the end of kColumns<Row> becomes the last column.
template <typename Row>
class TableFields {
 public:
  using Fields = std::vector<TableField<Row>>;

  TableFields() {
    forEachColumn<Row>([this](const auto& column) {
      using Value = std::remove_cvref_t<decltype(std::declval<Row>().*column.member)>;
      using Format = typename std::remove_cvref_t<decltype(column)>::Format;
      constexpr std::string_view kType = cells::sqlType<Value, Format>();
      if constexpr (!kType.empty()) {
        const auto member = column.member;
        fields_.push_back(
            {{column.name, std::string(kType), cells::helpOf(column)},
             [member](const TableSource&, const Row& row) { return cells::cellOf(row.*member, Format()); }});
      }
    });
  }

  TableFields& rename(std::string_view name, std::string_view new_name) {
    at(name)->column.name = new_name;
    return *this;
  }
  TableFields& without(std::string_view name) {
    fields_.erase(at(name));
    return *this;
  }
  TableFields& after(std::string_view name, const Fields& more) {
    fields_.insert(at(name) + 1, more.begin(), more.end());
    return *this;
  }
  TableFields& append(const Fields& more) {
    fields_.insert(fields_.end(), more.begin(), more.end());
    return *this;
  }
  TableFields& moveToEnd(std::string_view name) {
    const TableField<Row> moved = *at(name);
    return without(name).append({moved});
  }
  TableFields& moveAfter(std::string_view name, std::string_view before) {
    const TableField<Row> moved = *at(name);
    return without(name).after(before, {moved});
  }

  const Fields& fields() const& {
    return fields_;
  }
  Fields fields() && {
    return std::move(fields_);
  }

 private:
  /// Throws std::out_of_range if the table has no such column. Any use of the table shows this programming error.
  typename Fields::iterator at(std::string_view name) {
    const auto found = std::find_if(
        fields_.begin(), fields_.end(), [name](const TableField<Row>& field) { return field.column.name == name; });
    return found != fields_.end() ? found : throw std::out_of_range("no column " + std::string(name));
  }

  Fields fields_;
};

} // namespace commtap
