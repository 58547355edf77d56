// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/export/export_tables.h"

#include <filesystem>
#include <system_error>

#include "tools/tables/table_text.h"

namespace commtap {

void TableFiles::open(TableId table, const std::string& path) {
  File& file = files_.emplace_back(table, path);
  if (format_ == TableFormat::kCsv) {
    file.out.write(csvTitles(table));
  }
}

std::string TableFiles::openAll(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    return folder + ": " + error.message();
  }
  const char* extension = format_ == TableFormat::kCsv ? ".csv" : ".jsonl";
  for (const TableRow& table : reportTables()) {
    open(table.id, std::filesystem::path(folder) / (table.name + extension));
  }
  return "";
}

void TableFiles::add(const Report& report) {
  for (File& file : files_) {
    forEachRow(file.table, report, [&](const TableCells& cells) {
      file.out.write(format_ == TableFormat::kCsv ? csvRow(cells) : jsonRow(file.table, cells));
    });
  }
}

std::vector<std::string> TableFiles::finish() {
  std::vector<std::string> errors;
  for (File& file : files_) {
    if (std::string error = file.out.finish(); !error.empty()) {
      errors.push_back(std::move(error));
    }
  }
  return errors;
}

} // namespace commtap
