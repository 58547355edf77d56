// SPDX-FileCopyrightText: 2026 The commtap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/export/export_formats.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

namespace commtap {

std::vector<ExportedTable> exportedTables() {
  std::vector<ExportedTable> tables = {{RunTable::kName, RunTable::columns(), std::nullopt}};
  for (const TableRow& table : reportTables()) {
    tables.push_back({table.name, columnsOf(table.id), table.id});
  }
  return tables;
}

void TableFiles::open(const std::string& name, const std::string& path) {
  for (ExportedTable& table : exportedTables()) {
    if (table.name == name) {
      open(std::move(table), path);
    }
  }
}

void TableFiles::open(ExportedTable table, const std::string& path) {
  File& file = files_.emplace_back(std::move(table), path);
  if (format_ == TableFormat::kCsv) {
    file.out.write(csvTitles(file.table.columns));
  }
}

std::string TableFiles::openAll(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    return folder + ": " + error.message();
  }
  const char* extension = format_ == TableFormat::kCsv ? ".csv" : ".jsonl";
  for (ExportedTable& table : exportedTables()) {
    const std::string path = std::filesystem::path(folder) / (table.name + extension);
    open(std::move(table), path);
  }
  return "";
}

void TableFiles::write(File& file, const TableCells& cells) const {
  file.out.write(format_ == TableFormat::kCsv ? csvRow(cells) : file.json.row(cells));
}

void TableFiles::add(const Report& report) {
  for (File& file : files_) {
    if (file.table.id) {
      forEachRow(*file.table.id, report, [&](const TableCells& cells) { write(file, cells); });
    } else {
      runs_.add(report);
    }
  }
}

std::vector<std::string> TableFiles::finish() {
  std::vector<std::string> errors;
  for (File& file : files_) {
    if (!file.table.id) {
      for (const TableCells& cells : runs_.rows()) {
        write(file, cells);
      }
    }
    if (std::string error = file.out.finish(); !error.empty()) {
      errors.push_back(std::move(error));
    }
  }
  return errors;
}

} // namespace commtap
