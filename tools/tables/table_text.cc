// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/tables/table_text.h"

#include <array>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/text/table.h"

namespace commtap {
namespace {

using nlohmann::json;

std::string cellText(const json& cell) {
  if (cell.is_null()) {
    return {};
  }
  if (cell.is_string()) {
    return cell.get<std::string>();
  }
  if (cell.is_number_float()) {
    return fmt::format("{}", cell.get<double>());
  }
  if (!cell.is_array()) {
    return cell.dump();
  }
  std::string text;
  const char* separator = "";
  for (const json& item : cell) {
    text += std::exchange(separator, " ") + cellText(item);
  }
  return text;
}

/// Returns each column's name as a field begins with it: `"name":`.
std::vector<std::string> jsonNames(TableId table) {
  std::vector<std::string> names;
  const std::vector<TableColumn> columns = columnsOf(table);
  names.reserve(columns.size());
  for (const TableColumn& column : columns) {
    names.push_back(fmt::format("\"{}\":", column.name));
  }
  return names;
}

std::array<std::vector<std::string>, kTableCount> jsonNamesOfAllTables() {
  std::array<std::vector<std::string>, kTableCount> names;
  for (const TableRow& table : reportTables()) {
    names[static_cast<size_t>(table.id)] = jsonNames(table.id);
  }
  return names;
}

} // namespace

std::string csvTitles(TableId table) {
  std::vector<std::string> titles;
  for (const TableColumn& column : columnsOf(table)) {
    titles.emplace_back(column.name);
  }
  return csvLine(titles);
}

std::string csvRow(const TableCells& cells) {
  std::vector<std::string> texts;
  texts.reserve(cells.size());
  for (const json& cell : cells) {
    texts.push_back(cellText(cell));
  }
  return csvLine(texts);
}

std::string jsonRow(TableId table, const TableCells& cells) {
  static const std::array<std::vector<std::string>, kTableCount> kNames = jsonNamesOfAllTables();
  const std::vector<std::string>& names = kNames[static_cast<size_t>(table)];
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) {
    line += i == 0 ? '{' : ',';
    line += names[i];
    line += cells[i].dump(-1, ' ', /*ensure_ascii=*/true, json::error_handler_t::replace);
  }
  return line + "}\n";
}

} // namespace commtap
