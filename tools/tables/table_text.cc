// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/tables/table_text.h"

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

} // namespace

std::string csvTitles(const std::vector<TableColumn>& columns) {
  std::vector<std::string> titles;
  for (const TableColumn& column : columns) {
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

JsonRows::JsonRows(const std::vector<TableColumn>& columns) {
  for (const TableColumn& column : columns) {
    names_.push_back(fmt::format("\"{}\":", column.name));
  }
}

std::string JsonRows::row(const TableCells& cells) const {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) {
    line += i == 0 ? '{' : ',';
    line += names_[i];
    line += cells[i].dump(-1, ' ', /*ensure_ascii=*/true, json::error_handler_t::replace);
  }
  return line + "}\n";
}

} // namespace commtap
